// A contraction as it would be without gaps in memory: which kernel runs it and which summed axes
// are one must not depend on padding, so that the bits of the result don't either. Called by
// pair.cpp, by explain.cpp, and by the kernels' planning files.
#pragma once

#include <array>
#include <cstdint>

#include "einsum/axis_list.hpp"
#include "einsum/pair.hpp"

namespace tenfold::einsum_detail {

// Every operand's strides replaced by the least ones in the same order of distances: 0 stays 0,
// equal ones stay equal, the least is 1 if it was, else 2.
class Gapless {
 public:
  explicit Gapless(const Pair& pair);
  // The strides were those already, all of them forwards.
  bool unchanged() const { return unchanged_; }
  // Neighbours merged as far as these strides allow. An axis that steps back by one still does;
  // all others run forwards.
  Pair pair() const;
  // Whether the summed axes i and i + 1 are one axis there.
  bool joined(std::size_t i) const { return merges(axes_[i], axes_[i + 1]); }

 private:
  // An operand or a result has up to 64 axes and one more if it is complex.
  static constexpr std::size_t kMost = 3 * 65;
  static bool merges(const PairAxis& outer, const PairAxis& inner) {
    return outer.a == inner.a * inner.size && outer.b == inner.b * inner.size &&
           outer.c == inner.c * inner.size;
  }
  void close_gaps(std::int64_t PairAxis::*stride);

  const Pair& pair_;
  std::array<PairAxis, kMost> axes_;  // of k, batch, m and n; not initialised beyond count_
  std::size_t count_ = 0;
  bool unchanged_ = true;
};

// The summed axes in the order of a chain that has the longest of them innermost. Axes that padding
// alone keeps apart count as one. False if there are too many.
bool longest_sum_last(const Pair& pair, AxisList& k);

}  // namespace tenfold::einsum_detail
