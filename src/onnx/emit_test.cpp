#include "onnx/emit.hpp"

#include <fmt/format.h>

#include "graph/testing.hpp"

namespace tenfold::onnx {
namespace {

using namespace testing;
using graph::testing::expect_error;
using graph::testing::values;

using Floats = std::vector<float>;
const Tensor kMatrix = Tensor::of<float>({1, -5, 3, 4, 2, -6}, {2, 3});
const NodeExtra kMine{.domain = "mine", .overload = {}};

// A model of one call "c" of function mine.F with input x and output y.
ModelBuilder calls(const FunctionBuilder& function, const std::vector<Bytes>& attributes = {},
                   const Texts& inputs = {"x"}) {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {2, 3}).function(function);
  model.node("c", "F", inputs, {"y"}, attributes, kMine).output("y");
  return model;
}

Floats run_x(const ModelBuilder& model) {
  return values<float>(model.load().run({{"x", kMatrix}}).at("y"));
}

TEST(Functions, AreInlined) {
  FunctionBuilder f("mine", "F", {"in"}, {"out"});
  f.opset(18).node("a", "Abs", {"in"}, {"x"}).node("m", "ReduceMax", {"x"}, {"out"});
  EXPECT_EQ(run_x(calls(f)), (Floats{6}));
  const std::string text = calls(f).load().explain();
  EXPECT_NE(text.find("c/a: Abs-13(x) -> c/x"), std::string::npos) << text;
  EXPECT_NE(text.find("c/m: ReduceMax-18(c/x) -> y"), std::string::npos) << text;
}

TEST(Functions, HaveNamesOfTheirOwnInEachCall) {
  FunctionBuilder f("mine", "F", {"a"}, {"b"});
  f.opset(14).node("", "Mul", {"a", "a"}, {"t"}).node("", "Mul", {"t", "a"}, {"b"});
  ModelBuilder model(18);
  model.input("x", DType::kF32, {2, 3}).function(f).output("y");
  model.node("", "F", {"t"}, {"y"}, {}, kMine).node("", "F", {"x"}, {"t"}, {}, kMine);
  EXPECT_EQ(run_x(model)[4], 512.0F);  // 2 to the ninth
}

TEST(Functions, NestAndUseTheirOwnOperatorSets) {
  FunctionBuilder inner("mine", "Inner", {"a"}, {"b"}, {"over"});
  inner.opset(11).node("r", "ReduceMax", {"a"}, {"b"}, {reference("axes", "over", 7)});
  FunctionBuilder outer("mine", "F", {"a"}, {"b"}, {"axes"});
  outer.node("i", "Inner", {"a"}, {"b"}, {reference("over", "axes", 7)}, kMine);
  const ModelBuilder model = calls(outer, {integers("axes", {1})}).function(inner);
  EXPECT_EQ(run_x(model), (Floats{3, 4}));
  EXPECT_NE(model.load().explain().find("c/i/r: ReduceMax-11"), std::string::npos);
}

TEST(Functions, TakeAttributesFromTheCallOrTheirDefault) {
  FunctionBuilder f("mine", "F", {"a"}, {"b"});
  f.opset(13).fallback(integers("over", {0}));
  f.node("r", "ReduceMax", {"a"}, {"b"}, {reference("axes", "over", 7)});
  EXPECT_EQ(run_x(calls(f)), (Floats{4, 2, 3}));
  EXPECT_EQ(run_x(calls(f, {integers("over", {1})})), (Floats{3, 4}));
  FunctionBuilder without("mine", "F", {"a"}, {"b"}, {"over"});
  without.opset(13).node("r", "ReduceMax", {"a"}, {"b"}, {reference("axes", "over", 7)});
  EXPECT_EQ(run_x(calls(without)), (Floats{4}));  // not given: the node has no axes
  expect_error(ErrorCode::kAttributeUnknown, {"node 'c'", "function 'F'", "'other'"},
               [&] { calls(f, {integer("other", 1)}).load(); });
  expect_error(ErrorCode::kAttributeValue, {"node 'c/r'", "'axes' has a wrong type"},
               [&] { calls(f, {number("over", 1)}).load(); });
}

TEST(Functions, MayLeaveInputsAndOutputsOut) {
  FunctionBuilder f("mine", "F", {"a", "axes"}, {"b", "unused"});
  f.opset(18).node("r", "ReduceMax", {"a", "axes"}, {"b"}).node("s", "Abs", {"a"}, {"unused"});
  EXPECT_EQ(run_x(calls(f)), (Floats{4}));
  EXPECT_EQ(run_x(calls(f, {}, {"x", "ax"}).axes("ax", {1})), (Floats{3, 4}));
  FunctionBuilder through("mine", "F", {"a", "b"}, {"a"});
  EXPECT_EQ(run_x(calls(through)), values<float>(kMatrix));
  FunctionBuilder absent("mine", "F", {"a", "b"}, {"b"});
  expect_error(ErrorCode::kMalformedModel, {"returns an input left out", "'b'"},
               [&] { calls(absent).load(); });
}

TEST(Functions, AreToldApartByOverload) {
  FunctionBuilder first("mine", "F", {"a"}, {"b"}), second("mine", "F", {"a"}, {"b"});
  first.opset(13).overload("sum").node("", "ReduceSum", {"a"}, {"b"});
  second.opset(13).overload("max").node("", "ReduceMax", {"a"}, {"b"});
  ModelBuilder model(18);
  model.input("x", DType::kF32, {2, 3}).function(first).function(second).output("y");
  model.node("", "F", {"x"}, {"y"}, {}, {.domain = "mine", .overload = "max"});
  EXPECT_EQ(run_x(model), (Floats{4}));
}

TEST(Functions, ThatDoNotFitTheirCallsAreRefused) {
  FunctionBuilder f("mine", "F", {"a"}, {"b"});
  f.opset(13).node("", "Abs", {"a"}, {"b"});
  expect_error(ErrorCode::kMalformedModel, {"node 'c'", "too many inputs", "expected 1, got 2"},
               [&] {
                 calls(f, {}, {"x", "x"}).load();
               });
  expect_error(ErrorCode::kMalformedModel, {"too many outputs"}, [&] {
    calls(f).node("d", "F", {"x"}, {"p", "q"}, {}, kMine).load();
  });
  expect_error(ErrorCode::kMalformedModel, {"function 'F'", "defined twice"},
               [&] { calls(f).function(f).load(); });
  FunctionBuilder twins("mine", "F", {"a", "a"}, {"b"});
  expect_error(ErrorCode::kMalformedModel, {"two inputs of one name"},
               [&] { calls(twins).load(); });
  FunctionBuilder hollow("mine", "F", {"a"}, {"b"});
  expect_error(ErrorCode::kMalformedModel, {"'y' is given by nothing"},
               [&] { calls(hollow).load(); });
}

TEST(Functions, ThatCallThemselvesAreRefused) {
  FunctionBuilder f("mine", "F", {"a"}, {"b"}), g("mine", "G", {"a"}, {"b"});
  f.node("", "G", {"a"}, {"b"}, {}, kMine);
  g.node("", "F", {"a"}, {"b"}, {}, kMine);
  expect_error(ErrorCode::kMalformedModel, {"function 'F' calls itself"},
               [&] { calls(f).function(g).load(); });
}

// F0 calls F1 twice, F1 calls F2 twice, and so on.
ModelBuilder doubling(int depth) {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {1}).output("y");
  for (int i = 0; i < depth; ++i) {
    const std::string name = fmt::format("F{}", i), next = fmt::format("F{}", i + 1);
    FunctionBuilder f("mine", name, {"a"}, {"c"});
    f.node("", next, {"a"}, {"b"}, {}, kMine).node("", next, {"b"}, {"c"}, {}, kMine);
    model.function(f);
  }
  FunctionBuilder last("mine", fmt::format("F{}", depth), {"a"}, {"c"});
  last.opset(13).node("", "Abs", {"a"}, {"c"});
  return model.function(last).node("", "F0", {"x"}, {"y"}, {}, kMine);
}

