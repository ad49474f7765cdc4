// Whole files: reading, and writing that leaves either the whole new file or what was there before.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "io/descriptor.hpp"
#include "io/elements.hpp"

namespace tenfold::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& mistake, int number) {
  throw Error(ErrorCode::kFile, {}, mistake, {}, errno_text(number));
}

// Reads to the end. `expected` is the size a regular file has now; it may lie.
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

  void write(Bytes bytes) { write_to_end(descriptor_.get(), bytes); }
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
void write_special(const fs::path& path, Bytes bytes) {
  Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor) fail("cannot open for writing", errno);
  write_to_end(descriptor.get(), bytes);
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

void write_whole(const fs::path& path, Bytes bytes) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) fail("cannot write", errno);
  } else if (S_ISDIR(info.st_mode)) {
    fail("cannot write", EISDIR);
  } else if (!S_ISREG(info.st_mode)) {
    return write_special(path, bytes);
  }
  TemporaryFile file(behind_links(path));
  file.write(bytes);
  file.take_place();
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& path) {
  if (path == "-") return located("standard input", [] { return read_to_end(STDIN_FILENO, 0); });
  return located(path.string(), [&] {
    const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor) fail("cannot open", errno);
    struct stat info = {};
    if (::fstat(descriptor.get(), &info) != 0) fail("cannot read", errno);
    const bool sized = S_ISREG(info.st_mode) && info.st_size > 0;
    return read_to_end(descriptor.get(), sized ? static_cast<std::size_t>(info.st_size) : 0);
  });
}

void write_file(const fs::path& path, Bytes bytes) {
  if (path == "-") return located("standard output", [&] { write_to_end(STDOUT_FILENO, bytes); });
  located(path.string(), [&] { write_whole(path, bytes); });
}

}  // namespace tenfold::io
