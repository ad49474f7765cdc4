// load and save: the format by the file's suffix, "file.npz:name" for one of several tensors.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "io/elements.hpp"
#include "io/file.hpp"
#include "io/members.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "io/tensor_proto.hpp"

namespace tenfold::io {
namespace {

namespace fs = std::filesystem;

enum class Format { kNpy, kNpz, kTensorProto, kSafetensors, kRaw };
struct Suffix {
  std::string_view text;
  Format format;
};
constexpr Suffix kSuffixes[] = {
    {".npy", Format::kNpy},        {".npz", Format::kNpz},
    {".pb", Format::kTensorProto}, {".safetensors", Format::kSafetensors},
    {".raw", Format::kRaw},        {".bin", Format::kRaw},
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

struct Target {
  fs::path path;
  std::string member;
  Format format = Format::kNpy;
};

// "file.npz:name" names a member; a file whose own name has that form is taken as it is.
Target parse_target(const std::string& text) {
  Target target{text, {}, Format::kNpy};
  if (text == "-") return target;
  const std::string small = lower(text);
  std::error_code ignored;
  for (const std::string_view container : {".npz:", ".safetensors:"}) {
    const std::size_t at = small.find(container);
    if (at == small.npos || fs::exists(text, ignored)) continue;
    const std::size_t end = at + container.size();
    target.path = text.substr(0, end - 1);
    target.member = text.substr(end);
  }
  const std::string suffix = lower(target.path.extension().string());
  for (const Suffix& row : kSuffixes) {
    if (row.text != suffix) continue;
    target.format = row.format;
    return target;
  }
  throw Error(ErrorCode::kBadArgument, text, "format not known by the suffix",
              "a name ending in .npy, .npz, .pb, .safetensors, .raw or .bin",
              suffix.empty() ? "none" : in_quotes(suffix));
}

Tensor parse_raw(Bytes bytes, const ReadOptions& options) {
  if (!options.dtype || !options.shape)
    throw Error(ErrorCode::kBadArgument, {}, "raw data does not say what it is",
                "a dtype and a shape", options.dtype ? "no shape" : "no dtype");
  return tensor_from_bytes(bytes, *options.dtype, *options.shape, Trailing::kRefused);
}

// The elements of a row-major .npy file go straight into the tensor: for large files, half the
// memory. Nothing when the file is a pipe or column-major, which the way over all bytes does.
std::optional<Tensor> read_npy_file(const OpenFile& file, std::optional<DType> wanted) {
  if (file.size < 0) return std::nullopt;
  const auto first = [&](std::size_t size) {
    std::vector<std::byte> head(std::min(size, static_cast<std::size_t>(file.size)));
    read_at(file.descriptor, head.data(), static_cast<std::int64_t>(head.size()), 0);
    return head;
  };
  const std::size_t offset = npy_data_offset(first(kNpyPreamble));
  const NpyHeader header = parse_npy_header(first(offset), wanted);
  if (header.fortran_order) return std::nullopt;
  const auto begin = static_cast<std::int64_t>(header.data_offset);
  if (file.size - begin < byte_count(header.dtype, header.shape))
    malformed("data too short", needed_text(header.dtype, header.shape),
              std::to_string(file.size - begin));
  Tensor tensor(header.dtype, header.shape);
  read_at(file.descriptor, static_cast<std::byte*>(tensor.data()), tensor.bytes(), begin);
  finish_npy_elements(header, tensor);
  return tensor;
}

Tensor parse(Bytes bytes, const Target& target, const ReadOptions& options) {
  switch (target.format) {
    case Format::kNpy:
      return parse_npy(bytes, options.dtype);
    case Format::kNpz:
      return parse_npz(bytes, options.member, options.dtype);
    case Format::kTensorProto:
      return parse_tensor_proto(bytes, target.path.parent_path()).tensor;
    case Format::kSafetensors:
      return parse_safetensors(bytes, options.member);
    case Format::kRaw:
      return parse_raw(bytes, options);
  }
  __builtin_unreachable();
}

// The formats that keep the elements apart from what describes them need no copy.
void write_elements(const Target& target, const std::string& head, const TensorView& tensor) {
  const DenseBytes dense = located(target.path == "-" ? "standard output" : target.path.string(),
                                   [&] { return DenseBytes(tensor); });
  write_file(target.path, std::array{Bytes(std::as_bytes(std::span(head))), dense.bytes()});
}

}  // namespace

Tensor read_raw(Bytes bytes, const ReadOptions& options) {
  return located("raw", [&] { return parse_raw(bytes, options); });
}

Tensor load(const std::string& path, const ReadOptions& options) {
  const Target target = parse_target(path);
  ReadOptions all = options;
  if (!target.member.empty()) {
    if (!options.member.empty() && options.member != target.member)
      throw Error(ErrorCode::kBadArgument, path, "two members named", in_quotes(target.member),
                  in_quotes(options.member));
    all.member = target.member;
  }
  return located(path == "-" ? "standard input" : target.path.string(), [&] {
    const OpenFile file = open_file(target.path);
    if (target.format == Format::kNpy)
      if (auto tensor = read_npy_file(file, options.dtype)) return *std::move(tensor);
    return parse(read_rest(file), target, all);
  });
}

void save(const std::string& path, const TensorView& tensor) {
  const Target target = parse_target(path);
  const auto named = [&](const char* otherwise) {
    return std::array{NamedView{target.member.empty() ? otherwise : target.member, tensor}};
  };
  const auto encoded = [&](auto&& encode) {
    write_file(target.path, Bytes(located(target.path.string(), encode)));
  };
  switch (target.format) {
    case Format::kNpy:
      return write_elements(target, npy_header(tensor.dtype, tensor.shape), tensor);
    case Format::kRaw:
      return write_elements(target, {}, tensor);
    case Format::kNpz:  // NumPy's name for the first nameless array
      return encoded([&] { return write_npz(named("arr_0")); });
    case Format::kSafetensors:
      return encoded([&] { return write_safetensors(named("tensor")); });
    case Format::kTensorProto:
      return encoded([&] { return write_tensor_proto(tensor); });
  }
}

}  // namespace tenfold::io
