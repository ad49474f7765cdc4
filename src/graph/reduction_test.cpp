#include "graph/reduction.hpp"

#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::integers;
using onnx::testing::ModelBuilder;
using onnx::testing::tensor;

using Floats = std::vector<float>;
const Tensor kMatrix = Tensor::of<float>({1, 5, 3, 4, 2, 6}, {2, 3});

ModelBuilder with_x(int opset) {
  ModelBuilder model(opset);
  model.input("x", DType::kF32, {2, 3}).output("y");
  return model;
}

Floats run_x(const ModelBuilder& model) {
  return values<float>(model.load().run({{"x", kMatrix}}).at("y"));
}

TEST(Reduction, TakesAxesFromAnAttribute) {
  for (int opset : {1, 11, 12, 13, 17})
    EXPECT_EQ(run_x(with_x(opset).node("r", "ReduceMax", {"x"}, {"y"}, {integers("axes", {1})})),
              (Floats{5, 6}))
        << opset;
}

TEST(Reduction, TakesAxesFromAnInitialiserAConstantOrAnInput) {
  EXPECT_EQ(run_x(with_x(18).axes("a", {-2}).node("r", "ReduceMin", {"x", "a"}, {"y"})),
            (Floats{1, 2, 3}));
  EXPECT_EQ(run_x(with_x(18)
                      .node("r", "ReduceMin", {"x", "a"}, {"y"})
                      .node("c", "Constant", {}, {"a"}, {integers("value_ints", {0})})),
            (Floats{1, 2, 3}));
  EXPECT_EQ(run_x(with_x(18)
                      .node("c", "Constant", {}, {"a"},
                            {tensor("value", Tensor::of<std::int64_t>({0}, {1}))})
                      .node("r", "ReduceMin", {"x", "a"}, {"y"})),
            (Floats{1, 2, 3}));
  const Graph graph =
      with_x(18).input("a", DType::kI64, {""}).node("r", "ReduceMin", {"x", "a"}, {"y"}).load();
  const auto with_axes = [&](const TensorView& axes) {
    return values<float>(graph.run({{"x", kMatrix}, {"a", axes}}).at("y"));
  };
  EXPECT_EQ(with_axes(Tensor::of<std::int64_t>({0}, {1})), (Floats{1, 2, 3}));
  EXPECT_EQ(with_axes(Tensor::of<std::int64_t>({1}, {1})), (Floats{1, 2}));  // another plan
  EXPECT_EQ(with_axes(Tensor::of<std::int64_t>({0, 1}, {2})), (Floats{1}));
  EXPECT_EQ(with_axes(Tensor(DType::kI64, {0})), (Floats{1}));
}

TEST(Reduction, ReducesEverythingWhenAxesAreLeftOut) {
  EXPECT_EQ(run_x(with_x(18).node("r", "ReduceMax", {"x"}, {"y"})), (Floats{6}));
  EXPECT_EQ(run_x(with_x(18).node("r", "ReduceMax", {"x", ""}, {"y"})), (Floats{6}));
  EXPECT_EQ(run_x(with_x(18).node("r", "ReduceSumSquare", {"x"}, {"y"},
                                  {integer("noop_with_empty_axes", 1)})),
            (Floats{1, 25, 9, 16, 4, 36}));
}

TEST(Reduction, KeepsOrDropsAxes) {
  const auto out = with_x(13)
                       .node("r", "ReduceMax", {"x"}, {"y"}, {integers("axes", {1})})
                       .load()
                       .run({{"x", kMatrix}});
  EXPECT_EQ(shape(out.at("y")), (std::vector<std::int64_t>{2, 1}));
}

TEST(Reduction, KnowsTheArgOperators) {
  const auto out =
      with_x(13)
          .node("r", "ArgMax", {"x"}, {"y"}, {integer("axis", 1), integer("keepdims", 0)})
          .load()
          .run({{"x", kMatrix}});
  EXPECT_EQ(values<std::int64_t>(out.at("y")), (std::vector<std::int64_t>{1, 2}));
}

TEST(Reduction, PassesOnWhatTheVersionDoesNotHave) {
  expect_error(ErrorCode::kAxesPlace, {"node 'r'", "ReduceMax-13"}, [] {
    run_x(with_x(13).axes("a", {0}).node("r", "ReduceMax", {"x", "a"}, {"y"}));
  });
  expect_error(ErrorCode::kAxesPlace, {"node 'r'", "ReduceMax-18"}, [] {
    run_x(with_x(18).node("r", "ReduceMax", {"x"}, {"y"}, {integers("axes", {0})}));
  });
  expect_error(ErrorCode::kAttributeUnknown, {"node 'r'", "ReduceMax-13"}, [] {
    run_x(with_x(13).node("r", "ReduceMax", {"x"}, {"y"}, {integer("noop_with_empty_axes", 1)}));
  });
  expect_error(ErrorCode::kAttributeValue, {"node 'r'", "2"}, [] {
    run_x(with_x(13).node("r", "ReduceMax", {"x"}, {"y"}, {integer("keepdims", 2)}));
  });
}

}  // namespace
}  // namespace tenfold::graph
