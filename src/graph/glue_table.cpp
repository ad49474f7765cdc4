#include "graph/glue.hpp"

namespace tenfold::graph {
namespace {

using enum DType;
using Kind = AttributeKind;
constexpr Dialect kOnnx = Dialect::kOnnx, kOpenVino = Dialect::kOpenVino;

// The types of the standards' lists that Tenfold has.
constexpr DTypeSet kFloats{kF16, kF32, kF64};
constexpr DTypeSet kBFloat{kBF16};
constexpr DTypeSet kWide = kFloats | DTypeSet{kI32, kI64, kU32, kU64};
constexpr DTypeSet kNumbers = kWide | DTypeSet{kI8, kI16, kU8, kU16};
constexpr DTypeSet kOld = kNumbers | DTypeSet{kBool};  // everything before bfloat16 came
constexpr DTypeSet kAll = kOld | kBFloat;
// Operators that only move elements take complex numbers too.
constexpr DTypeSet kMovedOld = kOld | DTypeSet{kC64, kC128};
constexpr DTypeSet kMoved = kMovedOld | kBFloat;

// Attributes. `consumed_inputs` was a hint of opset 1 and has no meaning left.
constexpr AttributeRule kConsumed[] = {{"consumed_inputs", Kind::kInts}};
constexpr AttributeRule kValue[] = {{"value", Kind::kTensor}, {"sparse_value", Kind::kOpaque}};
constexpr AttributeRule kAnyValue[] = {
    {"value", Kind::kTensor},      {"sparse_value", Kind::kOpaque}, {"value_int", Kind::kInt},
    {"value_ints", Kind::kInts},   {"value_float", Kind::kFloat},   {"value_floats", Kind::kFloats},
    {"value_string", Kind::kText}, {"value_strings", Kind::kOpaque}};
constexpr AttributeRule kTo[] = {{"to", Kind::kDType, true}};
// `saturate` and `round_mode` matter only for types of 8 bits and fewer.
constexpr AttributeRule kToSaturate[] = {{"to", Kind::kDType, true}, {"saturate", Kind::kInt}};
constexpr AttributeRule kToRound[] = {
    {"to", Kind::kDType, true}, {"saturate", Kind::kInt}, {"round_mode", Kind::kText}};
constexpr AttributeRule kSaturate[] = {{"saturate", Kind::kInt}};
constexpr AttributeRule kRound[] = {{"saturate", Kind::kInt}, {"round_mode", Kind::kText}};
constexpr AttributeRule kShape[] = {{"shape", Kind::kInts}, {"consumed_inputs", Kind::kInts}};
constexpr AttributeRule kAllowZero[] = {{"allowzero", Kind::kInt}};
constexpr AttributeRule kPerm[] = {{"perm", Kind::kInts}};
constexpr AttributeRule kAxes[] = {{"axes", Kind::kInts}};
constexpr AttributeRule kAxesRequired[] = {{"axes", Kind::kInts, true}};
constexpr AttributeRule kAxis[] = {{"axis", Kind::kInt}};
constexpr AttributeRule kBroadcastOld[] = {
    {"axis", Kind::kInt}, {"broadcast", Kind::kInt}, {"consumed_inputs", Kind::kInts}};
constexpr AttributeRule kBroadcast[] = {{"axis", Kind::kInt}, {"broadcast", Kind::kInt}};
constexpr AttributeRule kDestination[] = {{"destination_type", Kind::kDType, true}};
constexpr AttributeRule kSpecialZero[] = {{"special_zero", Kind::kInt, true}};
constexpr AttributeRule kAxisSkip[] = {{"allow_axis_skip", Kind::kInt}};

// A row holds from its version up to the next row of the same operator. Versions that only added
// types which Tenfold does not have need no row. Constant takes every type in every version:
// exporters of the first opsets wrote integer constants that the schema of the time left out.
constexpr GlueRow kRows[] = {
    {kOnnx, "Abs", 1, 1, 1, kFloats, kConsumed, run_abs},
    {kOnnx, "Abs", 6, 1, 1, kNumbers, {}, run_abs},
    {kOnnx, "Abs", 13, 1, 1, kNumbers | kBFloat, {}, run_abs},
    {kOnnx, "Cast", 1, 1, 1, kOld, kTo, run_cast},
    {kOnnx, "Cast", 6, 1, 1, kOld, kTo, run_cast},
    {kOnnx, "Cast", 13, 1, 1, kAll, kTo, run_cast},
    {kOnnx, "Cast", 19, 1, 1, kAll, kToSaturate, run_cast},
    {kOnnx, "Cast", 24, 1, 1, kAll, kToRound, run_cast},
    {kOnnx, "CastLike", 15, 2, 2, kAll, {}, run_cast_like},
    {kOnnx, "CastLike", 19, 2, 2, kAll, kSaturate, run_cast_like},
    {kOnnx, "CastLike", 24, 2, 2, kAll, kRound, run_cast_like},
    {kOnnx, "Constant", 1, 0, 0, kMoved, kValue, run_constant},
    {kOnnx, "Constant", 12, 0, 0, kMoved, kAnyValue, run_constant},
    {kOnnx, "Exp", 1, 1, 1, kFloats, kConsumed, run_exp},
    {kOnnx, "Exp", 6, 1, 1, kFloats, {}, run_exp},
    {kOnnx, "Exp", 13, 1, 1, kFloats | kBFloat, {}, run_exp},
    {kOnnx, "Flatten", 1, 1, 1, kFloats, kAxis, run_flatten},
    {kOnnx, "Flatten", 9, 1, 1, kMovedOld, kAxis, run_flatten},
    {kOnnx, "Flatten", 11, 1, 1, kMovedOld, kAxis, run_flatten},
    {kOnnx, "Flatten", 13, 1, 1, kMoved, kAxis, run_flatten},
    {kOnnx, "Identity", 1, 1, 1, kMovedOld, {}, run_identity},
    {kOnnx, "Identity", 13, 1, 1, kMoved, {}, run_identity},
    {kOnnx, "Log", 1, 1, 1, kFloats, kConsumed, run_log},
    {kOnnx, "Log", 6, 1, 1, kFloats, {}, run_log},
    {kOnnx, "Log", 13, 1, 1, kFloats | kBFloat, {}, run_log},
    {kOnnx, "Mul", 1, 2, 2, kFloats, kBroadcastOld, run_mul},
    {kOnnx, "Mul", 6, 2, 2, kWide, kBroadcast, run_mul},
    {kOnnx, "Mul", 7, 2, 2, kWide, {}, run_mul},
    {kOnnx, "Mul", 13, 2, 2, kWide | kBFloat, {}, run_mul},
    {kOnnx, "Mul", 14, 2, 2, kNumbers | kBFloat, {}, run_mul},
    {kOnnx, "Reshape", 1, 1, 1, kFloats, kShape, run_reshape},
    {kOnnx, "Reshape", 5, 2, 2, kMovedOld, {}, run_reshape},
    {kOnnx, "Reshape", 13, 2, 2, kMoved, {}, run_reshape},
    {kOnnx, "Reshape", 14, 2, 2, kMoved, kAllowZero, run_reshape},
    {kOnnx, "Sqrt", 1, 1, 1, kFloats, kConsumed, run_sqrt},
    {kOnnx, "Sqrt", 6, 1, 1, kFloats, {}, run_sqrt},
    {kOnnx, "Sqrt", 13, 1, 1, kFloats | kBFloat, {}, run_sqrt},
    {kOnnx, "Squeeze", 1, 1, 1, kMovedOld, kAxes, run_squeeze},
    {kOnnx, "Squeeze", 11, 1, 1, kMovedOld, kAxes, run_squeeze},
    {kOnnx, "Squeeze", 13, 1, 2, kMoved, {}, run_squeeze},
    {kOnnx, "Transpose", 1, 1, 1, kMovedOld, kPerm, run_transpose},
    {kOnnx, "Transpose", 13, 1, 1, kMoved, kPerm, run_transpose},
    {kOnnx, "Unsqueeze", 1, 1, 1, kMovedOld, kAxesRequired, run_unsqueeze},
    {kOnnx, "Unsqueeze", 11, 1, 1, kMovedOld, kAxesRequired, run_unsqueeze},
    {kOnnx, "Unsqueeze", 13, 2, 2, kMoved, {}, run_unsqueeze},

    {kOpenVino, "Convert", 1, 1, 1, kAll, kDestination, run_cast},
    {kOpenVino, "Reshape", 1, 2, 2, kAll, kSpecialZero, run_reshape},
    {kOpenVino, "Squeeze", 1, 1, 2, kAll, {}, run_squeeze},
    {kOpenVino, "Squeeze", 15, 1, 2, kAll, kAxisSkip, run_squeeze},
    {kOpenVino, "Transpose", 1, 2, 2, kAll, {}, run_transpose},
    {kOpenVino, "Unsqueeze", 1, 2, 2, kAll, {}, run_unsqueeze},
};

}  // namespace

std::span<const GlueRow> glue_rows() { return kRows; }

std::string label_of(const GlueRow& row) {
  return std::string(row.name) + "-" + std::to_string(row.since_version);
}

void GlueCall::fail(ErrorCode code, std::string what, std::string expected, std::string got) const {
  throw Error(code, label_of(row), std::move(what), std::move(expected), std::move(got));
}

}  // namespace tenfold::graph
