#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "standards/type_names_testing.hpp"
#include "tenfold/error.hpp"
#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

using testing::Names;
using testing::names_of;

// What the ONNX documents say, written as what each opset changed rather than as rows.
struct OnnxHistory {
  std::vector<int> versions;
  std::map<int, Names> adds, removes;
  int axes_input_from = 0, bool_attribute_from = 0;  // 0: never
};

const Names kHighPrecision = {"u32", "u64", "i32", "i64", "f16", "f32", "f64"};

std::map<std::string, OnnxHistory> onnx_histories() {
  const Names ints = {"i32", "i64", "u32", "u64"};
  std::map<std::string, OnnxHistory> all;
  for (const char* name : {"ReduceMax", "ReduceMin"})
    all[name] = {{1, 11, 12, 13, 18, 20},
                 {{1, kHighPrecision}, {12, {"i8", "u8"}}, {13, {"bf16"}}, {20, {"bool"}}},
                 {},
                 18,
                 18};
  all["ReduceSum"] = {{1, 11, 13}, {{1, kHighPrecision}, {13, {"bf16"}}}, {}, 13, 13};
  for (const char* name : {"ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare"})
    all[name] = {{1, 11, 13, 18}, {{1, kHighPrecision}, {13, {"bf16"}}}, {}, 18, 18};
  for (const char* name : {"ReduceLogSum", "ReduceLogSumExp"})
    all[name] = {{1, 11, 13, 18, 28}, {{1, kHighPrecision}, {13, {"bf16"}}}, {{28, ints}}, 18, 18};
  Names every = kHighPrecision;
  every.insert({"i8", "i16", "u8", "u16"});
  for (const char* name : {"ArgMax", "ArgMin"})
    all[name] = {{1, 11, 12, 13}, {{1, every}, {13, {"bf16"}}}, {}, 0, 12};
  return all;
}

TEST(Operators, OnnxRowsOfEveryOpset) {
  for (const auto& [name, history] : onnx_histories()) {
    for (int opset = 1; opset <= 28; ++opset) {
      SCOPED_TRACE(name + " opset " + std::to_string(opset));
      int since = 0;
      for (int version : history.versions)
        if (version <= opset) since = version;
      Names types;
      for (const auto& [from, added] : history.adds)
        if (from <= opset) types.insert(added.begin(), added.end());
      for (const auto& [from, removed] : history.removes)
        if (from <= opset)
          for (const std::string& type : removed) types.erase(type);
      const OperatorRow& row = find_operator(Dialect::kOnnx, name, opset);
      const bool arg = name.starts_with("Arg");
      EXPECT_EQ(row.name, name);
      EXPECT_EQ(row.since_version, since);
      EXPECT_EQ(names_of(row.types), types);
      EXPECT_TRUE(row.keepdims_default);
      EXPECT_EQ(row.axes_form, arg                                ? AxesForm::kAxisAttribute
                               : opset >= history.axes_input_from ? AxesForm::kOptionalInput
                                                                  : AxesForm::kAttribute);
      EXPECT_EQ(row.has_noop, !arg && opset >= history.bool_attribute_from);
      EXPECT_EQ(row.has_select_last, arg && opset >= history.bool_attribute_from);
    }
  }
}

TEST(Operators, OpenVinoRows) {
  const Names numeric = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                         "u32", "u64", "f16", "bf16", "f32", "f64"};
  const std::map<std::string, int> versions = {
      {"ReduceL1", 4},   {"ReduceL2", 4},         {"ReduceSum", 1},
      {"ReduceMean", 1}, {"ReduceMax", 1},        {"ReduceMin", 1},
      {"ReduceProd", 1}, {"ReduceLogicalAnd", 1}, {"ReduceLogicalOr", 1}};
  for (const auto& [name, version] : versions) {
    SCOPED_TRACE(name);
    for (int asked : {0, version}) {
      const OperatorRow& row = find_operator(Dialect::kOpenVino, name, asked);
      EXPECT_EQ(row.since_version, version);
      EXPECT_EQ(names_of(row.types),
                name.find("Logical") == std::string::npos ? numeric : Names{"bool"});
      EXPECT_EQ(row.axes_form, AxesForm::kRequiredInput);
      EXPECT_FALSE(row.keepdims_default);
      EXPECT_FALSE(row.has_noop);
      EXPECT_FALSE(row.has_select_last);
    }
  }
}

