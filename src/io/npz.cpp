#include "io/npz.hpp"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "io/elements.hpp"
#include "io/members.hpp"
#include "io/npy.hpp"

namespace tenfold::io {
namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Source = std::unique_ptr<zip_source_t, Discard>;
using Member = std::unique_ptr<zip_file_t, Discard>;

// libzip's words for an error, as the library's own.
[[noreturn]] void fail(std::string mistake, zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  malformed(std::move(mistake), {}, zip_error_strerror(error));
}

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }

 private:
  zip_error_t error_;
};

// An archive over `source`; takes the source.
Archive open_archive(Source source, int flags) {
  ZipError error;
  Archive archive(zip_open_from_source(source.get(), flags, error.get()));
  if (!archive) fail("not a zip archive", error.get());
  static_cast<void>(source.release());  // the archive's now
  return archive;
}

Archive open_bytes(Bytes bytes) {
  ZipError error;
  Source source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get()));
  if (!source) fail("not a zip archive", error.get());
  return open_archive(std::move(source), ZIP_RDONLY);
}

// The archive's files; folders are left out.
struct Directory {
  std::vector<std::string> names;
  std::vector<zip_uint64_t> indices;
};
Directory list(zip_t* archive) {
  Directory directory;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    if (!name) fail("bad name in the archive", zip_get_error(archive));
    std::string text = name;
    if (text.ends_with('/')) continue;
    directory.names.push_back(std::move(text));
    directory.indices.push_back(static_cast<zip_uint64_t>(i));
  }
  return directory;
}

// Size of the member when unpacked, as the archive says; refused when it cannot be true. Deflate
// spends at least one bit on each 258 bytes, so that it never packs better than 1032 to 1.
std::uint64_t checked_size(zip_t* archive, zip_uint64_t index, std::size_t archive_size) {
  constexpr std::uint64_t kBestRatio = 1032;
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0) fail("bad member", zip_get_error(archive));
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((stat.valid & kNeeded) != kNeeded) malformed("member without a size");
  if (stat.encryption_method != ZIP_EM_NONE)
    throw Error(ErrorCode::kUnsupportedFeature, {}, "encrypted member is not supported");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    throw Error(ErrorCode::kUnsupportedFeature, {}, "compression method not supported",
                "stored (0) or deflated (8)", std::to_string(stat.comp_method));
  if (stat.comp_size > archive_size)
    malformed("member larger than the archive", "at most " + std::to_string(archive_size),
              std::to_string(stat.comp_size));
  const std::uint64_t most =
      stat.comp_method == ZIP_CM_STORE ? stat.comp_size : stat.comp_size * kBestRatio;
  if (stat.size > most)
    malformed("member claims to unpack to too much",
              "at most " + std::to_string(most) + " bytes from " + std::to_string(stat.comp_size),
              std::to_string(stat.size));
  return stat.size;
}

// Reads exactly `size` bytes, or to the end when it comes before; returns how many.
std::size_t read_some(zip_file_t* file, std::byte* to, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const zip_int64_t got = zip_fread(file, to + total, size - total);
    if (got < 0) fail("cannot unpack the member", zip_file_get_error(file));
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

// Unpacks as many bytes as the .npy header asks for and no more; memory is taken only when the
// archive says that they are there.
Tensor read_member(zip_file_t* file, std::uint64_t size, std::optional<DType> wanted) {
  std::vector<std::byte> head(std::min<std::uint64_t>(size, kNpyPreamble));
  std::size_t filled = read_some(file, head.data(), head.size());
  const std::size_t offset = npy_data_offset(Bytes(head).first(filled));
  head.resize(std::min<std::uint64_t>(size, std::max(offset, filled)));
  filled += read_some(file, head.data() + filled, head.size() - filled);
  // A dictionary has more than two characters, so the preamble never reaches into the elements.
  const NpyHeader header = parse_npy_header(Bytes(head).first(filled), wanted);
  const auto needed = static_cast<std::uint64_t>(byte_count(header.dtype, header.shape));
  if (size - header.data_offset < needed)
    malformed("data too short", needed_text(header.dtype, header.shape),
              std::to_string(size - header.data_offset));
  const auto unpack_to = [&](std::byte* to) {
    const std::size_t got = read_some(file, to, needed);
    if (got < needed)
      malformed("data too short", needed_text(header.dtype, header.shape), std::to_string(got));
    // The checksum is compared when the end is seen.
    std::byte rest[4096];
    while (read_some(file, rest, sizeof(rest)) == sizeof(rest)) continue;
  };
  if (header.fortran_order) {
    std::vector<std::byte> columns(needed);
    unpack_to(columns.data());
    return npy_elements(header, columns);
  }
  Tensor tensor(header.dtype, header.shape);
  unpack_to(static_cast<std::byte*>(tensor.data()));
  finish_npy_elements(header, tensor);
  return tensor;
}

}  // namespace

