// Einsum and MatMul layers of OpenVINO IRs.
#include "graph/contraction_testing.hpp"
#include "openvino/ir_builder_for_tests.hpp"

namespace tenfold::openvino {
namespace {

using graph::testing::doubles;
using graph::testing::expect_error;
using graph::testing::PlainMatmul;
using graph::testing::shape;
using graph::testing::small_numbers;
using testing::IrBuilder;
using Shape = std::vector<std::int64_t>;

// One layer on inputs "x0", "x1", …
Tensor run_layer(const std::string& type, const std::string& version, const std::string& data,
                 const std::vector<Tensor>& inputs, const std::string& element_type = "f32") {
  IrBuilder ir;
  const int count = static_cast<int>(inputs.size());
  Graph::Inputs given;
  for (int i = 0; i < count; ++i) {
    ir.parameter("x" + std::to_string(i), "...", element_type);
    given.emplace("x" + std::to_string(i), inputs[static_cast<std::size_t>(i)]);
    ir.edge(i, 0, count, i);
  }
  ir.layer("l", type, version, data, count, 1).result("y").edge(count, count, count + 1, 0);
  Graph::Outputs outputs = ir.load().run(given);
  return std::move(outputs.begin()->second);
}

Tensor einsum(const std::string& equation, const std::vector<Tensor>& inputs) {
  return run_layer("Einsum", "opset7", "equation=\"" + equation + "\"", inputs);
}

std::vector<Tensor> pair_of(Tensor a, Tensor b) {
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(a));
  inputs.push_back(std::move(b));
  return inputs;
}

TEST(IrEinsum, FollowsItsEquation) {
  const Tensor a = small_numbers(DType::kF32, {3, 4}, 1), b = small_numbers(DType::kF32, {4, 5}, 2);
  const auto inputs = [&] { return pair_of(Tensor::copy_of(a), Tensor::copy_of(b)); };
  EXPECT_EQ(doubles(einsum("ij,jk-&gt;ik", inputs())), PlainMatmul(a, b).values);
  EXPECT_EQ(doubles(einsum(" i j , jk", inputs())), PlainMatmul(a, b).values);
  // Ellipses of different ranks broadcast here.
  const Tensor wide = einsum("...ij,...jk-&gt;...ik",
                             pair_of(small_numbers(DType::kF32, {2, 3, 4}), Tensor::copy_of(b)));
  EXPECT_EQ(shape(wide), (Shape{2, 3, 5}));
}

TEST(IrEinsum, OfEveryNumericType) {
  const std::pair<DType, const char*> types[] = {
      {DType::kF64, "f64"}, {DType::kF32, "f32"}, {DType::kF16, "f16"}, {DType::kBF16, "bf16"},
      {DType::kI8, "i8"},   {DType::kI16, "i16"}, {DType::kI32, "i32"}, {DType::kI64, "i64"},
      {DType::kU8, "u8"},   {DType::kU16, "u16"}, {DType::kU32, "u32"}, {DType::kU64, "u64"}};
  for (const auto& [dtype, name] : types) {
    const Tensor a = small_numbers(dtype, {2, 2}, 1), b = small_numbers(dtype, {2, 3}, 2);
    const Tensor out = run_layer("Einsum", "opset7", "equation=\"ij,jk-&gt;ik\"",
                                 pair_of(Tensor::copy_of(a), Tensor::copy_of(b)), name);
    EXPECT_EQ(out.dtype(), dtype);
    EXPECT_EQ(doubles(out), PlainMatmul(a, b).values) << name;
  }
  expect_error(ErrorCode::kTypeNotAllowed, {"layer 'l'", "Einsum-7", "bool"}, [] {
    std::vector<Tensor> flags;
    flags.push_back(Tensor::zeros(DType::kBool, {2}));
    run_layer("Einsum", "opset7", "equation=\"i-&gt;\"", flags, "boolean");
  });
}

TEST(IrEinsum, IsRefusedWhenWrong) {
  const auto x = [] {
    return pair_of(small_numbers(DType::kF32, {2, 3}), small_numbers(DType::kF32, {4}));
  };
  try {
    einsum("ij,j-&gt;i", x());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("layer 'l'"), std::string_view::npos);
    EXPECT_NE(error.place(), nullptr) << error.what();
  }
  expect_error(ErrorCode::kAttributeValue, {"Einsum-7", "'equation' is missing"},
               [&] { run_layer("Einsum", "opset7", "", x()); });
  expect_error(ErrorCode::kAttributeUnknown, {"'axes'"},
               [&] { run_layer("Einsum", "opset7", "equation=\"i,j\" axes=\"1\"", x()); });
  expect_error(ErrorCode::kUnsupportedVersion, {"opset7 or later"},
               [&] { run_layer("Einsum", "opset6", "equation=\"ij,k\"", x()); });
}

