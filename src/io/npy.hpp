// NumPy's .npy format on bytes in memory: the header taken apart, the elements made row-major.
// Called by the public functions of io.hpp and by the .npz reader and writer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tenfold/io.hpp"

namespace tenfold::io {

struct NpyHeader {
  std::size_t data_offset = 0;  // where the elements begin
  DType dtype = DType::kF32;
  bool swapped = false;  // big-endian elements of more than one byte
  bool fortran_order = false;
  Dims shape;
};

// Magic, version and length of the dictionary need at most this many bytes.
inline constexpr std::size_t kNpyPreamble = 12;
// Longest dictionary taken. NumPy pads to 64 bytes; rank 64 with the largest extents needs 1400.
inline constexpr std::size_t kNpyLongestDictionary = 1 << 16;

// Where the elements begin, from the first kNpyPreamble bytes (fewer when the file is shorter).
std::size_t npy_data_offset(Bytes bytes);
// `bytes` must reach to the elements; they need not be there. NumPy keeps bfloat16 as a 2-byte
// void, which is taken for it only when `wanted` says so.
NpyHeader parse_npy_header(Bytes bytes, std::optional<DType> wanted);
// The elements in `data`, row-major and in this machine's byte order. What follows them is ignored,
// as NumPy does.
Tensor npy_elements(const NpyHeader& header, Bytes data);
// The last steps of it for row-major elements that stand in the tensor as they were in the file.
void finish_npy_elements(const NpyHeader& header, Tensor& tensor);
Tensor parse_npy(Bytes bytes, std::optional<DType> wanted);

// Everything that stands before the elements of a row-major tensor.
std::string npy_header(DType dtype, const Dims& shape);

}  // namespace tenfold::io
