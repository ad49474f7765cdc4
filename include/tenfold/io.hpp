// Tensors in files: .npy (versions 1 to 3), .npz, ONNX TensorProto .pb, safetensors, raw bytes.
// Every length is checked before it is trusted; a bad file throws Error(kMalformedData) or
// Error(kFile). Called by the command line and by the graph loaders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/tensor.hpp"

namespace tenfold::io {

struct ReadOptions {
  // The type the reader's user wants to see: needed for raw data, and for bfloat16 kept by NumPy as
  // a 2-byte void ('V2'). No conversion: a file of another type is returned in its own type.
  std::optional<DType> dtype = std::nullopt;
  std::optional<Dims> shape = std::nullopt;  // needed for raw data
  std::string member = {};                   // name within .npz or safetensors; empty: the only one
};

// The format by suffix: .npy .npz .pb .safetensors; .bin and .raw need dtype and shape.
// `-` reads an .npy from standard input. "file.npz:name" names a member as options.member does.
TENFOLD_API Tensor load(const std::string& path, const ReadOptions& = {});
// Writes .npy, .npz (one member, "arr_0" or options-less name), .pb, .safetensors or .raw by
// suffix, whole or not at all (a temporary file beside it, renamed); `-` writes an .npy to standard
// output.
TENFOLD_API void save(const std::string& path, const TensorView& tensor);

// The same on bytes in memory.
using Bytes = std::span<const std::byte>;
TENFOLD_API Tensor read_npy(Bytes bytes, const ReadOptions& = {});
TENFOLD_API Tensor read_npz(Bytes bytes, const ReadOptions& = {});
TENFOLD_API Tensor read_tensor_proto(Bytes bytes, const ReadOptions& = {});
TENFOLD_API Tensor read_safetensors(Bytes bytes, const ReadOptions& = {});
TENFOLD_API Tensor read_raw(Bytes bytes, const ReadOptions& options);
TENFOLD_API std::vector<std::byte> write_npy(const TensorView& tensor);
TENFOLD_API std::vector<std::byte> write_tensor_proto(const TensorView& tensor,
                                                      std::string_view name = {});

// Whole files; write_file is all or nothing.
TENFOLD_API std::vector<std::byte> read_file(const std::filesystem::path& path);
TENFOLD_API void write_file(const std::filesystem::path& path, Bytes bytes);

}  // namespace tenfold::io
