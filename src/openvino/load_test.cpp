#include "openvino/load.hpp"

#include <cmath>

#include "graph/testing.hpp"
#include "openvino/ir_builder_for_tests.hpp"

namespace tenfold::openvino {
namespace {

using graph::testing::expect_error;
using graph::testing::shape;
using graph::testing::values;
using testing::IrBuilder;
using testing::kMalformed;

using Floats = std::vector<float>;
using Shape = std::vector<std::int64_t>;
const Tensor kX = Tensor::of<float>({3, -4, 0, 6, 8, 1}, {2, 3});

// x (0) and constant axes (1) into a reduction (2), and its result (3).
IrBuilder reduction(const std::string& type, const std::string& version, const std::string& data,
                    const std::vector<std::int64_t>& axes) {
  IrBuilder ir;
  ir.parameter("x", "?,3");
  ir.constant("axes", std::to_string(axes.size()), "i64", axes);
  ir.layer("reduce", type, version, data, 2, 1).result();
  return ir.edge(0, 0, 2, 0).edge(1, 0, 2, 1).edge(2, 2, 3, 0);
}

Tensor run_x(const IrBuilder& ir) {
  Graph::Outputs out = ir.load().run({{"x", kX}});
  EXPECT_EQ(out.size(), 1u);
  return std::move(out.begin()->second);
}

// One glue layer on x, with a constant of integers as its second input.
Tensor run_glue(const std::string& type, const std::string& data,
                const std::vector<std::int64_t>& list, const TensorView& x,
                const std::string& version = "opset1") {
  std::string any;
  for (int i = 0; i < x.rank(); ++i) any += i == 0 ? "?" : ",?";
  IrBuilder ir;
  ir.parameter("x", any).constant("list", std::to_string(list.size()), "i64", list);
  ir.layer("glue", type, version, data, 2, 1).result();
  ir.edge(0, 0, 2, 0).edge(1, 0, 2, 1).edge(2, 2, 3, 0);
  return std::move(ir.load().run({{"x", x}}).at("glue"));
}

TEST(Ir, RunsEachReduction) {
  const auto sums = [](const std::string& type, const std::string& version) {
    return values<float>(run_x(reduction(type, version, "", {1})));
  };
  EXPECT_EQ(sums("ReduceL1", "opset4"), (Floats{7, 15}));
  EXPECT_EQ(sums("ReduceSum", "opset1"), (Floats{-1, 15}));
  EXPECT_EQ(sums("ReduceMean", "opset1"), (Floats{-1.0F / 3, 5}));
  EXPECT_EQ(sums("ReduceMax", "opset1"), (Floats{3, 8}));
  EXPECT_EQ(sums("ReduceMin", "opset1"), (Floats{-4, 1}));
  EXPECT_EQ(sums("ReduceProd", "opset1"), (Floats{0, 48}));
  EXPECT_EQ(values<float>(run_x(reduction("ReduceL2", "opset4", "", {0})))[0], std::sqrt(45.0F));
  IrBuilder logical;
  logical.parameter("x", "2", "boolean").constant<std::int32_t>("axes", "", "i32", {0});
  logical.layer("all", "ReduceLogicalAnd", "opset1", "", 2, 1);
  logical.layer("any", "ReduceLogicalOr", "opset1", "", 2, 1).result("r1").result("r2");
  for (int layer : {2, 3}) logical.edge(0, 0, layer, 0).edge(1, 0, layer, 1);
  logical.edge(2, 2, 4, 0).edge(3, 2, 5, 0);
  const Tensor mixed = Tensor::of<Bool>({Bool(true), Bool(false)}, {2});
  const auto out = logical.load().run({{"x", mixed}});
  EXPECT_EQ(out.at("all").values<Bool>()[0].byte, 0);
  EXPECT_EQ(out.at("any").values<Bool>()[0].byte, 1);
}

TEST(Ir, KeepsDimensionsWhenTold) {
  for (const char* yes : {"true", "True", "1"})
    EXPECT_EQ(shape(run_x(
                  reduction("ReduceMax", "opset1", std::string("keep_dims=\"") + yes + "\"", {1}))),
              (Shape{2, 1}));
  for (const char* no : {"false", "False", "0"})
    EXPECT_EQ(shape(run_x(
                  reduction("ReduceMax", "opset1", std::string("keep_dims=\"") + no + "\"", {1}))),
              (Shape{2}));
  EXPECT_EQ(shape(run_x(reduction("ReduceMax", "opset1", "", {1}))), (Shape{2}));
  expect_error(ErrorCode::kAttributeValue, {"layer 'reduce' ReduceMax", "keep_dims", "'maybe'"},
               [] { reduction("ReduceMax", "opset1", "keep_dims=\"maybe\"", {1}).load(); });
}

TEST(Ir, ReducesNothingForAnEmptyListOfAxes) {
  EXPECT_EQ(values<float>(run_x(reduction("ReduceL1", "opset4", "", {}))), values<float>(kX));
}

TEST(Ir, ChecksTheOperatorSetOfALayer) {
  EXPECT_EQ(values<float>(run_x(reduction("ReduceSum", "opset13", "", {1}))), (Floats{-1, 15}));
  expect_error(ErrorCode::kUnsupportedVersion,
               {"layer 'reduce'", "ReduceL2-1", "opset4 or later", "opset1"},
               [] { reduction("ReduceL2", "opset1", "", {1}).load(); });
  expect_error(ErrorCode::kUnsupportedVersion, {"layer 'reduce'", "'opset99'"},
               [] { reduction("ReduceL2", "opset99", "", {1}).load(); });
  expect_error(kMalformed, {"layer 'reduce' ReduceL2", "does not say its operator set"},
               [] { reduction("ReduceL2", "", "", {1}).load(); });
  expect_error(
      ErrorCode::kUnsupportedOperator,
      {"layer 'reduce'", "Gather-1", "Const, Convert, Einsum, MatMul, Parameter, ReduceL1"},
      [] { reduction("Gather", "opset1", "", {1}).load(); });
}

TEST(Ir, ChecksItsVersion) {
  IrBuilder ir = reduction("ReduceSum", "opset1", "", {1});
  EXPECT_NO_THROW(ir.ir_version("10").load());
  expect_error(ErrorCode::kUnsupportedVersion, {"10 or 11", "got 7"},
               [&] { ir.ir_version("7").load(); });
  expect_error(kMalformed, {"bad version"}, [&] { ir.ir_version("new").load(); });
}

TEST(Ir, RunsItsGlue) {
  EXPECT_EQ(shape(run_glue("Reshape", "special_zero=\"true\"", {0, 1, -1}, kX)), (Shape{2, 1, 3}));
  EXPECT_EQ(
      shape(run_glue("Reshape", "special_zero=\"false\"", {5, 0}, Tensor(DType::kF32, {0, 2}))),
      (Shape{5, 0}));
  EXPECT_EQ(shape(run_glue("Transpose", "", {1, 0}, kX)), (Shape{3, 2}));
  EXPECT_EQ(values<float>(run_glue("Transpose", "", {}, kX)), (Floats{3, 6, -4, 8, 0, 1}));
  const Tensor ones = Tensor::zeros(DType::kF32, {1, 3, 1});
  EXPECT_EQ(shape(run_glue("Squeeze", "", {0}, ones)), (Shape{3, 1}));
  EXPECT_EQ(shape(run_glue("Squeeze", "", {}, ones)), (Shape{3}));
  EXPECT_EQ(shape(run_glue("Squeeze", "", {0, 1}, ones)), (Shape{3, 1}));  // 1 stays as it is
  EXPECT_EQ(shape(run_glue("Squeeze", "allow_axis_skip=\"true\"", {-1}, ones, "opset15")),
            (Shape{1, 3}));
  EXPECT_EQ(shape(run_glue("Unsqueeze", "", {0, -1}, kX)), (Shape{1, 2, 3, 1}));
  IrBuilder convert;
  convert.parameter("x", "2,3").layer("c", "Convert", "opset1", "destination_type=\"u8\"", 1, 1);
  convert.result().edge(0, 0, 1, 0).edge(1, 1, 2, 0);
  EXPECT_EQ(values<std::uint8_t>(run_x(convert)), (std::vector<std::uint8_t>{3, 0, 0, 6, 8, 1}));
}

TEST(Ir, ChecksAttributesOfItsGlue) {
  expect_error(ErrorCode::kAttributeValue, {"layer 'glue'", "'special_zero' is missing"},
               [] { run_glue("Reshape", "", {6}, kX); });
  expect_error(ErrorCode::kAttributeUnknown, {"layer 'glue'", "Transpose-1", "'order'"}, [] {
    run_glue("Transpose", "order=\"1,0\"", {1, 0}, kX);
  });
  expect_error(ErrorCode::kUnsupportedFeature, {"layer 'glue'", "'i4'"},
               [] { run_glue("Convert", "destination_type=\"i4\"", {}, kX); });
}

TEST(Ir, NamesItsPortsByTensorOrLayer) {
  IrBuilder ir;
  ir.layer("layer_x", "Parameter", "opset1", "shape=\"3\" element_type=\"f32\"", 0, 1, "x,x2");
  ir.layer("layer_y", "Convert", "opset1", "destination_type=\"f64\"", 1, 1, "y").result("r");
  ir.result("again").edge(0, 0, 1, 0).edge(1, 1, 2, 0).edge(1, 1, 3, 0);
  const Graph graph = ir.load();
  EXPECT_EQ(graph.inputs()[0].name, "x");
  EXPECT_EQ(graph.outputs()[0].name, "y");
  EXPECT_EQ(graph.outputs()[1].name, "layer_y");
  const Tensor x = Tensor::of<float>({1, 2, 3}, {3});
  for (const char* name : {"x", "x2", "layer_x"}) EXPECT_EQ(graph.run({{name, x}}).size(), 2u);
  expect_error(ErrorCode::kBadArgument, {"input 'x'", "given twice"}, [&] {
    graph.run({{"x", x}, {"layer_x", x}});
  });
}

TEST(Ir, HoldsInputsToTheirRanges) {
  IrBuilder ir;
  ir.parameter("x", "1..2,3").result().edge(0, 0, 1, 0);
  EXPECT_EQ(ir.load().run({{"x", kX}}).size(), 1u);
  expect_error(ErrorCode::kShapeMismatch, {"input 'x'", "axis 0", "1 .. 2", "got 4"}, [&] {
    ir.load().run({{"x", Tensor::zeros(DType::kF32, {4, 3})}});
  });
}

}  // namespace
}  // namespace tenfold::openvino
