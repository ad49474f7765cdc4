#include "einsum/gapless.hpp"

#include <cstdlib>

namespace tenfold::einsum_detail {

Gapless::Gapless(const Pair& pair) : pair_(pair) {
  for (const PairAxes* axes : {&pair.k, &pair.batch, &pair.m, &pair.n})
    for (const PairAxis& axis : *axes) {
      unchanged_ &= axis.a >= 0 && axis.b >= 0 && axis.c >= 0;
      axes_[count_++] = axis;
    }
  for (const auto stride : {&PairAxis::a, &PairAxis::b, &PairAxis::c}) close_gaps(stride);
}

void Gapless::close_gaps(std::int64_t PairAxis::*stride) {
  std::array<PairAxis*, kMost> order;  // nearest first
  std::size_t count = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (axes_[i].*stride == 0) continue;
    axes_[i].*stride = std::abs(axes_[i].*stride);
    std::size_t at = count++;
    for (; at > 0 && order[at - 1]->*stride > axes_[i].*stride; --at) order[at] = order[at - 1];
    order[at] = &axes_[i];
  }
  if (count == 0) return;
  // An overlapping view may have more elements than there are addresses.
  constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
  std::int64_t next = order[0]->*stride == 1 ? 1 : 2;
  for (std::size_t i = 0; i < count;) {
    const std::int64_t before = order[i]->*stride, now = next;
    unchanged_ &= before == now;
    for (; i < count && order[i]->*stride == before; ++i) {
      order[i]->*stride = now;
      if (__builtin_mul_overflow(next, order[i]->size, &next) || next > kFarthest) next = kFarthest;
    }
  }
}

Pair Gapless::pair() const {
  Pair result;
  result.a_type = pair_.a_type;
  result.b_type = pair_.b_type;
  result.c_type = pair_.c_type;
  result.has_b = pair_.has_b;
  const PairAxis* next = axes_.data();
  const auto fold = [&next](const PairAxes& from, PairAxes& to) {
    to.reserve(from.size());
    for (const PairAxis& real : from) {
      const PairAxis& axis = *next++;
      if (!to.empty() && merges(to.back(), axis)) {
        const std::int64_t size = to.back().size * axis.size;
        to.back() = axis;
        to.back().size = size;
      } else {
        to.push_back(axis);
      }
      // The neighbours that were merged step by more.
      for (const auto stride : {&PairAxis::a, &PairAxis::b, &PairAxis::c})
        if (real.*stride == -1) to.back().*stride = -1;
    }
  };
  fold(pair_.k, result.k);
  fold(pair_.batch, result.batch);
  fold(pair_.m, result.m);
  fold(pair_.n, result.n);
  return result;
}

bool longest_sum_last(const Pair& pair, AxisList& k) {
  const std::size_t count = pair.k.size();
  if (count > static_cast<std::size_t>(AxisList::kMost)) return false;
  std::size_t begin = 0, end = count;  // of the longest
  if (count > 1) {
    const Gapless gapless(pair);
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < count;) {
      const std::size_t first = i;
      std::int64_t size = pair.k[i++].size;
      for (; i < count && gapless.joined(i - 1); ++i) size *= pair.k[i].size;
      if (size < longest) continue;
      longest = size;
      begin = first;
      end = i;
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    if (i < begin || i >= end) k.push(pair.k[i]);
  for (std::size_t i = begin; i < end; ++i) k.push(pair.k[i]);
  return true;
}

}  // namespace tenfold::einsum_detail
