#include "io/npy.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "io/elements.hpp"

namespace tenfold::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void unsupported(std::string what, std::string expected, std::string got) {
  throw Error(ErrorCode::kUnsupportedFeature, {}, std::move(what), std::move(expected),
              std::move(got));
}

// The header's dictionary as Python writes it: the keys descr, fortran_order and shape, once each
// and in any order; white space anywhere; a comma after the last entry or not. No escapes.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) { parse(); }

  std::string_view descr;
  bool fortran_order = false;
  Dims shape;

 private:
  void parse() {
    expect('{');
    unsigned seen = 0;
    while (!accept('}')) {
      seen |= entry(seen);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("the end of the header");
    if (seen != 7) malformed("bad .npy header", "the keys descr, fortran_order and shape", "fewer");
  }

  // One `key: value`; returns the key's bit.
  unsigned entry(unsigned seen) {
    constexpr std::string_view kKeys[] = {"descr", "fortran_order", "shape"};
    const std::string_view key = string();
    const auto index = static_cast<unsigned>(std::ranges::find(kKeys, key) - std::begin(kKeys));
    if (index == std::size(kKeys) || (seen >> index & 1))
      malformed("bad .npy header", "the keys descr, fortran_order and shape, once each",
                in_quotes(key));
    expect(':');
    if (index == 0)
      type();
    else if (index == 1)
      fortran_order = boolean();
    else
      tuple();
    return 1u << index;
  }

  void type() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      unsupported("structured elements are not supported", "a number or bool type", "a record");
    descr = string();
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    fail("True or False");
  }

  // (), (3,), (2, 3), (2, 3,); (3) is a number in Python, not a tuple.
  void tuple() {
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("',' or ')'");
      if (shape.size() == kMaxRank)
        throw Error(ErrorCode::kRankTooLarge, {}, "rank too large",
                    "at most " + std::to_string(kMaxRank), "more");
      shape.push_back(extent());
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) fail("a comma in a tuple of one");
  }

  std::int64_t extent() {
    skip_space();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range)
      throw Error(ErrorCode::kSizeOverflow, {}, "extent too large", "extents below 2^63",
                  std::string(begin, stop));
    if (error != std::errc{}) fail("an extent");
    at_ += static_cast<std::size_t>(stop - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote its long integers so
    if (value < 0) malformed("negative extent in .npy header", "0 or more", std::to_string(value));
    return value;
  }

  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("a closing quote");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    if (value.find('\\') != value.npos) fail("a string without escapes");
    at_ = end + 1;
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n\f", text_[at_]) && text_[at_]) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(in_quotes({&c, 1}));
  }
  [[noreturn]] void fail(const std::string& expected) const {
    malformed("bad .npy header", expected + " at byte " + std::to_string(at_) + " of it",
              at_ < text_.size() ? in_quotes(text_.substr(at_, 12)) : "its end");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Element types as NumPy abbreviates them, without the byte order.
struct Code {
  std::string_view code;
  DType dtype;
};
constexpr Code kCodes[] = {
    {"b1", DType::kBool}, {"?", DType::kBool}, {"i1", DType::kI8},    {"i2", DType::kI16},
    {"i4", DType::kI32},  {"i8", DType::kI64}, {"u1", DType::kU8},    {"u2", DType::kU16},
    {"u4", DType::kU32},  {"u8", DType::kU64}, {"f2", DType::kF16},   {"f4", DType::kF32},
    {"f8", DType::kF64},  {"c8", DType::kC64}, {"c16", DType::kC128}, {"V2", DType::kBF16},
};

// Sets dtype and swapped.
void read_descr(std::string_view descr, std::optional<DType> wanted, NpyHeader& header) {
  const bool has_order = !descr.empty() && std::strchr("<>|=", descr[0]) && descr[0];
  const char order = has_order ? descr[0] : '=';
  const std::string_view code = descr.substr(has_order ? 1 : 0);
  const auto row = std::ranges::find(kCodes, code, &Code::code);
  if (row == std::end(kCodes))
    unsupported("element type not supported", "b1, i1 to i8, u1 to u8, f2, f4, f8, c8, c16 or V2",
                in_quotes(descr));
  if (row->dtype == DType::kBF16) {
    if (wanted != DType::kBF16)
      unsupported("2-byte void elements, as NumPy keeps bfloat16", "the type bf16 to be asked for",
                  wanted ? std::string(name_of(*wanted)) : "none");
    if (order == '>')
      unsupported("element type not supported", "bfloat16 in little-endian order",
                  in_quotes(descr));
  }
  header.dtype = row->dtype;
  header.swapped = order == '>' && size_of(row->dtype) > 1;
}

// The parts of a complex number are swapped each by itself.
template <class T>
void swap_words(Tensor& tensor) {
  constexpr std::int64_t kWord = sizeof(T) / (is_complex_type<T> ? 2 : 1);
  auto* at = static_cast<std::byte*>(tensor.data());
  for (auto* end = at + tensor.bytes(); at != end; at += kWord) std::reverse(at, at + kWord);
}

void swap_bytes(Tensor& tensor) {
  visit_dtype(tensor.dtype(), [&]<class T>() { swap_words<T>(tensor); });
}

// Column-major: the first axis is dense.
Dims fortran_strides(const Dims& shape) {
  Dims strides;
  std::int64_t step = 1;
  for (const std::int64_t extent : shape) {
    strides.push_back(step);
    step *= std::max<std::int64_t>(extent, 1);
  }
  return strides;
}

std::string descr_of(DType dtype) {
  const auto row = std::ranges::find(kCodes, dtype, &Code::dtype);
  const bool ordered = size_of(dtype) > 1 && dtype != DType::kBF16;
  std::string descr(1, ordered ? '<' : '|');
  descr += row->code;
  return descr;
}

}  // namespace

