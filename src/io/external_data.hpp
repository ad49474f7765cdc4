// Tensor data that a model keeps in a file beside it. The path comes from the model and is not
// trusted: only a regular file below the model's folder, reached through no link, is opened.
// Called by the TensorProto reader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tenfold/io.hpp"

namespace tenfold::io {

struct ExternalRange {
  std::string location;  // relative, with '/' between folders
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;  // absent: up to the end of the file
};

// Reads the range, which must hold exactly the bytes of such a tensor; memory is taken only after
// the file was seen to be long enough.
Tensor read_external(const std::filesystem::path& folder, const ExternalRange& range, DType dtype,
                     const Dims& shape);

}  // namespace tenfold::io