TEST(Operators, CountOfRows) {
  std::map<Dialect, int> count;
  for (const OperatorRow& row : operator_rows()) ++count[row.dialect];
  int onnx = 0;
  for (const auto& [name, history] : onnx_histories())
    onnx += static_cast<int>(history.versions.size());
  EXPECT_EQ(count[Dialect::kOnnx], onnx);
  EXPECT_EQ(count[Dialect::kOpenVino], 9);
  EXPECT_EQ(count[Dialect::kNumpy], 14);
}

TEST(Operators, EachNameMeansItsOperator) {
  const std::map<std::string, std::string> short_names = {
      {"ReduceSum", "sum"},        {"ReduceMean", "mean"},     {"ReduceMax", "max"},
      {"ReduceMin", "min"},        {"ReduceProd", "prod"},     {"ReduceL1", "l1"},
      {"ReduceL2", "l2"},          {"ReduceLogSum", "logsum"}, {"ReduceLogSumExp", "logsumexp"},
      {"ArgMax", "argmax"},        {"ArgMin", "argmin"},       {"ReduceSumSquare", "sumsquare"},
      {"ReduceLogicalAnd", "all"}, {"ReduceLogicalOr", "any"}};
  for (const OperatorRow& row : operator_rows()) {
    if (row.dialect == Dialect::kNumpy) {
      EXPECT_EQ(row.name, name_of(row.op));
    } else {
      EXPECT_EQ(short_names.at(std::string(row.name)), name_of(row.op));
    }
  }
  for (const auto& [full, brief] : short_names) {
    SCOPED_TRACE(full);
    const OperatorRow& row = find_operator(Dialect::kNumpy, full, 0);
    EXPECT_EQ(row.name, brief);
    EXPECT_EQ(&row, &find_operator(Dialect::kNumpy, brief, 0));
    EXPECT_EQ(row.axes_form, AxesForm::kArgument);
    EXPECT_EQ(names_of(row.types).size(), 13u);
    EXPECT_FALSE(row.keepdims_default);
  }
}

TEST(Operators, FoundByShortName) {
  EXPECT_EQ(&find_operator(Dialect::kOnnx, "max", 18),
            &find_operator(Dialect::kOnnx, "ReduceMax", 18));
  EXPECT_EQ(&find_operator(Dialect::kOnnx, "argmin", 12),
            &find_operator(Dialect::kOnnx, "ArgMin", 12));
  EXPECT_EQ(find_operator(Dialect::kOpenVino, "all", 0).name, "ReduceLogicalAnd");
  EXPECT_EQ(find_operator(Dialect::kOpenVino, "any", 1).name, "ReduceLogicalOr");
  EXPECT_EQ(find_operator(Dialect::kOpenVino, "l2", 4).name, "ReduceL2");
}

TEST(Operators, GroupedAndAscending) {
  const auto rows = operator_rows();
  std::set<std::string> finished;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto key = std::string(name_of(rows[i].dialect)) + " " + std::string(rows[i].name);
    const bool same =
        i > 0 && rows[i].dialect == rows[i - 1].dialect && rows[i].name == rows[i - 1].name;
    if (same) {
      EXPECT_LT(rows[i - 1].since_version, rows[i].since_version) << key;
    } else {
      EXPECT_TRUE(finished.insert(key).second) << key << " is in two places";
    }
  }
}