TEST(IrEinsum, OfManyOperands) {
  std::string equation = "i";
  std::vector<Tensor> inputs;
  for (int i = 0; i < 100; ++i) {
    if (i > 0) equation += ",i";
    inputs.push_back(Tensor::of<float>({-1, 1}, {2}));
  }
  EXPECT_EQ(doubles(einsum(equation + "-&gt;i", inputs)), (std::vector<double>{1, 1}));
}

struct Case {
  Dims a, b;
  bool turn_a, turn_b;
};

// The two last axes exchanged; a vector stays.
TensorView turned(const Tensor& x, bool turn) {
  TensorView view = x;
  const int rank = view.rank();
  if (!turn || rank < 2) return view;
  std::swap(view.shape[rank - 1], view.shape[rank - 2]);
  std::swap(view.strides[rank - 1], view.strides[rank - 2]);
  return view;
}

TEST(IrMatMul, TransposesAndBroadcasts) {
  const Case cases[] = {
      {{3, 4}, {4, 5}, false, false},
      {{4, 3}, {4, 5}, true, false},
      {{3, 4}, {5, 4}, false, true},
      {{4, 3}, {5, 4}, true, true},
      {{4}, {4}, true, true},
      {{4}, {4, 5}, true, false},
      {{4}, {5, 4}, false, true},
      {{3, 4}, {4}, false, true},
      {{4, 3}, {4}, true, false},
      {{5, 3, 4}, {4, 2}, false, false},
      {{2, 1, 4, 3}, {5, 2, 4}, true, true},
      {{1024}, {1000, 1024}, false, true},
  };
  for (const Case& c : cases) {
    const Tensor a = small_numbers(DType::kF32, c.a, 1), b = small_numbers(DType::kF32, c.b, 2);
    std::string data;
    if (c.turn_a) data += "transpose_a=\"true\" ";
    data += c.turn_b ? "transpose_b=\"True\"" : "transpose_b=\"false\"";
    const Tensor out =
        run_layer("MatMul", "opset1", data, pair_of(Tensor::copy_of(a), Tensor::copy_of(b)));
    const PlainMatmul plain(turned(a, c.turn_a), turned(b, c.turn_b));
    EXPECT_EQ(out.shape(), plain.shape) << data << to_string(c.a) << to_string(c.b);
    EXPECT_EQ(doubles(out), plain.values) << data << to_string(c.a) << to_string(c.b);
  }
}

TEST(IrMatMul, IsRefusedWhenWrong) {
  const auto x = [] {
    return pair_of(small_numbers(DType::kF32, {2, 3}), small_numbers(DType::kF32, {2, 3}));
  };
  expect_error(ErrorCode::kShapeMismatch,
               {"layer 'l': MatMul-1", "do not fit together", "A (2, 3), B (2, 3)"},
               [&] { run_layer("MatMul", "opset1", "", x()); });
  expect_error(ErrorCode::kAttributeValue, {"transpose_a", "true or false"},
               [&] { run_layer("MatMul", "opset1", "transpose_a=\"maybe\"", x()); });
  expect_error(ErrorCode::kAttributeUnknown, {"'alpha'"},
               [&] { run_layer("MatMul", "opset1", "alpha=\"1\"", x()); });
  EXPECT_EQ(shape(run_layer("MatMul", "opset13", "transpose_b=\"1\"", x())), (Shape{2, 2}));
}

// Einsum into ReduceSum: one contraction.
TEST(IrContractThrough, ASumOfAProduct) {
  IrBuilder ir;
  ir.parameter("a", "20,30").parameter("b", "30,40");
  ir.constant<std::int64_t>("axes", "1", "i64", {1});
  ir.layer("p", "MatMul", "opset1", "", 2, 1).layer("s", "ReduceSum", "opset1", "", 2, 1);
  ir.result("y").edge(0, 0, 3, 0).edge(1, 0, 3, 1).edge(3, 2, 4, 0).edge(2, 0, 4, 1);
  ir.edge(4, 2, 5, 0);
  const Graph graph = ir.load();
  const Graph apart = Graph::load_openvino(ir.xml(), ir.weights(), {.contract_through = false});
  const Tensor a = small_numbers(DType::kF32, {20, 30}, 1),
               b = small_numbers(DType::kF32, {30, 40});
  const auto got = graph.run({{"a", a}, {"b", b}}), expected = apart.run({{"a", a}, {"b", b}});
  EXPECT_EQ(doubles(got.begin()->second), doubles(expected.begin()->second));
  EXPECT_NE(graph.explain().find("2 nodes as one"), std::string::npos) << graph.explain();
}

}  // namespace
}  // namespace tenfold::openvino
