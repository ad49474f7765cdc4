#include "io/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "io/elements.hpp"
#include "io/members.hpp"

namespace tenfold::io {
namespace {

struct TypeRow {
  std::string_view name;
  DType dtype;
};
constexpr TypeRow kTypes[] = {
    {"F64", DType::kF64},   {"F32", DType::kF32}, {"F16", DType::kF16}, {"BF16", DType::kBF16},
    {"I64", DType::kI64},   {"I32", DType::kI32}, {"I16", DType::kI16}, {"I8", DType::kI8},
    {"U64", DType::kU64},   {"U32", DType::kU32}, {"U16", DType::kU16}, {"U8", DType::kU8},
    {"BOOL", DType::kBool}, {"C64", DType::kC64},
};

// One tensor as the header describes it. The shape is not a Dims: a header may list many tensors,
// and this is smaller than its text.
struct Entry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> offsets;  // begin and end, counted behind the header
  unsigned seen = 0;                  // which of dtype, shape, data_offsets stood there
};

// Takes the header's events one by one; the parser calls it without recursion, and nothing deeper
// than the format's three levels is accepted. Problems are thrown as Error.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<std::string> names;
  std::vector<Entry> entries;

  bool start_object(std::size_t) override {
    if (depth_ >= 2 || in_array_) misplaced("an object");
    ++depth_;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1 && !metadata_ && entries.back().seen != 7)
      malformed("bad tensor " + in_quotes(names.back()), "dtype, shape and data_offsets", "fewer");
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      metadata_ = name == "__metadata__";
      if (!metadata_) {
        names.push_back(name);
        entries.emplace_back();
      }
    } else if (!metadata_) {
      constexpr std::string_view kKeys[] = {"dtype", "shape", "data_offsets"};
      field_ = static_cast<unsigned>(std::ranges::find(kKeys, name) - std::begin(kKeys));
      if (field_ == std::size(kKeys) || (entries.back().seen >> field_ & 1))
        malformed("bad tensor " + in_quotes(names.back()),
                  "dtype, shape and data_offsets, once each", in_quotes(name));
      entries.back().seen |= 1u << field_;
    }
    return true;
  }
  bool string(string_t& text) override {
    if (depth_ == 2 && metadata_) return true;
    if (depth_ != 2 || in_array_ || field_ != 0) misplaced("a string");
    entries.back().dtype = text;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || metadata_ || in_array_ || field_ == 0) misplaced("a list");
    in_array_ = true;
    return true;
  }
  bool end_array() override {
    in_array_ = false;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!in_array_) misplaced("a number");
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) misplaced("a number of 2^63 or more");
    std::vector<std::int64_t>& list = field_ == 1 ? entries.back().shape : entries.back().offsets;
    const std::size_t most = field_ == 1 ? kMaxRank : 2;
    if (list.size() == most)
      malformed(std::string(field_ == 1 ? "shape" : "data_offsets") + " too long in " +
                    in_quotes(names.back()),
                "at most " + std::to_string(most) + " numbers", "more");
    list.push_back(static_cast<std::int64_t>(value));
    return true;
  }
  bool number_integer(number_integer_t) override { misplaced("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { misplaced("a fraction"); }
  bool null() override { misplaced("null"); }
  bool boolean(bool) override { misplaced("a boolean"); }
  bool binary(binary_t&) override { misplaced("binary data"); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    malformed("bad safetensors header", "JSON",
              "something else at byte " + std::to_string(position) + " of it");
  }

 private:
  [[noreturn]] void misplaced(const char* got) const {
    malformed("bad safetensors header",
              "{name: {dtype: text, shape: [sizes], data_offsets: [begin, end]}}",
              std::string(got) + (names.empty() ? "" : " at " + in_quotes(names.back())));
  }

  int depth_ = 0;
  unsigned field_ = 0;
  bool in_array_ = false, metadata_ = false;
};

struct Header {
  std::vector<std::string> names;
  std::vector<Entry> entries;
  Bytes data;  // everything behind the header
};

Header read_header(Bytes bytes) {
  constexpr std::size_t kPrefix = 8;
  if (bytes.size() < kPrefix)
    malformed("safetensors file cut off", "8 bytes of header length", std::to_string(bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kPrefix);
  if (length > bytes.size() - kPrefix)
    malformed("safetensors header longer than the file",
              "at most " + std::to_string(bytes.size() - kPrefix) + " bytes",
              std::to_string(length));
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + kPrefix;
  if (length == 0 || *text != '{') malformed("bad safetensors header", "'{' at its begin");
  HeaderReader reader;
  nlohmann::json::sax_parse(text, text + length, &reader);
  return {std::move(reader.names), std::move(reader.entries), bytes.subspan(kPrefix + length)};
}

// Sorted by their begin, the tensors follow each other without a gap and fill the data: that way
// nothing overlaps and nothing lies outside.
void check_offsets(const Header& header) {
  const auto& entries = header.entries;
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    if (entries[i].offsets.size() != 2)
      malformed("bad data_offsets of " + in_quotes(header.names[i]), "begin and end",
                std::to_string(entries[i].offsets.size()) + " numbers");
  }
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::pair(entries[i].offsets[0], entries[i].offsets[1]);
  });
  const auto size = static_cast<std::int64_t>(header.data.size());
  std::int64_t at = 0;
  for (const std::size_t i : order) {
    const std::int64_t begin = entries[i].offsets[0], end = entries[i].offsets[1];
    if (begin != at || end < begin || end > size)
      malformed("bad data_offsets of " + in_quotes(header.names[i]),
                "a range from " + std::to_string(at) + " to at most " + std::to_string(size) +
                    " (no gap, no overlap)",
                std::to_string(begin) + " .. " + std::to_string(end));
    at = end;
  }
  if (at != size)
    malformed("data behind the last tensor", std::to_string(at) + " bytes", std::to_string(size));
}

}  // namespace

