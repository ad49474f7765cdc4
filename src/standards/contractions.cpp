// The table of contraction versions, how a row is found, and the check of the operands' types. To
// add a version, add a line to contraction_rows.inc.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "standards/row_checks.hpp"
#include "standards/type_sets.hpp"
#include "tenfold/error.hpp"
#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

constexpr ContractionRow kContractionRows[] = {
#define X(dialect, name, since, form, types, addend) \
  {Dialect::dialect, name, since, ContractionForm::form, types, AddendForm::addend},
#include "standards/contraction_rows.inc"
#undef X
};

}  // namespace

std::string_view name_of(ContractionForm form) {
  constexpr std::string_view kNames[] = {"einsum", "matmul", "gemm"};
  return kNames[static_cast<int>(form)];
}

std::span<const ContractionRow> contraction_rows() { return kContractionRows; }

const ContractionRow& find_contraction(Dialect dialect, std::string_view name, int version) {
  const ContractionRow* found = nullptr;
  std::string versions;
  std::vector<std::string_view> names;
  for (const ContractionRow& row : kContractionRows) {
    if (row.dialect != dialect) continue;
    names.insert(names.end(), {row.name, name_of(row.form)});
    if (name != row.name && name != name_of(row.form)) continue;
    versions += (versions.empty() ? "" : ", ") + std::to_string(row.since_version);
    const bool holds =
        dialect == Dialect::kOnnx ? row.since_version <= version : row.since_version == version;
    if (version == 0 || dialect == Dialect::kNumpy || holds) found = &row;
  }
  if (versions.empty()) {
    const auto near = nearest_name(name, names);
    throw Error(ErrorCode::kUnknownOperator, std::string(name_of(dialect)), "unknown contraction",
                near ? fmt::format("'{}', the nearest name", *near)
                     : fmt::format("one of {}", fmt::join(names, ", ")),
                fmt::format("'{}'", name));
  }
  if (dialect == Dialect::kOnnx && (version < 0 || version > kNewestOnnxOpset))
    throw Error(ErrorCode::kUnsupportedVersion, std::string(name), "opset not supported",
                fmt::format("1 .. {}", kNewestOnnxOpset), std::to_string(version));
  if (found == nullptr)
    throw Error(ErrorCode::kUnsupportedVersion, std::string(name), "no such operator version",
                versions, std::to_string(version));
  return *found;
}

void check_operand_types(const ContractionRow& row, std::span<const TensorView> operands) {
  if (operands.empty()) return;
  const DType first = operands[0].dtype;
  check_type(contraction_rows(), row, first);
  if (row.dialect == Dialect::kNumpy) {  // mixed types promote
    for (const TensorView& operand : operands) check_type(contraction_rows(), row, operand.dtype);
    return;
  }
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (operands[i].dtype != first)
      throw Error(ErrorCode::kTypeMismatch, label_of(row),
                  fmt::format("operand {} has another type than operand 0", i),
                  std::string(numpy_name_of(first)), std::string(numpy_name_of(operands[i].dtype)));
}

}  // namespace tenfold
