#include "outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "tenfold/error.hpp"
#include "tenfold/io.hpp"

namespace tenfold::cli {
namespace fs = std::filesystem;

OutputFiles::~OutputFiles() {
  for (const Staged& file : staged_) {
    std::error_code ignored;
    fs::remove(file.temporary, ignored);
  }
}

void OutputFiles::write(const fs::path& path, const TensorView& tensor) {
  if (fs::is_directory(path)) {
    throw Error(ErrorCode::kFile, path.string(), "cannot be written", "a file", "a folder");
  }
  fs::path temporary = path;
  temporary.replace_filename(
      fmt::format(".tenfold-{}-{}{}", getpid(), staged_.size(), path.extension().string()));
  staged_.push_back({temporary, path});
  try {
    io::save(temporary.string(), tensor);
  } catch (const Error& error) {
    // The temporary name says nothing to the user.
    throw Error(error.code(), path.string(), "cannot be written", error.expected(), error.got());
  }
}

void OutputFiles::commit() {
  std::error_code error;
  for (const Staged& file : staged_) {
    if (!error) fs::rename(file.temporary, file.path, error);
    if (error) {
      throw Error(ErrorCode::kFile, file.path.string(), "cannot be written", {}, error.message());
    }
  }
  staged_.clear();
}

bool has_format(const fs::path& path) {
  constexpr std::string_view kSuffixes[] = {".npy", ".npz", ".pb", ".safetensors", ".raw", ".bin"};
  const std::string suffix = path.extension().string();
  return std::ranges::find(kSuffixes, suffix) != std::end(kSuffixes);
}

std::string file_name_of(std::string_view output) {
  std::string name(output);
  for (char& c : name) {
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '_';
  }
  return name.empty() ? "output" : name;
}

}  // namespace tenfold::cli
