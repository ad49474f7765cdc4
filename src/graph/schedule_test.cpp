#include "graph/schedule.hpp"

#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::ModelBuilder;

// A model of nodes with one input and one output each; values are numbers.
Model chain(int values, const std::vector<std::pair<int, int>>& nodes) {
  Model model;
  for (int i = 0; i < values; ++i) model.add_value("v" + std::to_string(i));
  for (const auto& [from, to] : nodes) {
    Node node;
    node.label = "node 'n" + std::to_string(model.nodes.size()) + "'";
    node.op = "Abs";
    node.inputs = {from};
    node.outputs = {to};
    model.nodes.push_back(node);
  }
  InputPort input;
  input.port.name = "v0";
  model.inputs.push_back(input);
  return model;
}

TEST(Schedule, SortsAnyOrderAndKeepsTheFilesWhereItMay) {
  EXPECT_EQ(schedule(chain(4, {{2, 3}, {1, 2}, {0, 1}})), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(schedule(chain(4, {{0, 1}, {0, 2}, {0, 3}})), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(schedule(chain(1, {})), (std::vector<int>{}));
}

TEST(Schedule, RefusesCycles) {
  expect_error(ErrorCode::kMalformedModel, {"form a cycle", "'n", "'v"}, [] {
    schedule(chain(4, {{0, 1}, {3, 2}, {2, 3}}));
  });
  expect_error(ErrorCode::kMalformedModel, {"form a cycle", "'n0'", "'v1'"}, [] {
    schedule(chain(2, {{1, 1}}));
  });
}

TEST(Schedule, RefusesValuesOfNobody) {
  expect_error(ErrorCode::kMalformedModel, {"node 'n0' Abs", "input 'v1' is given by nothing"}, [] {
    schedule(chain(3, {{1, 2}}));
  });
  Model model = chain(2, {});
  OutputPort output;
  output.port.name = "y";
  output.value = 1;
  model.outputs.push_back(output);
  expect_error(ErrorCode::kMalformedModel, {"output 'y'", "'v1' is given by nothing"},
               [&] { schedule(model); });
}

TEST(Schedule, RefusesValuesOfTwo) {
  expect_error(ErrorCode::kMalformedModel, {"'v1' is defined twice", "'n1'", "'n0'"}, [] {
    schedule(chain(2, {{0, 1}, {0, 1}}));
  });
  expect_error(ErrorCode::kMalformedModel, {"'v0' is defined twice", "an input or a constant"}, [] {
    schedule(chain(2, {{0, 0}}));
  });
  Model model = chain(1, {});
  model.constants.push_back({0, Tensor::of<float>({1}, {1})});
  expect_error(ErrorCode::kMalformedModel, {"'v0' is defined twice"}, [&] { schedule(model); });
  model.inputs[0].has_default = true;
  EXPECT_EQ(schedule(model), (std::vector<int>{}));
}

TEST(Schedule, ManyNodesInReverseTakeNoTime) {
  std::vector<std::pair<int, int>> nodes;
  for (int i = 99'999; i >= 0; --i) nodes.emplace_back(i, i + 1);
  EXPECT_EQ(schedule(chain(100'001, nodes)).front(), 99'999);
}

}  // namespace
}  // namespace tenfold::graph
