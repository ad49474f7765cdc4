// The loops of copies and elementwise products as their planner sees them: rows of elements, and
// movers that bring strided elements side by side. All strides and offsets are in bytes. Called by
// src/einsum/elementwise_*.cpp; the SIMD lives in elementwise_kernels.cc and layout_kernels.cc.
#pragma once

#include <cstdint>

#include "tenfold/dtype.hpp"

namespace tenfold::kernels {

// Rows of n elements; those of c lie side by side, those of a and b too or are one element for the
// whole row. c overlaps neither.
struct ElementRows {
  const void* a = nullptr;
  const void* b = nullptr;  // products only
  void* c = nullptr;
  std::int64_t rows = 1, n = 0;
  std::int64_t a_row = 0, b_row = 0, c_row = 0;  // from one row to the next
  bool a_one = false, b_one = false;
  bool stream = false;  // whole cache lines of c go past the caches; see finish_stream
};
using RowsFn = void (*)(const ElementRows& rows);

// c = a * b, all of one type: f16 and bf16 are multiplied in f32 and rounded once, integers wrap,
// bool is "and", complex products are (re re - im im, re im + im re).
RowsFn find_multiply_rows(DType dtype);
// c = a, converted as a contraction converts (einsum/pair.hpp): both types have one acc_type. bool
// to bool makes every true a 1.
RowsFn find_convert_rows(DType from, DType to);
// c = a, bits as they are, elements of 1, 2, 4, 8 or 16 bytes.
RowsFn find_copy_rows(std::int64_t element_size);

// What moves elements of 1, 2, 4, 8 or 16 bytes without looking at them. Where `slack` is said, up
// to 64 bytes past the end of dst may be overwritten.
struct MoveKernels {
  // dst[p * dst_row + q] = src[offsets[q] + p], p < columns, q < rows: the source's rows become
  // columns of dst. Rows of dst are written in order; with less than whole_rows() rows each has
  // slack, which the next may overlap; with less than whole_rows() columns so many rows of dst are
  // written. Each source row is also prefetched `ahead` bytes further on.
  void (*transpose)(const std::byte* src, const std::int64_t* offsets, std::int64_t rows,
                    std::int64_t columns, std::byte* dst, std::int64_t dst_row, std::int64_t ahead);
  // The same for 2 to 4 rows (columns), dst_row (the distance of source rows) being as many
  // elements. Not for elements of 16 bytes.
  void (*interleave)(const std::byte* src, const std::int64_t* offsets, std::int64_t rows,
                     std::int64_t columns, std::byte* dst);
  void (*deinterleave)(const std::byte* src, std::int64_t rows, std::int64_t columns,
                       std::byte* dst, std::int64_t dst_row);
  // dst[i] = src[offsets[i]]
  void (*gather)(const std::byte* src, const std::int64_t* offsets, std::int64_t count,
                 std::byte* dst);
  // dst[i] = src[-i]
  void (*reverse)(const std::byte* src, std::int64_t count, std::byte* dst);
  // dst[j * n + i] = src[offsets[j]], i < n: each element n times. Slack.
  void (*repeat)(const std::byte* src, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t n, std::byte* dst);
  // dst[i * stride] = src[i]
  void (*scatter)(const std::byte* src, std::int64_t count, std::byte* dst, std::int64_t stride);
};
const MoveKernels& move_kernels(std::int64_t element_size);
// Elements of a whole vector of any target.
constexpr std::int64_t whole_rows(std::int64_t element_size) { return 64 / element_size; }

// Rows of `bytes` bytes of segments of n bytes each, but for the first `skip` (below n), whole
// lines streamed. Of a row that goes on before or after this strip, a line cut in two belongs to
// the strip where it begins: offsets has segments for that.
struct SegmentStrip {
  const std::byte* src = nullptr;
  const std::int64_t* offsets = nullptr;
  std::int64_t skip = 0, n = 0, bytes = 0;
  bool first = true;      // the rows begin here
  std::int64_t rest = 0;  // bytes of a row from here on
  std::int64_t rows = 1, src_row = 0, dst_row = 0;
  std::byte* dst = nullptr;
};
// Bytes of a strip with segments below 64.
constexpr std::int64_t kStripBytes = 1024;

// Segments of n bytes one after another, whatever the elements.
struct SegmentKernels {
  // dst[j * n + i] = src[offsets[j] + i], i < n, j < count. Slack.
  void (*copy)(const std::byte* src, const std::int64_t* offsets, std::int64_t count,
               std::int64_t n, std::byte* dst);
  void (*stream)(const SegmentStrip& strip);
};
const SegmentKernels& segment_kernels();

// What was streamed is seen by other threads after this.
void finish_stream();

}  // namespace tenfold::kernels
