// The standards' operators: one row for each operator version of ONNX and OpenVINO, and what turns
// a node (attributes, axes) into a ReduceSpec; contractions have a table of their own. Rules and
// sources: docs/semantics.md. Called by the graph executor and by the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/reduce.hpp"

namespace tenfold {

enum class Dialect { kOnnx, kOpenVino, kNumpy };
TENFOLD_API std::string_view name_of(Dialect dialect);  // "onnx"

// Where a version takes its axes from.
enum class AxesForm {
  kAttribute,      // ONNX: attribute `axes`, a list
  kOptionalInput,  // ONNX: optional second input, int64, 1-D
  kRequiredInput,  // OpenVINO: second input, any integer type, 0-D or 1-D
  kAxisAttribute,  // ONNX ArgMax, ArgMin: attribute `axis`, one integer, default 0
  kArgument,       // NumPy: a call argument, not a node's
};

struct OperatorRow {
  Dialect dialect;
  std::string_view name;  // "ReduceMax"
  int since_version;      // ONNX: opset the row starts at; OpenVINO: the operator's version
  ReduceOp op;
  DTypeSet types;  // allowed element types of the data
  AxesForm axes_form;
  bool has_noop;         // attribute noop_with_empty_axes exists
  bool has_select_last;  // attribute select_last_index exists
  bool keepdims_default;
};

// Every row, grouped by dialect and name, versions ascending.
TENFOLD_API std::span<const OperatorRow> operator_rows();
// The row that holds at `version` (ONNX: an opset, 1 to 28; OpenVINO: the exact operator version,
// or 0 for the newest; NumPy: ignored). Throws Error(kUnknownOperator) with the nearest name, or
// Error(kUnsupportedVersion).
TENFOLD_API const OperatorRow& find_operator(Dialect dialect, std::string_view name, int version);

// What a node says, as it says it: absent is not the same as a default.
struct ReduceCall {
  std::optional<std::vector<std::int64_t>>
      axes_attribute;                    // `axes`, or `axis` of ArgMax and ArgMin
  std::optional<TensorView> axes_input;  // dtype, shape and data are all checked
  std::optional<std::int64_t> keepdims;  // 0 or 1, nothing else
  std::optional<std::int64_t> noop_with_empty_axes;
  std::optional<std::int64_t> select_last_index;
};

// Checks the call against the row by the rules of docs/semantics.md and returns what to plan;
// `data` gives dtype and rank. Throws Error with code kTypeNotAllowed, kAxisOutOfRange,
// kDuplicateAxis, kAxesRank, kAxesType, kAxesPlace, kAttributeUnknown, kAttributeValue, kEmptyAxis
// or kRankZero.
TENFOLD_API ReduceSpec resolve(const OperatorRow& row, const ReduceCall& call,
                               const TensorView& data);

// What a contraction takes besides its operands.
enum class ContractionForm {
  kEquation,  // Einsum: attribute `equation`, one operand or more
  kMatrices,  // MatMul: two operands, NumPy's matmul
  kAffine,    // Gemm: alpha A B + beta C
};
TENFOLD_API std::string_view name_of(ContractionForm form);  // "einsum", "matmul", "gemm"

// Gemm's third input, C.
enum class AddendForm {
  kNone,     // another operator, which has none
  kFlagged,  // required; stretched to the product's shape only if the attribute `broadcast` says so
  kRequired,  // required; stretched
  kOptional,  // may be left out; stretched
};

struct ContractionRow {
  Dialect dialect;
  std::string_view name;  // "Einsum"
  int since_version;      // as in OperatorRow
  ContractionForm form;
  DTypeSet types;  // allowed element types of the operands
  AddendForm addend;
};

// Every row, grouped by dialect and name, versions ascending.
TENFOLD_API std::span<const ContractionRow> contraction_rows();
// The row that holds at `version`, as in find_operator; 0: the newest in every dialect.
TENFOLD_API const ContractionRow& find_contraction(Dialect dialect, std::string_view name,
                                                   int version);
// The row allows every operand's type, and outside NumPy all operands have one. Throws
// Error(kTypeNotAllowed, kTypeMismatch).
TENFOLD_API void check_operand_types(const ContractionRow& row,
                                     std::span<const TensorView> operands);

// "onnx:18", "onnx" (the newest opset), "openvino", "numpy". Throws Error(kBadArgument).
struct DialectVersion {
  Dialect dialect;
  int version;
};
TENFOLD_API DialectVersion parse_dialect(std::string_view text);
inline constexpr int kNewestOnnxOpset = 28;

// The name in `candidates` that is nearest to `name` by edit distance, if any is near enough to
// suggest.
TENFOLD_API std::optional<std::string> nearest_name(std::string_view name,
                                                    std::span<const std::string_view> candidates);

}  // namespace tenfold
