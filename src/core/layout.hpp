// Where the elements of a strided view lie: checks that addresses fit, and whether two views meet.
// Called by the planners and by their runs.
#pragma once

#include <cstdint>
#include <string>

#include "tenfold/tensor.hpp"

namespace tenfold {

// Every address that a view reaches must fit, in elements and in bytes. `what` is "input", "output"
// …; throws Error(kShapeMismatch, kSizeOverflow).
void check_strides(const std::string& label, const char* what, const Dims& shape,
                   const Dims& strides, DType dtype);

// Whether a tensor is like the one that a plan was made for.
inline bool is_planned(const TensorView& view, DType dtype, const Dims& shape,
                       const Dims& strides) {
  return view.dtype == dtype && view.shape == shape && view.strides == strides;
}
// Throws Error(kTypeMismatch, kShapeMismatch) for one that is not; `what` as above.
[[noreturn]] void refuse_unplanned(const std::string& label, const std::string& what, DType dtype,
                                   const Dims& shape, const Dims& strides, const TensorView& got);

// The bytes [first, last) between the lowest and the highest element, relative to element (0, …,
// 0). No extent may be 0.
struct ByteRange {
  std::int64_t first, last;
};
ByteRange byte_range(DType dtype, const Dims& shape, const Dims& strides);

// Writes the same element, of `dtype`, to every position of a view whose element (0, …, 0) is at
// `data`.
void fill_elements(void* data, DType dtype, const Dims& shape, const Dims& strides,
                   const void* element);

inline bool ranges_meet(const void* a, ByteRange ra, const void* b, ByteRange rb) {
  const auto pa = reinterpret_cast<std::intptr_t>(a), pb = reinterpret_cast<std::intptr_t>(b);
  return pa + ra.first < pb + rb.last && pb + rb.first < pa + ra.last;
}

}  // namespace tenfold
