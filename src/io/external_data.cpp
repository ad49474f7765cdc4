#include "io/external_data.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "io/elements.hpp"
#include "io/file.hpp"

namespace tenfold::io {
namespace {

[[noreturn]] void refuse(const std::string& location, std::string expected) {
  malformed("external data refused", std::move(expected), in_quotes(location));
}

// The names between the slashes. Nothing that could lead upwards or to a root gets through.
std::vector<std::string> components(const std::string& location) {
  if (location.empty()) malformed("external data without a location");
  if (location.find('\0') != std::string::npos) refuse(location, "a path without a zero byte");
  if (location.front() == '/') refuse(location, "a path relative to the model");
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= location.size();) {
    const std::size_t end = std::min(location.find('/', begin), location.size());
    std::string name = location.substr(begin, end - begin);
    if (name == "..") refuse(location, "a path below the model's folder");
    if (!name.empty() && name != ".") names.push_back(std::move(name));
    begin = end + 1;
  }
  if (names.empty() || location.back() == '/') refuse(location, "the path of a file");
  return names;
}

Descriptor open_or_throw(int parent, const std::string& name, int flags,
                         const std::string& location) {
  const int fd = ::openat(parent, name.c_str(), flags | O_CLOEXEC);
  if (fd >= 0) return Descriptor(fd);
  const int reason = errno;
  struct stat info = {};
  if ((flags & O_NOFOLLOW) && ::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(info.st_mode))
    refuse(location, "a path without links");
  throw Error(ErrorCode::kFile, {}, "cannot open external data " + in_quotes(location), {},
              errno_text(reason));
}

// Opens one name after the other, each relative to the folder opened before it and never through a
// link: what was checked is what is read, whatever changes on the disk meanwhile.
Descriptor open_below(const std::filesystem::path& folder, const std::string& location) {
  const std::vector<std::string> names = components(location);
  Descriptor at = open_or_throw(AT_FDCWD, folder.empty() ? "." : folder.string(),
                                O_RDONLY | O_DIRECTORY, location);
  for (std::size_t i = 0; i + 1 < names.size(); ++i)
    at = open_or_throw(at.get(), names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW, location);
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  return open_or_throw(at.get(), names.back(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, location);
}

}  // namespace

Tensor read_external(const std::filesystem::path& folder, const ExternalRange& range, DType dtype,
                     const Dims& shape) {
  const std::int64_t needed = byte_count(dtype, shape);
  const Descriptor file = open_below(folder, range.location);
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    refuse(range.location, "a regular file");
  if (info.st_nlink > 1) refuse(range.location, "a file with one name (no hard links)");
  const std::int64_t size = info.st_size;
  if (range.offset < 0 || range.offset > size)
    malformed("external data offset outside of " + in_quotes(range.location),
              "0 .. " + std::to_string(size), std::to_string(range.offset));
  const std::int64_t rest = size - range.offset;
  if (range.length && (*range.length < 0 || *range.length > rest))
    malformed(
        "external data length outside of " + in_quotes(range.location),
        "at most " + std::to_string(rest) + " bytes from offset " + std::to_string(range.offset),
        std::to_string(*range.length));
  const std::int64_t length = range.length.value_or(rest);
  if (length != needed)
    malformed("external data of another size in " + in_quotes(range.location),
              needed_text(dtype, shape), std::to_string(length));
  Tensor tensor(dtype, shape);
  located("external data " + in_quotes(range.location),
          [&] { read_at(file, static_cast<std::byte*>(tensor.data()), needed, range.offset); });
  normalise_bools(tensor);
  return tensor;
}

}  // namespace tenfold::io
