// load and save: the format by the file's suffix, "file.npz:name" for one of several tensors.
#include <array>
#include <cctype>
#include <utility>

#include "io/elements.hpp"
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

std::vector<std::byte> raw_bytes(const TensorView& tensor) {
  const DenseBytes dense(tensor);
  return {dense.bytes().begin(), dense.bytes().end()};
}

std::vector<std::byte> written(const TensorView& tensor, const Target& target) {
  const auto named = [&](const char* otherwise) {
    return std::array{NamedView{target.member.empty() ? otherwise : target.member, tensor}};
  };
  switch (target.format) {
    case Format::kNpy:
      return write_npy(tensor);
    case Format::kNpz:
      return write_npz(named("arr_0"));  // NumPy's name for the first nameless array
    case Format::kTensorProto:
      return write_tensor_proto(tensor);
    case Format::kSafetensors:
      return write_safetensors(named("tensor"));
    case Format::kRaw:
      return raw_bytes(tensor);
  }
  __builtin_unreachable();
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
  const std::vector<std::byte> bytes = read_file(target.path);
  const std::string where = path == "-" ? "standard input" : target.path.string();
  return located(where, [&] { return parse(bytes, target, all); });
}

void save(const std::string& path, const TensorView& tensor) {
  const Target target = parse_target(path);
  const std::vector<std::byte> bytes =
      located(target.path.string(), [&] { return written(tensor, target); });
  write_file(target.path, bytes);
}

}  // namespace tenfold::io
