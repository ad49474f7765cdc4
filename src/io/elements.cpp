#include "io/elements.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace tenfold::io {

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  std::string text = "'";
  for (const char c : name.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F)
      text += c;
    else
      text += fmt::format("\\x{:02x}", byte);
  }
  return text + (name.size() > kLongest ? "…'" : "'");
}

void malformed(std::string mistake, std::string expected, std::string got) {
  throw Error(ErrorCode::kMalformedData, {}, std::move(mistake), std::move(expected),
              std::move(got));
}

std::int64_t byte_count(DType dtype, const Dims& shape) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(element_count(shape), static_cast<std::int64_t>(size_of(dtype)),
                             &bytes))
    throw Error(ErrorCode::kSizeOverflow, {}, "shape too large", "fewer than 2^63 bytes",
                "shape " + to_string(shape) + " of " + std::string(name_of(dtype)));
  return bytes;
}

std::string needed_text(DType dtype, const Dims& shape) {
  return std::to_string(byte_count(dtype, shape)) + " bytes for shape " + to_string(shape) +
         " of " + std::string(name_of(dtype));
}

void normalise_bools(Tensor& tensor) {
  if (tensor.dtype() != DType::kBool) return;
  for (Bool& b : tensor.values<Bool>()) b = Bool(static_cast<bool>(b));
}

Tensor tensor_from_bytes(Bytes data, DType dtype, const Dims& shape, Trailing trailing) {
  const auto needed = static_cast<std::size_t>(byte_count(dtype, shape));
  if (data.size() < needed)
    malformed("data too short", needed_text(dtype, shape), std::to_string(data.size()));
  if (data.size() > needed && trailing == Trailing::kRefused)
    malformed("data too long", needed_text(dtype, shape), std::to_string(data.size()));
  Tensor tensor(dtype, shape);
  if (needed > 0) std::memcpy(tensor.data(), data.data(), needed);
  normalise_bools(tensor);
  return tensor;
}

DenseBytes::DenseBytes(const TensorView& view) {
  const auto size = static_cast<std::size_t>(byte_count(view.dtype, view.shape));
  if (size > 0 && view.data == nullptr)
    throw Error(ErrorCode::kNullData, {}, "no data",
                "a pointer to " + needed_text(view.dtype, view.shape), "null");
  if (view.dtype != DType::kBool && is_contiguous(view)) {
    bytes_ = {static_cast<const std::byte*>(view.data), size};
    return;
  }
  copy_ = Tensor::copy_of(view);
  normalise_bools(copy_);
  bytes_ = {static_cast<const std::byte*>(std::as_const(copy_).data()), size};
}

}  // namespace tenfold::io
