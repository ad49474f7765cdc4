// A list of axes on the stack, for the planning of kernels: making a plan allocates little and
// takes a fraction of a microsecond. Called by the kernels' planning files.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "einsum/pair.hpp"

namespace tenfold::einsum_detail {

class AxisList {
 public:
  static constexpr int kMost = 32;

  AxisList() = default;
  AxisList(const AxisList& other) { *this = other; }
  AxisList& operator=(const AxisList& other) {
    size_ = other.size_;
    std::copy(other.begin(), other.end(), axes_.begin());
    return *this;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // False if the list is full.
  bool push(const PairAxis& axis) {
    if (size_ == kMost) return false;
    axes_[static_cast<std::size_t>(size_++)] = axis;
    return true;
  }
  void truncate(int size) { size_ = size; }
  PairAxis& operator[](int i) { return axes_[static_cast<std::size_t>(i)]; }
  const PairAxis& operator[](int i) const { return axes_[static_cast<std::size_t>(i)]; }
  const PairAxis* begin() const { return axes_.data(); }
  const PairAxis* end() const { return axes_.data() + size_; }
  std::int64_t extent() const {
    std::int64_t product = 1;
    for (const PairAxis& axis : *this) product *= axis.size;
    return product;
  }

 private:
  std::array<PairAxis, kMost> axes_;  // not initialised beyond size_
  int size_ = 0;
};

}  // namespace tenfold::einsum_detail
