#include "graph/program.hpp"

#include <thread>

#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::integers;
using onnx::testing::ModelBuilder;

using Floats = std::vector<float>;
using Shape = std::vector<std::int64_t>;

// y = sum over the last axis of |x|, the nodes given last first.
ModelBuilder l1_model() {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {"N", 3}).axes("axes", {-1});
  model.node("sum", "ReduceSum", {"abs", "axes"}, {"y"}, {integer("keepdims", 0)});
  model.node("absolute", "Abs", {"x"}, {"abs"}).output("y");
  return model;
}

TEST(Program, RunsNodesInTheOrderTheyNeed) {
  const Graph graph = l1_model().load();
  const Tensor x = Tensor::of<float>({1, -2, 3, -4, 5, -6}, {2, 3});
  EXPECT_EQ(values<float>(graph.run({{"x", x}}).at("y")), (Floats{6, 15}));
  const Tensor longer = Tensor::of<float>({1, 1, 1, 2, 2, 2, -3, 3, 3}, {3, 3});
  EXPECT_EQ(values<float>(graph.run({{"x", longer}}).at("y")), (Floats{3, 6, 9}));
}

TEST(Program, ShowsItsPortsWithoutInitialisers) {
  const Graph graph = l1_model().load();
  ASSERT_EQ(graph.inputs().size(), 1u);
  EXPECT_EQ(graph.inputs()[0].name, "x");
  EXPECT_EQ(graph.inputs()[0].dtype, DType::kF32);
  EXPECT_EQ((*graph.inputs()[0].shape)[0].symbol, "N");
  EXPECT_EQ((*graph.inputs()[0].shape)[1].value, 3);
  ASSERT_EQ(graph.outputs().size(), 1u);
  EXPECT_EQ(graph.outputs()[0].name, "y");
}

TEST(Program, ProfilesAndExplainsEveryNode) {
  const Graph graph = l1_model().load();
  const Tensor x = Tensor::of<float>({1, -2, 3}, {1, 3});
  std::vector<NodeTime> profile;
  graph.run({{"x", x}}, {}, &profile);
  ASSERT_EQ(profile.size(), 2u);
  EXPECT_EQ(profile[0].node, "absolute");
  EXPECT_EQ(profile[0].op, "Abs-13");
  EXPECT_EQ(profile[1].node, "sum");
  EXPECT_EQ(profile[1].op, "ReduceSum-13");
  EXPECT_FALSE(profile[1].detail.empty());
  EXPECT_EQ(profile[1].detail.find('\n'), std::string::npos);
  EXPECT_GE(profile[1].microseconds, 0);
  const std::string text = graph.explain();
  EXPECT_EQ(text.find("absolute: Abs-13(x) -> abs\n"), 0u) << text;
  EXPECT_NE(text.find("sum: ReduceSum-13(abs, axes) -> y"), std::string::npos) << text;
}

TEST(Program, GivesOutputsThatShareMemoryWithinTheGraph) {
  ModelBuilder model(13);
  model.input("x", DType::kF32, {2, 3}).axes("shape", {6});
  model.node("a", "Abs", {"x"}, {"abs"});
  model.node("t", "Transpose", {"abs"}, {"turned"});
  model.node("r", "Reshape", {"abs", "shape"}, {"flat"});
  model.node("i", "Identity", {"abs"}, {"same"});
  for (const char* name : {"turned", "abs", "flat", "same", "x", "shape"}) model.output(name);
  const Tensor x = Tensor::of<float>({-1, -2, -3, -4, -5, -6}, {2, 3});
  const auto out = model.load().run({{"x", x}});
  EXPECT_EQ(values<float>(out.at("turned")), (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values<float>(out.at("abs")), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values<float>(out.at("flat")), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(shape(out.at("flat")), (Shape{6}));
  EXPECT_EQ(values<float>(out.at("same")), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values<float>(out.at("x")), values<float>(x));
  EXPECT_EQ(values<std::int64_t>(out.at("shape")), (Shape{6}));
  EXPECT_NE(out.at("abs").data(), out.at("same").data());
}

TEST(Program, ReducesATransposedViewWithoutCopyingIt) {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {2, 3, 2}).axes("axes", {0});
  model.node("t", "Transpose", {"x"}, {"xt"}, {integers("perm", {2, 0, 1})});
  model.node("m", "ReduceMax", {"xt", "axes"}, {"y"}, {integer("keepdims", 0)}).output("y");
  const Tensor x = Tensor::of<float>({0, 9, 2, 1, 4, 5, 6, 7, 8, 3, 10, 11}, {2, 3, 2});
  std::vector<NodeTime> profile;
  const auto out = model.load().run({{"x", x}}, {}, &profile);
  EXPECT_EQ(values<float>(out.at("y")), (Floats{9, 2, 5, 7, 8, 11}));
  EXPECT_EQ(profile[0].detail, "a view, nothing copied");
}

TEST(Program, RunsFromManyThreads) {
  const Graph graph = l1_model().load();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&graph, &wrong, t] {
      for (int i = 0; i < 50; ++i) {
        const std::int64_t rows = 1 + (i + t) % 11;  // more layouts than plans are kept
        Tensor x(DType::kF32, {rows, 3});
        for (float& v : x.values<float>()) v = static_cast<float>(-t - 1);
        const auto out = graph.run({{"x", x}}, {.threads = 1});
        for (float v : out.at("y").values<float>())
          if (v != 3.0F * static_cast<float>(t + 1)) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0, 0, 0}));
}

TEST(Program, NamesTheNodeInErrorsOfARun) {
  ModelBuilder model(18);
  model.input("x", DType::kF32, {2}).input("axes", DType::kI64, {"A"});
  model.node("r1", "ReduceMax", {"x", "axes"}, {"y"}).output("y");
  const Tensor x = Tensor::of<float>({1, 2}, {2}), three = Tensor::of<std::int64_t>({3}, {1});
  expect_error(ErrorCode::kAxisOutOfRange, {"[node 'r1': ReduceMax-18]", "got 3"}, [&] {
    model.load().run({{"x", x}, {"axes", three}});
  });
}

}  // namespace
}  // namespace tenfold::graph
