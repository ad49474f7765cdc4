// The table of operator versions and how a row is found by name. To add a version, add a line to
// operator_rows.inc.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "standards/type_sets.hpp"
#include "tenfold/error.hpp"
#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

constexpr OperatorRow kRows[] = {
#define X(dialect, name, since, op, types, axes_form, noop, select_last, keepdims) \
  {Dialect::dialect,    name, since,       ReduceOp::op, types,                    \
   AxesForm::axes_form, noop, select_last, keepdims},
#include "standards/operator_rows.inc"
#undef X
};

// The name under which NumPy rows are found too, for the operators whose standards' name is not in
// an ONNX row.
std::string_view standard_name(ReduceOp op) {
  for (const OperatorRow& row : kRows)
    if (row.op == op && row.dialect != Dialect::kNumpy) return row.name;
  return {};
}

bool answers_to(const OperatorRow& row, std::string_view name) {
  if (name == row.name || name == name_of(row.op)) return true;
  return row.dialect == Dialect::kNumpy && name == standard_name(row.op);
}

[[noreturn]] void throw_unknown_operator(Dialect dialect, std::string_view name) {
  std::vector<std::string_view> full, all;
  for (const OperatorRow& row : kRows) {
    if (row.dialect != dialect || (!full.empty() && full.back() == row.name)) continue;
    full.push_back(row.name);
  }
  all = full;
  for (const OperatorRow& row : kRows)
    if (row.dialect == dialect) all.push_back(name_of(row.op));
  std::string expected;
  if (const auto near = nearest_name(name, all))
    expected = fmt::format("'{}', the nearest name", *near);
  else
    expected = fmt::format("one of {}", fmt::join(full, ", "));
  for (const OperatorRow& row : kRows)
    if (row.dialect != dialect && answers_to(row, name)) {
      expected += fmt::format(" ('{}' exists in the {} dialect)", name, name_of(row.dialect));
      break;
    }
  throw Error(ErrorCode::kUnknownOperator, std::string(name_of(dialect)), "unknown operator",
              std::move(expected), fmt::format("'{}'", name));
}

}  // namespace

std::string_view name_of(Dialect dialect) {
  constexpr std::string_view kNames[] = {"onnx", "openvino", "numpy"};
  return kNames[static_cast<int>(dialect)];
}

std::span<const OperatorRow> operator_rows() { return kRows; }

const OperatorRow& find_operator(Dialect dialect, std::string_view name, int version) {
  const OperatorRow* found = nullptr;
  std::string versions;
  for (const OperatorRow& row : kRows) {
    if (row.dialect != dialect || !answers_to(row, name)) continue;
    versions += (versions.empty() ? "" : ", ") + std::to_string(row.since_version);
    const bool holds = dialect == Dialect::kOnnx ? row.since_version <= version
                       : dialect == Dialect::kOpenVino
                           ? version == 0 || row.since_version == version
                           : true;
    if (holds) found = &row;
  }
  if (versions.empty()) throw_unknown_operator(dialect, name);
  if (dialect == Dialect::kOnnx && (version < 1 || version > kNewestOnnxOpset))
    throw Error(ErrorCode::kUnsupportedVersion, std::string(name), "opset not supported",
                fmt::format("1 .. {}", kNewestOnnxOpset), std::to_string(version));
  if (found == nullptr)
    throw Error(ErrorCode::kUnsupportedVersion, std::string(name), "no such operator version",
                versions, std::to_string(version));
  return *found;
}

DialectVersion parse_dialect(std::string_view text) {
  if (text == "openvino") return {Dialect::kOpenVino, 0};
  if (text == "numpy") return {Dialect::kNumpy, 0};
  if (text == "onnx") return {Dialect::kOnnx, kNewestOnnxOpset};
  if (text.starts_with("onnx:")) {
    const std::string_view digits = text.substr(5);
    int opset = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), opset);
    if (problem == std::errc() && end == digits.data() + digits.size() && opset >= 1 &&
        opset <= kNewestOnnxOpset)
      return {Dialect::kOnnx, opset};
  }
  throw Error(ErrorCode::kBadArgument, "dialect", "unknown dialect",
              fmt::format("'onnx', 'onnx:1' .. 'onnx:{}', 'openvino' or 'numpy'", kNewestOnnxOpset),
              fmt::format("'{}'", text));
}

}  // namespace tenfold
