// What the tables of operator versions share: how a row is called in messages, and the check of an
// element type. Included by resolve.cpp and contractions.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tenfold/error.hpp"
#include "tenfold/standards.hpp"

namespace tenfold {

// "ReduceMax-18"; NumPy's functions have no versions.
template <class Row>
std::string label_of(const Row& row) {
  if (row.dialect == Dialect::kNumpy) return std::string(row.name);
  return fmt::format("{}-{}", row.name, row.since_version);
}

// What the document calls its version numbers: ONNX counts opsets.
template <class Row>
std::string_view version_word(const Row& row) {
  return row.dialect == Dialect::kOnnx ? "opset" : "version";
}

// The first row of the same operator for which `holds` is true, or nullptr.
template <class Row, class Predicate>
const Row* first_version_where(std::span<const Row> rows, const Row& row, Predicate holds) {
  for (const Row& other : rows)
    if (other.dialect == row.dialect && other.name == row.name && holds(other)) return &other;
  return nullptr;
}

inline std::string list_types(DTypeSet types) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kDTypeCount; ++i)
    if (types.contains(static_cast<DType>(i)))
      names.push_back(numpy_name_of(static_cast<DType>(i)));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Throws Error(kTypeNotAllowed), with the version that allows the type if there is one.
template <class Row>
void check_type(std::span<const Row> rows, const Row& row, DType dtype) {
  if (row.types.contains(dtype)) return;
  std::string expected = list_types(row.types);
  const auto allows = [&](const Row& r) { return r.types.contains(dtype); };
  if (const Row* other = first_version_where(rows, row, allows))
    expected += fmt::format(" ({} is allowed {} {} {})", numpy_name_of(dtype),
                            other->since_version > row.since_version ? "from" : "before",
                            version_word(row), std::max(other->since_version, row.since_version));
  throw Error(ErrorCode::kTypeNotAllowed, label_of(row), "element type not allowed",
              std::move(expected), std::string(numpy_name_of(dtype)));
}

}  // namespace tenfold
