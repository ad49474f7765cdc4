// The order in which an outer fold takes the rows of a leaf, a few at a time. Plain integers, no
// SIMD; called by outer-inl.h.
//
// The tree of a leaf joins lane l (rows l, l + 16, …) with lane l + 8, those with l + 4, and so on.
// Lanes are finished in the order in which that tree meets them, so that besides the rows only one
// partial result a level is at work, and a pass takes at most four rows: more streams of memory, a
// power of two apart, would drive each other out of the L1 cache.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tenfold::kernels {

struct RowPass {
  std::int16_t row;        // the first one
  std::int16_t lane_step;  // distance of two of its lanes
  std::int8_t lanes;       // 1, 2 or 4: l, l + 2 steps, l + step, l + 3 steps; two: l, l + step
  std::int8_t rows;        // of each lane, 16 apart
  std::int8_t top;         // the partial result that is joined first, -1: none
  std::int8_t merges;      // so many of them, top, top - 1, …; the result goes to top - merges
  std::int8_t onto;        // the partial result that the lane goes on from, -1: none
};

inline constexpr int kMaxRowPasses = 160;
inline constexpr int kRowSlots = 5;

class RowPasses {
 public:
  RowPasses(std::int64_t rows, RowPass* list) : rows_(static_cast<int>(rows)), list_(list) {
    while (span_ < 16 && span_ < rows_) span_ *= 2;
    node(0, 1, -1, 0);
  }
  int count() const { return count_; }

 private:
  int rows_of(int lane) const { return lane >= rows_ ? 0 : (rows_ - lane + 15) / 16; }
  void add(int row, int step, int lanes, int rows, int top, int merges, int onto) {
    list_[count_++] = {static_cast<std::int16_t>(row),  static_cast<std::int16_t>(step),
                       static_cast<std::int8_t>(lanes), static_cast<std::int8_t>(rows),
                       static_cast<std::int8_t>(top),   static_cast<std::int8_t>(merges),
                       static_cast<std::int8_t>(onto)};
  }

  // Lanes l, l + step, … below span_.
  void node(int lane, int step, int top, int merges) {
    if (step == span_) return chain(lane, top, merges);
    const int rows = rows_of(lane);
    if (4 * step == span_ && rows == 1 && lane + 3 * step < std::min(rows_, 16))
      return add(lane, step, 4, 1, top, merges, -1);
    if (2 * step == span_ && rows <= 2 && rows_of(lane + step) == rows)
      return add(lane, step, 2, rows, top, merges, -1);
    if (lane + step >= rows_) return node(lane, 2 * step, top, merges);
    node(lane, 2 * step, top + 1, 0);
    node(lane + step, 2 * step, top + 1, merges + 1);
  }

  void chain(int lane, int top, int merges) {
    int left = rows_of(lane);
    int onto = -1;
    for (; left > 4; left -= 4, lane += 64, onto = top + 1) add(lane, 0, 1, 4, top + 1, 0, onto);
    add(lane, 0, 1, left, top, merges, onto);
  }

  int rows_, span_ = 1, count_ = 0;
  RowPass* list_;
};

inline int row_passes(std::int64_t rows, RowPass* list) { return RowPasses(rows, list).count(); }

}  // namespace tenfold::kernels
