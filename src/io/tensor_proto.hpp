// ONNX TensorProto: one serialised message to a Tensor and its name, external data included.
// Called by read_tensor_proto and load (io.hpp) and by the ONNX model loader for initialisers and
// Constant attributes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tenfold/io.hpp"

namespace tenfold::io {

struct NamedTensor {
  std::string name;  // empty when the message has none
  Tensor tensor;
};

// Reads one message. Data kept in another file is read only when `folder` is given (an empty path
// is the current folder), and only from a regular file below it that is reached through no link.
// Throws Error(kMalformedData, kUnsupportedFeature, kFile, kSizeOverflow, kRankTooLarge); `where`
// names the tensor when its name is known and is empty otherwise, so callers add themselves with
// Error::within.
NamedTensor parse_tensor_proto(Bytes message,
                               const std::optional<std::filesystem::path>& folder = std::nullopt);

// The element type for a number of TensorProto.DataType, in messages and in `to` of Cast. Throws
// Error(kUnsupportedFeature) with the type's name, or Error(kMalformedData) for no such number.
DType dtype_from_onnx(std::int64_t data_type);
std::int32_t onnx_data_type(DType dtype);

}  // namespace tenfold::io
