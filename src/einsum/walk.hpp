// Steps through the positions of a list of axes, innermost fastest, from any of them on.
// Called by contraction kernels for the loops around a block.
#pragma once

#include <array>

#include "einsum/axis_list.hpp"

namespace tenfold::einsum_detail {

class Walk {
 public:
  Walk(const AxisList& axes, std::int64_t start) : axes_(axes) {
    for (int i = axes.size() - 1; i >= 0; --i) {
      const std::int64_t digit = start % axes[i].size;
      start /= axes[i].size;
      digits_[static_cast<std::size_t>(i)] = digit;
      a_ += digit * axes[i].a;
      b_ += digit * axes[i].b;
      c_ += digit * axes[i].c;
    }
  }
  // Offsets of the position, in the unit of the axes' strides.
  std::int64_t a() const { return a_; }
  std::int64_t b() const { return b_; }
  std::int64_t c() const { return c_; }
  // After the last position comes the first.
  void next() {
    for (int i = axes_.size() - 1; i >= 0; --i) {
      const PairAxis& axis = axes_[i];
      a_ += axis.a;
      b_ += axis.b;
      c_ += axis.c;
      if (++digits_[static_cast<std::size_t>(i)] < axis.size) return;
      digits_[static_cast<std::size_t>(i)] = 0;
      a_ -= axis.size * axis.a;
      b_ -= axis.size * axis.b;
      c_ -= axis.size * axis.c;
    }
  }

 private:
  const AxisList& axes_;
  std::array<std::int64_t, AxisList::kMost> digits_;  // of as many axes as there are
  std::int64_t a_ = 0, b_ = 0, c_ = 0;
};

}  // namespace tenfold::einsum_detail
