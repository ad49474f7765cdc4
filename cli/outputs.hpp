// Output files that appear all together or not at all: each is written under a temporary name
// beside its final one, and all are renamed at the end.
// Called by `tenfold run` and `tenfold reduce`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tenfold/tensor.hpp"

namespace tenfold::cli {

class OutputFiles {
 public:
  OutputFiles() = default;
  ~OutputFiles();  // removes what was not committed
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  // Writes `tensor` under a temporary name; the suffix of `path` chooses the format.
  void write(const std::filesystem::path& path, const TensorView& tensor);
  // Gives every file its name.
  void commit();

 private:
  struct Staged {
    std::filesystem::path temporary, path;
  };
  std::vector<Staged> staged_;
};

// Whether `path` has a suffix that names a format that can be written.
bool has_format(const std::filesystem::path& path);

// An output's name as a file name: what a folder's entry cannot hold becomes '_'.
std::string file_name_of(std::string_view output);

}  // namespace tenfold::cli