std::size_t npy_data_offset(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view first = text.substr(0, kMagic.size());
  if (!kMagic.starts_with(first))
    malformed("not an .npy file", "the first bytes \\x93NUMPY", in_quotes(first));
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  if (bytes.size() < 8)
    malformed(".npy file cut off", "8 bytes of magic and version", std::to_string(bytes.size()));
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    throw Error(ErrorCode::kUnsupportedFeature, {}, ".npy version not supported", "1.0, 2.0 or 3.0",
                std::to_string(version) + "." + std::to_string(byte(7)));
  const std::size_t preamble = version == 1 ? 10 : kNpyPreamble;
  if (bytes.size() < preamble)
    malformed(".npy file cut off", std::to_string(preamble) + " bytes before the dictionary",
              std::to_string(bytes.size()));
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kNpyLongestDictionary)
    malformed(".npy header too long", "at most " + std::to_string(kNpyLongestDictionary) + " bytes",
              std::to_string(length));
  return preamble + length;
}

NpyHeader parse_npy_header(Bytes bytes, std::optional<DType> wanted) {
  NpyHeader header;
  header.data_offset = npy_data_offset(bytes);
  if (bytes.size() < header.data_offset)
    malformed(".npy file cut off in its header", std::to_string(header.data_offset) + " bytes",
              std::to_string(bytes.size()));
  const std::size_t preamble = bytes[6] == std::byte{1} ? 10 : kNpyPreamble;
  const char* text = reinterpret_cast<const char*>(bytes.data());
  const Dictionary dictionary({text + preamble, header.data_offset - preamble});
  read_descr(dictionary.descr, wanted, header);
  header.fortran_order = dictionary.fortran_order;
  header.shape = dictionary.shape;
  byte_count(header.dtype, header.shape);  // throws
  return header;
}

Tensor npy_elements(const NpyHeader& header, Bytes data) {
  const Dims& shape = header.shape;
  if (data.size() < static_cast<std::size_t>(byte_count(header.dtype, shape)))
    malformed("data too short", needed_text(header.dtype, shape), std::to_string(data.size()));
  const Dims strides = header.fortran_order ? fortran_strides(shape) : contiguous_strides(shape);
  Tensor tensor = Tensor::copy_of(TensorView(data.data(), header.dtype, shape, strides));
  finish_npy_elements(header, tensor);
  return tensor;
}

void finish_npy_elements(const NpyHeader& header, Tensor& tensor) {
  if (header.swapped) swap_bytes(tensor);
  normalise_bools(tensor);
}

Tensor parse_npy(Bytes bytes, std::optional<DType> wanted) {
  const NpyHeader header = parse_npy_header(bytes, wanted);
  return npy_elements(header, bytes.subspan(header.data_offset));
}

std::string npy_header(DType dtype, const Dims& shape) {
  // Version 1 always does: its dictionary may have 65535 bytes, and rank 64 needs no 1500.
  std::string text = "{'descr': '" + descr_of(dtype) +
                     "', 'fortran_order': False, 'shape': " + to_string(shape) + ", }";
  constexpr std::size_t kPreamble = 10, kAlign = 64;
  const std::size_t total = (kPreamble + text.size() + 1 + kAlign - 1) / kAlign * kAlign;
  text.resize(total - kPreamble - 1, ' ');
  text += '\n';
  std::string out(kMagic);
  out += {'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return out + text;
}

Tensor read_npy(Bytes bytes, const ReadOptions& options) {
  return located("npy", [&] { return parse_npy(bytes, options.dtype); });
}

std::vector<std::byte> write_npy(const TensorView& tensor) {
  return located("npy", [&] {
    const DenseBytes dense(tensor);
    const std::string header = npy_header(tensor.dtype, tensor.shape);
    const Bytes data = dense.bytes();
    std::vector<std::byte> out(header.size() + data.size());
    std::memcpy(out.data(), header.data(), header.size());
    if (!data.empty()) std::memcpy(out.data() + header.size(), data.data(), data.size());
    return out;
  });
}

}  // namespace tenfold::io
