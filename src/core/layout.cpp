#include "core/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tenfold/error.hpp"

namespace tenfold {

void check_strides(const std::string& label, const char* what, const Dims& shape,
                   const Dims& strides, DType dtype) {
  if (shape.size() != strides.size())
    throw Error(ErrorCode::kShapeMismatch, label,
                std::string(what) + " strides do not fit the shape",
                std::to_string(shape.size()) + " strides for shape " + to_string(shape),
                std::to_string(strides.size()));
  std::int64_t reach = 0;
  for (int axis = 0; axis < shape.size(); ++axis) {
    std::int64_t step = 0;
    const bool bad =
        strides[axis] == INT64_MIN ||
        __builtin_mul_overflow(std::max<std::int64_t>(shape[axis] - 1, 0),
                               strides[axis] < 0 ? -strides[axis] : strides[axis], &step) ||
        __builtin_add_overflow(reach, step, &reach);
    if (bad || reach > INT64_MAX / 16 / static_cast<std::int64_t>(size_of(dtype)))
      throw Error(ErrorCode::kSizeOverflow, label, std::string(what) + " strides reach too far",
                  "addresses within 2^63 bytes",
                  "shape " + to_string(shape) + ", strides " + to_string(strides));
  }
}

void refuse_unplanned(const std::string& label, const std::string& what, DType dtype,
                      const Dims& shape, const Dims& strides, const TensorView& got) {
  if (got.dtype != dtype)
    throw Error(ErrorCode::kTypeMismatch, label, what + " type is not the planned one",
                std::string(name_of(dtype)), std::string(name_of(got.dtype)));
  throw Error(ErrorCode::kShapeMismatch, label, what + " layout is not the planned one",
              "shape " + to_string(shape) + ", strides " + to_string(strides),
              "shape " + to_string(got.shape) + ", strides " + to_string(got.strides));
}

ByteRange byte_range(DType dtype, const Dims& shape, const Dims& strides) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  ByteRange range{0, size};
  for (int axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t step = (shape[axis] - 1) * strides[axis] * size;
    (step < 0 ? range.first : range.last) += step;
  }
  return range;
}

void fill_elements(void* data, DType dtype, const Dims& shape, const Dims& strides,
                   const void* element) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  const std::int64_t count = element_count(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, at = 0;
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
      at += rest % shape[axis] * strides[axis];
      rest /= shape[axis];
    }
    std::memcpy(static_cast<std::byte*>(data) + at * size, element, static_cast<std::size_t>(size));
  }
}

}  // namespace tenfold