Tensor parse_safetensors(Bytes bytes, std::string_view member) {
  const Header header = read_header(bytes);
  check_offsets(header);
  const std::size_t chosen = choose_member(header.names, member);
  const Entry& entry = header.entries[chosen];
  return located("tensor " + in_quotes(header.names[chosen]), [&] {
    const auto row = std::ranges::find(kTypes, entry.dtype, &TypeRow::name);
    if (row == std::end(kTypes))
      throw Error(ErrorCode::kUnsupportedFeature, {}, "element type not supported",
                  "F16 to F64, BF16, I8 to I64, U8 to U64, C64 or BOOL", in_quotes(entry.dtype));
    const auto begin = static_cast<std::size_t>(entry.offsets[0]);
    const auto end = static_cast<std::size_t>(entry.offsets[1]);
    return tensor_from_bytes(header.data.subspan(begin, end - begin), row->dtype,
                             Dims(std::span(entry.shape)), Trailing::kRefused);
  });
}

Tensor read_safetensors(Bytes bytes, const ReadOptions& options) {
  return located("safetensors", [&] { return parse_safetensors(bytes, options.member); });
}

std::vector<std::byte> write_safetensors(std::span<const NamedView> tensors) {
  std::vector<DenseBytes> parts;
  parts.reserve(tensors.size());
  nlohmann::json json = nlohmann::json::object();
  std::size_t at = 0;
  for (const NamedView& t : tensors) {
    parts.emplace_back(t.tensor);
    const std::size_t end = at + parts.back().bytes().size();
    const auto row = std::ranges::find(kTypes, t.tensor.dtype, &TypeRow::dtype);
    if (row == std::end(kTypes))
      throw Error(ErrorCode::kUnsupportedFeature, "tensor " + in_quotes(t.name),
                  "the safetensors format has no such element type", "c64, or another format",
                  std::string(name_of(t.tensor.dtype)));
    json[t.name] = {
        {"dtype", row->name},
        {"shape", std::vector<std::int64_t>(t.tensor.shape.begin(), t.tensor.shape.end())},
        {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data is aligned
  const std::uint64_t length = text.size();
  std::vector<std::byte> out(sizeof(length) + text.size() + at);
  std::memcpy(out.data(), &length, sizeof(length));
  std::byte* to = out.data() + sizeof(length);
  std::memcpy(to, text.data(), text.size());
  to += text.size();
  for (const DenseBytes& part : parts) to = std::ranges::copy(part.bytes(), to).out;
  return out;
}

}  // namespace tenfold::io
