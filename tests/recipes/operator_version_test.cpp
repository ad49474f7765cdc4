// What the recipe "an operator version" promises: one row, and the operator is known everywhere.
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>
#include <string>

#include "tenfold/error.hpp"
#include "tenfold/graph.hpp"
#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

// A model of one node, y = ReduceDummy(x), in the field numbers of onnx.proto.
std::string dummy_model() {
  const auto message = [](auto&& fill) {
    std::string bytes;
    fill(protozero::pbf_writer(bytes));
    return bytes;
  };
  const auto port = [&](const char* name) {
    const std::string tensor = message([](auto to) { to.add_int32(1, 1); });  // FLOAT
    const std::string type = message([&](auto to) { to.add_message(1, tensor); });
    return message([&](auto to) {
      to.add_string(1, name);
      to.add_message(2, type);
    });
  };
  const std::string node = message([](auto to) {
    to.add_string(1, "x");
    to.add_string(2, "y");
    to.add_string(4, "ReduceDummy");
  });
  const std::string graph = message([&](auto to) {
    to.add_message(1, node);
    to.add_string(2, "dummy");
    to.add_message(11, port("x"));
    to.add_message(12, port("y"));
  });
  const std::string opset = message([](auto to) { to.add_int64(2, 20); });
  return message([&](auto to) {
    to.add_int64(1, 9);
    to.add_message(7, graph);
    to.add_message(8, opset);
  });
}

const Tensor& data() {
  static const Tensor x = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  return x;
}

TEST(OperatorVersion, IsFoundFromItsVersionOn) {
  EXPECT_EQ(find_operator(Dialect::kOnnx, "ReduceDummy", 28).since_version, 20);
  EXPECT_THROW(find_operator(Dialect::kOnnx, "ReduceDummy", 19), Error);
}

TEST(OperatorVersion, ChecksTypesAndAttributesByItsRow) {
  const OperatorRow& row = find_operator(Dialect::kOnnx, "ReduceDummy", 20);
  ReduceCall call;
  call.noop_with_empty_axes = 1;
  EXPECT_EQ(resolve(row, call, data()).axes, Dims{});

  const Tensor integers = Tensor::of<std::int32_t>({1, 2}, {2});
  EXPECT_THROW(resolve(row, {}, integers), Error);
}

TEST(OperatorVersion, RunsFromAModelFile) {
  const std::string bytes = dummy_model();
  const Graph graph = Graph::load_onnx(std::as_bytes(std::span(bytes)));
  const auto results = graph.run({{"x", data()}});
  const Tensor& y = results.at("y");
  ASSERT_EQ(y.shape(), (Dims{1, 1}));
  EXPECT_EQ(y.values<float>()[0], 30);
}

}  // namespace
}  // namespace tenfold
