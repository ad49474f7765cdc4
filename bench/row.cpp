#include "row.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>
#include <utility>

#include "tenfold/error.hpp"

namespace tenfold::bench {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kHuge = std::int64_t{4} << 20;  // NumPy asks for huge pages from here on

[[noreturn]] void refuse(const std::string& row, std::string what, std::string got) {
  throw Error(ErrorCode::kBadArgument, "row '" + row + "'", std::move(what), {}, std::move(got));
}

Dims integers(const std::string& text, char separator, const std::string& row) {
  Dims list;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t value = 0;
    const auto [next, bad] = std::from_chars(at, end, value);
    if (bad != std::errc() || list.size() == kMaxRank) refuse(row, "not a list", text);
    list.push_back(value);
    if (next == end) return list;
    if (*next != separator) refuse(row, "not a list", text);
    at = next + 1;
  }
}

// "2x3,3x4": the shapes of several operands.
std::vector<Dims> shapes_of(const std::string& text, const std::string& row) {
  std::vector<Dims> shapes;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');)
    shapes.push_back(integers(part, 'x', row));
  return shapes;
}

ReduceOp operator_of(const std::string& name, const std::string& row) {
  std::string word = name.starts_with("Reduce") ? name.substr(6) : name;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto op = parse_reduce_op(word);
  if (!op) refuse(row, "unknown operator", name);
  return *op;
}

}  // namespace

TensorView Row::view(std::size_t operand, const void* data) const {
  const TensorView memory(data, dtype, shapes[operand]);
  return perm.empty() ? memory : permuted(memory, perm);
}

Row parse_row(const std::string& text) {
  Row row;
  std::istringstream words(text);
  std::string word;
  words >> word;
  row.is_einsum = word == "einsum";
  if (row.is_einsum) {
    const auto open = text.find('\''), close = text.rfind('\'');
    if (open == close) refuse(text, "no equation in quotes", text);
    row.einsum.equation = text.substr(open + 1, close - open - 1);
    words.seekg(static_cast<std::streamoff>(close + 1));
  } else {
    row.spec.op = operator_of(word, text);
  }
  while (words >> word) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "dt") {
      const auto dtype = parse_dtype(value);
      if (!dtype) refuse(text, "unknown type", value);
      row.dtype = *dtype;
    } else if (name == "shape") {
      row.shapes = {integers(value, 'x', text)};
    } else if (name == "shapes") {
      row.shapes = shapes_of(value, text);
    } else if (name == "axes" && value != "all") {
      row.spec.axes = integers(value, ',', text);
    } else if (name == "keepdims") {
      row.spec.keepdims = value == "1";
    } else if (name == "perm") {
      row.perm = integers(value, ',', text);
    } else if (name != "axes" && name != "range") {
      refuse(text, "unknown field", word);
    }
  }
  // One axis of many is what ArgMax takes; "all" of a vector is that axis.
  if ((row.spec.op == ReduceOp::kArgMax || row.spec.op == ReduceOp::kArgMin) && !row.spec.axes) {
    row.spec.axes = Dims{0};
  }
  return row;
}

Buffer::Buffer(std::int64_t bytes) : bytes_(bytes) {
  const auto size = static_cast<std::size_t>(bytes + kPage);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(ErrorCode::kOutOfMemory, "Buffer", "no memory");
  base_ = static_cast<std::byte*>(memory);
  if (bytes >= kHuge) madvise(base_, size, MADV_HUGEPAGE);
}

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Buffer::~Buffer() {
  if (base_ != nullptr) munmap(base_, static_cast<std::size_t>(bytes_ + kPage));
}

}  // namespace tenfold::bench
