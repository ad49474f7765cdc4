#include "io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "io/elements.hpp"

namespace tenfold::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& mistake, int number) {
  throw Error(ErrorCode::kFile, {}, mistake, {}, errno_text(number));
}

// Reads to the end. `expected` is the size that a regular file has now; it may lie.
std::vector<std::byte> read_to_end(int fd, std::size_t expected) {
  constexpr std::size_t kStep = 1 << 16;
  std::vector<std::byte> bytes(expected + 1);  // one more: the end is seen without growing
  std::size_t filled = 0;
  while (true) {
    const ssize_t got = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled == bytes.size()) bytes.resize(filled + std::max(filled / 2, kStep));
  }
  bytes.resize(filled);
  return bytes;
}

void write_to_end(int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

// A new file in the target's folder, gone again unless it takes the target's place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : target_(target), descriptor_(-1) {
    // Created as any new file, so that the umask decides about its permissions.
    std::random_device random;
    for (int attempt = 0; !descriptor_ && attempt < 100; ++attempt) {
      path_ = target.parent_path() / (".tenfold-" + std::to_string(random()) + ".tmp");
      descriptor_ = Descriptor(
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
      if (!descriptor_ && errno != EEXIST) break;
    }
    if (!descriptor_) fail("cannot create a file in the folder", errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!placed_) ::unlink(path_.c_str());
  }

  void write(Bytes bytes) const { write_to_end(descriptor_.get(), bytes); }
  void take_place() {
    if (const int number = descriptor_.close()) fail("cannot write", number);
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail("cannot replace the file", errno);
    placed_ = true;
  }

 private:
  fs::path target_, path_;
  Descriptor descriptor_;
  bool placed_ = false;
};

// Pipes and devices have no place to take: they are written as they are.
void write_special(const fs::path& path, std::span<const Bytes> pieces) {
  Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor) fail("cannot open for writing", errno);
  for (const Bytes piece : pieces) write_to_end(descriptor.get(), piece);
  if (const int number = descriptor.close()) fail("cannot write", number);
}

// A link stays a link: the file behind it, there already or not, is the one to be replaced.
fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code none;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, none); ++i)
    path = path.parent_path() / fs::read_symlink(path, none);
  return path;
}

void write_whole(const fs::path& path, std::span<const Bytes> pieces) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) fail("cannot write", errno);
  } else if (S_ISDIR(info.st_mode)) {
    fail("cannot write", EISDIR);
  } else if (!S_ISREG(info.st_mode)) {
    return write_special(path, pieces);
  }
  TemporaryFile file(behind_links(path));
  for (const Bytes piece : pieces) file.write(piece);
  file.take_place();
}

}  // namespace

OpenFile open_file(const fs::path& path) {
  if (path == "-") return {Descriptor(::dup(STDIN_FILENO)), -1};
  OpenFile file{Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), -1};
  if (!file.descriptor) fail("cannot open", errno);
  struct stat info = {};
  if (::fstat(file.descriptor.get(), &info) != 0) fail("cannot read", errno);
  if (S_ISREG(info.st_mode)) file.size = info.st_size;
  return file;
}

std::vector<std::byte> read_rest(const OpenFile& file) {
  return read_to_end(file.descriptor.get(),
                     static_cast<std::size_t>(std::max<std::int64_t>(file.size, 0)));
}

void read_at(const Descriptor& file, std::byte* to, std::int64_t size, std::int64_t offset) {
  const std::int64_t end = offset + size;
  while (offset < end) {
    const ssize_t got = ::pread(file.get(), to, static_cast<std::size_t>(end - offset), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", errno);
    if (got == 0)
      throw Error(ErrorCode::kFile, {}, "cannot read", std::to_string(end - offset) + " more bytes",
                  "the end of the file");
    to += got;
    offset += got;
  }
}

std::vector<std::byte> read_file(const fs::path& path) {
  return located(path == "-" ? "standard input" : path.string(),
                 [&] { return read_rest(open_file(path)); });
}

void write_file(const fs::path& path, std::span<const Bytes> pieces) {
  if (path != "-") return located(path.string(), [&] { write_whole(path, pieces); });
  located("standard output", [&] {
    for (const Bytes piece : pieces) write_to_end(STDOUT_FILENO, piece);
  });
}

void write_file(const fs::path& path, Bytes bytes) { write_file(path, std::array{bytes}); }

}  // namespace tenfold::io
