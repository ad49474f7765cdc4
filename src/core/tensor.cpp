#include "tenfold/tensor.hpp"

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include "tenfold/error.hpp"

namespace tenfold {
namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 vector

// Copies the sub-view at `axis` from a strided source to a dense destination; returns past its end.
char* copy_axis(const char* src, char* dst, const TensorView& view, int axis) {
  const std::size_t size = size_of(view.dtype);
  if (axis == view.rank()) {
    std::memcpy(dst, src, size);
    return dst + size;
  }
  const std::int64_t step = view.strides[axis] * static_cast<std::int64_t>(size);
  const std::int64_t extent = view.shape[axis];
  if (axis == view.rank() - 1 && view.strides[axis] == 1) {
    std::memcpy(dst, src, static_cast<std::size_t>(extent) * size);
    return dst + static_cast<std::size_t>(extent) * size;
  }
  for (std::int64_t i = 0; i < extent; ++i) dst = copy_axis(src + i * step, dst, view, axis + 1);
  return dst;
}

}  // namespace

Dims::Dims(std::span<const std::int64_t> v) {
  if (v.size() > kMaxRank)
    throw Error(ErrorCode::kRankTooLarge, "tensor", "rank too large",
                "at most " + std::to_string(kMaxRank), std::to_string(v.size()));
  size_ = static_cast<int>(v.size());
  std::copy(v.begin(), v.end(), v_);
}

std::int64_t element_count(const Dims& shape) {
  std::int64_t count = 1;
  bool overflow = false, empty = false;
  for (std::int64_t extent : shape) {
    if (extent < 0)
      throw Error(ErrorCode::kSizeOverflow, "tensor", "negative extent", "extents of 0 or more",
                  "shape " + to_string(shape));
    empty |= extent == 0;
    overflow |= __builtin_mul_overflow(count, std::max<std::int64_t>(extent, 1), &count);
  }
  if (overflow)  // refused even with a zero extent: strides of such a shape do not fit either
    throw Error(ErrorCode::kSizeOverflow, "tensor", "shape too large",
                "a product of extents below 2^63", "shape " + to_string(shape));
  return empty ? 0 : count;
}

Dims contiguous_strides(const Dims& shape) {
  Dims strides;
  strides.resize(shape.size());
  std::int64_t step = 1;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(shape[axis], 1), &step))
      element_count(shape);  // throws
  }
  return strides;
}

std::string to_string(const Dims& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

TensorView permuted(const TensorView& t, const Dims& axes) {
  TensorView out(t.data, t.dtype, {}, {});
  std::uint64_t seen = 0;
  for (std::int64_t axis : axes) {
    if (axis < 0 || axis >= t.rank() || (seen >> axis & 1))
      throw Error(ErrorCode::kBadArgument, "permuted", "not a permutation of the axes",
                  "each of 0 .. " + std::to_string(t.rank() - 1) + " once", to_string(axes));
    seen |= std::uint64_t{1} << axis;
    out.shape.push_back(t.shape[static_cast<int>(axis)]);
    out.strides.push_back(t.strides[static_cast<int>(axis)]);
  }
  if (axes.size() != t.rank())
    throw Error(ErrorCode::kBadArgument, "permuted", "not a permutation of the axes",
                std::to_string(t.rank()) + " axes", std::to_string(axes.size()));
  return out;
}

bool is_contiguous(const TensorView& t) {
  std::int64_t step = 1;
  for (int axis = t.rank() - 1; axis >= 0; --axis) {
    if (t.shape[axis] == 0) return true;
    if (t.shape[axis] != 1 && t.strides[axis] != step) return false;
    step *= t.shape[axis];
  }
  return true;
}

void Tensor::Free::operator()(void* p) const { std::free(p); }

Tensor::Tensor(DType dtype, const Dims& shape)
    : dtype_(dtype), shape_(shape), size_(element_count(shape)) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(size_, static_cast<std::int64_t>(size_of(dtype)), &bytes) ||
      bytes > INT64_MAX - static_cast<std::int64_t>(kAlignment))
    throw Error(ErrorCode::kSizeOverflow, "tensor", "shape too large", "fewer than 2^63 bytes",
                "shape " + to_string(shape));
  const std::size_t padded =
      (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
  data_.reset(std::aligned_alloc(kAlignment, std::max(padded, kAlignment)));
  if (!data_)
    throw Error(ErrorCode::kOutOfMemory, "tensor", "out of memory",
                std::to_string(bytes) + " bytes for shape " + to_string(shape));
}

Tensor Tensor::zeros(DType dtype, const Dims& shape) {
  Tensor t(dtype, shape);
  std::memset(t.data(), 0, static_cast<std::size_t>(t.bytes()));
  return t;
}

Tensor Tensor::copy_of(const TensorView& view) {
  Tensor t(view.dtype, view.shape);
  if (t.size() == 0) return t;
  if (is_contiguous(view))
    std::memcpy(t.data(), view.data, static_cast<std::size_t>(t.bytes()));
  else
    copy_axis(static_cast<const char*>(view.data), static_cast<char*>(t.data()), view, 0);
  return t;
}

Tensor Tensor::reshaped(const Dims& shape) && {
  if (element_count(shape) != size_)
    throw Error(ErrorCode::kShapeMismatch, "reshape", "another number of elements",
                std::to_string(size_) + " elements", "shape " + to_string(shape));
  shape_ = shape;
  return std::move(*this);
}

}  // namespace tenfold