void expect_error(ErrorCode code, const std::string& text, auto&& call) {
  try {
    call();
    FAIL() << "no error; expected " << text;
  } catch (const Error& e) {
    EXPECT_EQ(name_of(e.code()), name_of(code));
    EXPECT_EQ(std::string(e.what()), text);
  }
}

TEST(Operators, UnknownNameGetsTheNearest) {
  expect_error(ErrorCode::kUnknownOperator,
               "[onnx] unknown operator: expected 'ReduceMax', the nearest name, got 'ReduceMx'",
               [] { find_operator(Dialect::kOnnx, "ReduceMx", 18); });
  expect_error(ErrorCode::kUnknownOperator,
               "[numpy] unknown operator: expected 'mean', the nearest name, got 'maen'",
               [] { find_operator(Dialect::kNumpy, "maen", 0); });
}

TEST(Operators, UnknownNameWithoutNearestGetsAll) {
  expect_error(ErrorCode::kUnknownOperator,
               "[openvino] unknown operator: expected one of ReduceL1, ReduceL2, ReduceSum, "
               "ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceLogicalAnd, ReduceLogicalOr, "
               "got 'Convolution'",
               [] { find_operator(Dialect::kOpenVino, "Convolution", 0); });
}

TEST(Operators, NameOfAnotherDialect) {
  expect_error(ErrorCode::kUnknownOperator,
               "[onnx] unknown operator: expected one of ReduceMax, ReduceMin, ReduceSum, "
               "ReduceMean, ReduceProd, ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp, "
               "ReduceSumSquare, ArgMax, ArgMin ('ReduceLogicalAnd' exists in the openvino "
               "dialect), got 'ReduceLogicalAnd'",
               [] { find_operator(Dialect::kOnnx, "ReduceLogicalAnd", 18); });
}

TEST(Operators, VersionsThatDoNotExist) {
  for (int opset : {0, 29, -1})
    expect_error(ErrorCode::kUnsupportedVersion,
                 "[ReduceMax] opset not supported: expected 1 .. 28, got " + std::to_string(opset),
                 [&] { find_operator(Dialect::kOnnx, "ReduceMax", opset); });
  expect_error(ErrorCode::kUnsupportedVersion,
               "[ReduceL2] no such operator version: expected 4, got 1",
               [] { find_operator(Dialect::kOpenVino, "ReduceL2", 1); });
}

TEST(ParseDialect, EveryForm) {
  const auto same = [](DialectVersion a, Dialect d, int v) {
    return a.dialect == d && a.version == v;
  };
  EXPECT_TRUE(same(parse_dialect("onnx"), Dialect::kOnnx, 28));
  EXPECT_TRUE(same(parse_dialect("onnx:1"), Dialect::kOnnx, 1));
  EXPECT_TRUE(same(parse_dialect("onnx:18"), Dialect::kOnnx, 18));
  EXPECT_TRUE(same(parse_dialect("openvino"), Dialect::kOpenVino, 0));
  EXPECT_TRUE(same(parse_dialect("numpy"), Dialect::kNumpy, 0));
}

TEST(ParseDialect, RefusesAnythingElse) {
  for (const char* text : {"", "ONNX", "onnx:", "onnx:0", "onnx:29", "onnx:18x", "onnx:-1",
                           "onnx:99999999999999999999", "openvino:4", "torch"})
    expect_error(ErrorCode::kBadArgument,
                 std::string("[dialect] unknown dialect: expected 'onnx', 'onnx:1' .. 'onnx:28', "
                             "'openvino' or 'numpy', got '") +
                     text + "'",
                 [&] { parse_dialect(text); });
}

TEST(NameOf, Dialect) {
  EXPECT_EQ(name_of(Dialect::kOnnx), "onnx");
  EXPECT_EQ(name_of(Dialect::kOpenVino), "openvino");
  EXPECT_EQ(name_of(Dialect::kNumpy), "numpy");
}

}  // namespace
}  // namespace tenfold