TEST(Functions, ThatMultiplyWithoutEndAreRefused) {
  EXPECT_NO_THROW(doubling(10).load());
  expect_error(ErrorCode::kUnsupportedFeature, {"grow too large"}, [] { doubling(40).load(); });
  expect_error(ErrorCode::kUnsupportedFeature, {"nested too deeply", "64"},
               [] { doubling(100).load(); });
}

TEST(Functions, WithHugeNamesCalledOftenAreRefused) {
  const std::string endless(1 << 20, 'a');
  FunctionBuilder f("mine", "F", {endless}, {"b"});
  f.opset(13).node(endless, "Abs", {endless}, {"b"});
  ModelBuilder model(18);
  model.input("x", DType::kF32, {1}).function(f).output("x");
  for (int i = 0; i < 1000; ++i) model.node("", "F", {"x"}, {fmt::format("y{}", i)}, {}, kMine);
  expect_error(ErrorCode::kUnsupportedFeature, {"grow too large"}, [&] { model.load(); });
}

TEST(Nodes, WithTooManyAttributesAreRefused) {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {1}).output("x");
  model.node("n", "Abs", {"x"}, {"y"}, std::vector<Bytes>(101, integer("a", 1)));
  expect_error(ErrorCode::kMalformedModel, {"node 'n'", "too many attributes", "at most 100"},
               [&] { model.load(); });
  FunctionBuilder f("mine", "F", {"a"}, {"b"}, Texts(101, "t"));
  expect_error(ErrorCode::kMalformedModel, {"function 'F'", "too many attributes"},
               [&] { calls(f).load(); });
}

TEST(Nodes, OfOtherDomainsAreRefused) {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {1}).output("x");
  model.node("n", "FusedMatMul", {"x"}, {"y"}, {}, {.domain = "com.microsoft", .overload = {}});
  expect_error(ErrorCode::kUnsupportedOperator,
               {"node 'n' com.microsoft.FusedMatMul", "a function of the model"},
               [&] { model.load(); });
}

TEST(Nodes, MayReferToAttributesWithinFunctionsOnly) {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {1}).output("x");
  model.node("n", "ReduceMax", {"x"}, {"y"}, {reference("keepdims", "k", 2)});
  expect_error(ErrorCode::kMalformedModel, {"node 'n'", "'keepdims'", "'k'"},
               [&] { model.load(); });
}

}  // namespace
}  // namespace tenfold::onnx
