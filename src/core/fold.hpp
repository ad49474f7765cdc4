// Folding: the axes of a strided operand as the fewest loops, outermost stride first.
// Size-1 axes vanish, axes that step as one become one, kept axes run in the direction of rising
// addresses. Called by the reduction planner.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tenfold/tensor.hpp"

namespace tenfold {

// One loop over the input (and, for a kept axis, the output); strides in elements.
struct Loop {
  std::int64_t size, in, out;
  bool reduced;
};

// A fixed-capacity list of loops: planning never allocates.
class Loops {
 public:
  Loops() = default;
  Loops(const Loops& o) : size_(o.size_) { std::copy_n(o.v_, size_, v_); }
  Loops& operator=(const Loops&) = delete;

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Loop& operator[](int i) { return v_[i]; }
  const Loop& operator[](int i) const { return v_[i]; }
  const Loop* begin() const { return v_; }
  const Loop* end() const { return v_ + size_; }
  void push_back(const Loop& loop) { v_[size_++] = loop; }
  void insert(int at, const Loop& loop) {
    for (int i = size_++; i > at; --i) v_[i] = v_[i - 1];
    v_[at] = loop;
  }
  void erase(int at) {
    for (int i = at + 1; i < size_; ++i) v_[i - 1] = v_[i];
    --size_;
  }

 private:
  int size_ = 0;
  Loop v_[kMaxRank + 1];  // entries past size_ are not initialised
};

struct Folded {
  Loops loops;                                 // outermost first, no loop of size 1
  std::int64_t in_offset = 0, out_offset = 0;  // elements to the first element visited
};

// `reduced` has bit a set for each reduced axis a; `out_strides` has one stride for each axis of
// the input (0 for a reduced one). No extent may be 0. `flip_reduced`: reduced axes too may run
// backwards.
Folded fold(const Dims& shape, const Dims& in_strides, const Dims& out_strides,
            std::uint64_t reduced, bool flip_reduced);

}  // namespace tenfold