Tensor parse_npz(Bytes bytes, std::string_view member, std::optional<DType> wanted) {
  const Archive archive = open_bytes(bytes);
  const Directory directory = list(archive.get());
  const std::size_t chosen = choose_member(directory.names, member, ".npy");
  return located("member " + in_quotes(directory.names[chosen]), [&] {
    const zip_uint64_t index = directory.indices[chosen];
    const std::uint64_t size = checked_size(archive.get(), index, bytes.size());
    const Member file(zip_fopen_index(archive.get(), index, 0));
    if (!file) fail("cannot open the member", zip_get_error(archive.get()));
    return read_member(file.get(), size, wanted);
  });
}

Tensor read_npz(Bytes bytes, const ReadOptions& options) {
  return located("npz", [&] { return parse_npz(bytes, options.member, options.dtype); });
}

namespace {

void add_member(zip_t* archive, const std::string& name, std::vector<std::byte>& npy) {
  Source source(zip_source_buffer(archive, npy.data(), npy.size(), 0));
  if (!source) fail("cannot write the archive", zip_get_error(archive));
  const zip_int64_t index =
      zip_file_add(archive, (name + ".npy").c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0) fail("cannot write member " + in_quotes(name), zip_get_error(archive));
  static_cast<void>(source.release());  // the archive's now
  // Stored, as numpy.savez does, and dated 1980-01-01: equal tensors make equal files.
  constexpr zip_uint16_t kMidnight = 0, kFirstDay = 1 << 5 | 1;
  const auto entry = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, entry, kMidnight, kFirstDay, 0) != 0)
    fail("cannot write member " + in_quotes(name), zip_get_error(archive));
}

// Everything in a source that an archive was written to.
std::vector<std::byte> contents(zip_source_t* source) {
  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE) ||
      zip_source_open(source) != 0)
    fail("cannot write the archive", zip_source_error(source));
  std::vector<std::byte> out(stat.size);
  const zip_int64_t got = zip_source_read(source, out.data(), out.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(out.size()))
    fail("cannot write the archive", zip_source_error(source));
  return out;
}

}  // namespace

std::vector<std::byte> write_npz(std::span<const NamedView> tensors) {
  std::vector<std::vector<std::byte>> files;  // read when the archive is closed
  files.reserve(tensors.size());
  ZipError error;
  Source source(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!source) fail("cannot write the archive", error.get());
  zip_source_keep(source.get());  // one for the archive, one for reading it back
  Archive archive = open_archive(Source(source.get()), ZIP_TRUNCATE);
  for (const NamedView& t : tensors) {
    files.push_back(write_npy(t.tensor));
    add_member(archive.get(), t.name, files.back());
  }
  if (zip_close(archive.get()) != 0) fail("cannot write the archive", zip_get_error(archive.get()));
  static_cast<void>(archive.release());  // closed
  return contents(source.get());
}

}  // namespace tenfold::io
