#include <algorithm>

#include "graph/glue.hpp"
#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::integers;
using onnx::testing::ModelBuilder;
using onnx::testing::number;
using onnx::testing::subgraph;

// Loads a model of one node and expects it to be refused.
void expect_refused(ErrorCode code, const std::vector<std::string>& parts, int opset,
                    const std::string& op, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& attributes = {},
                    const std::vector<std::string>& outputs = {"y"}) {
  ModelBuilder model(opset);
  model.input("x", DType::kF32, {2});
  model.node("n1", op, inputs, outputs, attributes).output("x");
  expect_error(code, parts, [&] { model.load(); });
}

TEST(Bind, RefusesUnknownOperatorsAndSaysWhatThereIs) {
  expect_refused(ErrorCode::kUnsupportedOperator,
                 {"node 'n1'", "Conv-18", "'Conv'", "Abs, ArgMax, ArgMin, Cast, CastLike",
                  "ReduceSumSquare, Reshape, Sqrt, Squeeze, Transpose, Unsqueeze"},
                 18, "Conv", {"x", "x"});
  expect_refused(ErrorCode::kUnsupportedOperator, {"''"}, 18, "", {"x"});
  for (const char* op : {"If", "Loop", "Scan"})
    expect_refused(ErrorCode::kUnsupportedOperator, {"node 'n1'", op, "which holds a subgraph"}, 18,
                   op, {"x"}, {subgraph("body")});
}

TEST(Bind, ChecksTheVersion) {
  expect_refused(ErrorCode::kUnsupportedVersion, {"CastLike-13", "opset 15 or later", "opset 13"},
                 13, "CastLike", {"x", "x"});
  expect_refused(ErrorCode::kUnsupportedVersion, {"n1", "opset 1 .. 28", "got 29"}, 29, "Abs",
                 {"x"});
}

TEST(Bind, ChecksNumbersOfInputsAndOutputs) {
  const auto code = ErrorCode::kMalformedModel;
  expect_refused(code, {"node 'n1'", "Abs-13", "inputs: expected 1, got 0"}, 18, "Abs", {});
  expect_refused(code, {"ReduceMax-18", "expected 1 to 2, got 3"}, 18, "ReduceMax",
                 {"x", "x", "x"});
  expect_refused(code, {"input 0 is left out"}, 18, "ReduceMax", {""});
  expect_refused(code, {"Mul-14", "input 1 is left out"}, 18, "Mul", {"x", ""});
  expect_refused(code, {"outputs: expected 1, got 2"}, 18, "Abs", {"x"}, {}, {"y", "z"});
  expect_refused(code, {"outputs: expected 1, got 0"}, 18, "Abs", {"x"}, {}, {});
}

TEST(Bind, ChecksAttributes) {
  expect_refused(ErrorCode::kAttributeUnknown, {"Abs-13", "no attributes", "'alpha'"}, 18, "Abs",
                 {"x"}, {integer("alpha", 1)});
  expect_refused(ErrorCode::kAttributeUnknown,
                 {"ReduceMax-13", "axes, keepdims, noop_with_empty_axes", "'axis'"}, 13,
                 "ReduceMax", {"x"}, {integer("axis", 1)});
  expect_refused(ErrorCode::kAttributeUnknown, {"ArgMax-13", "'axes'"}, 13, "ArgMax", {"x"},
                 {integers("axes", {1})});
  expect_refused(ErrorCode::kAttributeValue,
                 {"'keepdims' has a wrong type", "an integer", "a number"}, 13, "ReduceMax", {"x"},
                 {number("keepdims", 1)});
  expect_refused(ErrorCode::kAttributeValue, {"'axes'", "a list of integers", "a subgraph"}, 13,
                 "ReduceMax", {"x"}, {subgraph("axes")});
  expect_refused(ErrorCode::kMalformedModel, {"'keepdims' is given twice"}, 13, "ReduceMax", {"x"},
                 {integer("keepdims", 1), integer("keepdims", 1)});
}

TEST(GlueTable, IsSortedAndWhole) {
  const auto rows = glue_rows();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const GlueRow& a, const GlueRow& b) {
    return std::tuple(a.dialect, a.name, a.since_version) <
           std::tuple(b.dialect, b.name, b.since_version);
  }));
  for (const GlueRow& row : rows) {
    EXPECT_NE(row.run, nullptr) << label_of(row);
    EXPECT_LE(row.min_inputs, row.max_inputs) << label_of(row);
    EXPECT_LE(row.since_version, row.dialect == Dialect::kOnnx ? kNewestOnnxOpset : 15);
  }
}

}  // namespace
}  // namespace tenfold::graph
