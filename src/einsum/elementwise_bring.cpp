// Brings an operand's part of a tile into place: moved, converted, or left where it is.
#include "einsum/elementwise_worker.hpp"

namespace tenfold::einsum_detail {

using kernels::ElementRows;

// Whole and cut pieces of one row.
void ElementwiseWorker::pieces(const ElementOperand& x, const std::byte* from,
                               const std::int64_t* offsets, std::byte* to) const {
  const std::int64_t n = plan_.run_.fastest, begin = run_.begin % plan_.run_.inner;
  const bool repeat = x.bring == Bring::kRepeat;
  const auto put = [&](const std::int64_t* at, std::int64_t skip, std::int64_t count,
                       std::int64_t length) {
    if (repeat)
      x.moves->repeat(from, at, count, length, to);
    else
      plan_.segments_->copy(from + skip * x.size, at, count, length * x.size, to);
    to += count * length * x.size;
  };
  std::int64_t piece = begin / n, left = run_.count;
  if (const std::int64_t skip = begin % n; skip > 0) {
    const std::int64_t length = std::min(n - skip, left);
    put(offsets + piece++, skip, 1, length);
    left -= length;
  }
  if (left >= n) put(offsets + piece, 0, left / n, n);
  piece += left / n;
  if (left % n > 0) put(offsets + piece, 0, 1, left % n);
}

// Where a window holds whole lengths of the run's last axis, those are columns to transpose: as
// many at a time as the axis before has left.
void ElementwiseWorker::interleave(const ElementOperand& x, Side side, const std::byte* from,
                                   std::byte* to) const {
  const FlatAxis& run = plan_.run_;
  const std::int64_t n = run.fastest, begin = run_.begin % run.inner;
  const std::int64_t* all = run.offsets[side].data();
  const std::int64_t* offsets = all + begin;
  std::int64_t at = std::min((n - begin % n) % n, run_.count);
  x.moves->gather(from, offsets, at, to);
  while (run_.count - at >= n) {
    const std::int64_t left = run.second - (begin + at) / n % run.second;
    const std::int64_t columns = std::min((run_.count - at) / n, left);
    const std::byte* src = from + offsets[at];
    if (x.bring == Bring::kInterleaveFew)
      x.moves->interleave(src, all, n, columns, to + at * x.size);
    else
      x.moves->transpose(src, all, n, columns, to + at * x.size, n * x.size, 0);
    at += columns * n;
  }
  x.moves->gather(from, offsets + at, run_.count - at, to + at * x.size);
}

void ElementwiseWorker::move_row(const ElementOperand& x, Side side, const std::byte* from,
                                 std::byte* to) const {
  const std::int64_t* offsets = plan_.run_.offsets[side].data();
  switch (x.bring) {
    case Bring::kReverse:
      return x.moves->reverse(from, run_.count, to);
    case Bring::kSegments:
    case Bring::kRepeat:
      return pieces(x, from, offsets, to);
    case Bring::kInterleave:
    case Bring::kInterleaveFew:
      return interleave(x, side, from, to);
    default:
      return x.moves->gather(from, offsets + run_.begin % plan_.run_.inner, run_.count, to);
  }
}

// Transposes, and a few rows at a time looks for those of the next tile in the other operand, which
// is in place: each is too short for the processor to see it coming, and all at once would hold up
// what the transposition reads.
void ElementwiseWorker::transpose_and_prefetch(Side side, const std::byte* from,
                                               const std::int64_t* offsets, std::byte* to,
                                               std::int64_t to_row) const {
  const ElementOperand& x = plan_.operands_[side];
  const Side other = side == kA ? kB : kA;
  const std::int64_t whole = kernels::whole_rows(x.size);
  const std::int64_t bytes = run_.count * plan_.operands_[other].size;
  std::int64_t next = 0;  // row to prefetch
  for (std::int64_t q = 0; q < run_.count; q += whole) {
    const std::int64_t count = std::min(whole, run_.count - q);
    x.moves->transpose(from, offsets + q, count, rows_.count, to + q * x.size, to_row,
                       ahead_[side]);
    for (; next * run_.count < (q + count) * rows_.count; ++next)
      for (std::int64_t at = 0; at < bytes; at += kLine)
        __builtin_prefetch(from_[other] + ahead_[other] + row_offset(other, next) + at, 0, 2);
  }
}

// The operand's part of the tile, from its first element on (but for the run's offset inside its
// first axis), to rows and layers so many bytes apart.
void ElementwiseWorker::move(Side side, const std::byte* from, std::byte* to, std::int64_t to_row,
                             std::int64_t to_layer) const {
  const ElementOperand& x = plan_.operands_[side];
  const std::int64_t rows = x.over_rows ? rows_.count : 1;
  const std::int64_t layers = x.over_layers ? layers_.count : 1;
  const std::int64_t layer = plan_.layers_.unit[side];
  const std::int64_t* offsets = plan_.run_.offsets[side].data() + run_.begin % plan_.run_.inner;
  if (x.bring == Bring::kTransposeLayers) {
    for (std::int64_t p = 0; p < rows; ++p)
      x.moves->transpose(from + row_offset(side, p), offsets, run_.count, layers, to + p * to_row,
                         to_layer, ahead_[side]);
    return;
  }
  for (std::int64_t t = 0; t < layers; ++t, from += layer, to += to_layer) {
    if (x.bring == Bring::kTranspose && plan_.prefetch_)
      transpose_and_prefetch(side, from, offsets, to, to_row);
    else if (x.bring == Bring::kTranspose)
      x.moves->transpose(from, offsets, run_.count, rows, to, to_row, ahead_[side]);
    else if (x.bring == Bring::kDeinterleave)
      x.moves->deinterleave(from, run_.count, rows, to, to_row);
    else
      for (std::int64_t p = 0; p < rows; ++p)
        move_row(x, side, from + row_offset(side, p), to + p * to_row);
  }
}

// Makes `ready_[side]` the operand's part of the tile, whose first element is at `from`.
void ElementwiseWorker::bring(Side side, const std::byte* from) {
  const ElementOperand& x = plan_.operands_[side];
  Ready& ready = ready_[side];
  if (x.raw < 0 && x.convert == nullptr) {
    ready.data = from;
    ready.row = plan_.rows_.unit[side];
    ready.layer = plan_.layers_.unit[side];
    return;
  }
  const std::array counts{run_.count, x.over_rows ? rows_.count : 1,
                          x.over_layers ? layers_.count : 1};
  const std::int64_t begin = run_.begin % plan_.run_.inner;
  const std::int64_t first_row = x.over_rows ? rows_.begin % plan_.rows_.inner : 0;
  if (ready.from == from && ready.begin == begin && ready.first_row == first_row &&
      ready.counts == counts)
    return;
  ready.from = from;
  ready.begin = begin;
  ready.first_row = first_row;
  ready.counts = counts;
  ready.in_place = false;
  ready.data = from;
  ready.row = plan_.rows_.unit[side];
  ready.layer = plan_.layers_.unit[side];
  if (x.raw >= 0) {
    move(side, from, scratch_ + x.raw, x.raw_row, x.raw_layer);
    ready.data = scratch_ + x.raw;
    ready.row = x.raw_row;
    ready.layer = x.raw_layer;
  }
  if (x.convert != nullptr) convert(side);
  if (!x.over_rows) ready.row = 0;
  if (!x.over_layers) ready.layer = 0;
}

void ElementwiseWorker::convert(Side side) {
  const ElementOperand& x = plan_.operands_[side];
  Ready& ready = ready_[side];
  const std::int64_t rows = ready.counts[1];
  const bool apart = x.raw < 0 && !plan_.rows_.single;  // rows in place, not in equal steps
  for (std::int64_t t = 0; t < ready.counts[2]; ++t)
    for (std::int64_t p = 0; p < rows; p += apart ? 1 : rows) {
      ElementRows r;
      r.a = ready.data + t * ready.layer + (apart ? row_offset(side, p) : 0);
      r.c = scratch_ + x.converted + t * x.converted_layer + p * x.converted_row;
      r.rows = apart ? 1 : rows;
      r.n = x.bring == Bring::kOne ? 1 : run_.count;
      r.a_row = ready.row;
      r.c_row = x.converted_row;
      x.convert(r);
    }
  ready.data = scratch_ + x.converted;
  ready.row = x.converted_row;
  ready.layer = x.converted_layer;
}

}  // namespace tenfold::einsum_detail
