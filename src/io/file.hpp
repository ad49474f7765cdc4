// Files without a copy in between: elements read straight into a tensor, several pieces written as
// one file. Called by load and save and by the reader of external data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/descriptor.hpp"
#include "tenfold/io.hpp"

namespace tenfold::io {

// A file open for reading. `size` is that of a regular file, and -1 for pipes and devices. Throws
// Error(kFile) with an empty `where`, as the other functions here.
struct OpenFile {
  Descriptor descriptor;
  std::int64_t size;
};
OpenFile open_file(const std::filesystem::path& path);

// Everything from here to the end.
std::vector<std::byte> read_rest(const OpenFile& file);
// Exactly `size` bytes from `offset` of a regular file; a file that ends before is an error.
void read_at(const Descriptor& file, std::byte* to, std::int64_t size, std::int64_t offset);

// write_file for the pieces of a file, one after the other.
void write_file(const std::filesystem::path& path, std::span<const Bytes> pieces);

}  // namespace tenfold::io
