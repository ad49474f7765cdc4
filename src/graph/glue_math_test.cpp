#include <cmath>
#include <limits>

#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::integers;
using onnx::testing::ModelBuilder;

using Floats = std::vector<float>;

TEST(Abs, KeepsTheLeastIntegerAndTheBitsOfFloats) {
  EXPECT_EQ(values<std::int8_t>(run_node(6, "Abs", {Tensor::of<std::int8_t>({-128, -5, 7}, {3})})),
            (std::vector<std::int8_t>{-128, 5, 7}));
  EXPECT_EQ(
      values<std::int64_t>(run_node(13, "Abs", {Tensor::of<std::int64_t>({INT64_MIN, -1}, {2})})),
      (std::vector<std::int64_t>{INT64_MIN, 1}));
  EXPECT_EQ(values<std::uint16_t>(run_node(13, "Abs", {Tensor::of<std::uint16_t>({65535}, {1})})),
            (std::vector<std::uint16_t>{65535}));
  const Tensor zero = run_node(13, "Abs", {Tensor::of<float>({-0.0F, -2.5F}, {2})});
  EXPECT_FALSE(std::signbit(zero.values<float>()[0]));
  EXPECT_EQ(zero.values<float>()[1], 2.5F);
  const Tensor half = run_node(13, "Abs", {Tensor::of<BFloat16>({BFloat16(-3.0F)}, {1})});
  EXPECT_EQ(static_cast<float>(half.values<BFloat16>()[0]), 3.0F);
}

TEST(Functions, ComputeSixteenBitTypesInFloat) {
  const Tensor x = Tensor::of<Float16>({Float16(0.5F), Float16(2.0F)}, {2});
  const auto first = [](const Tensor& t) { return static_cast<float>(t.values<Float16>()[0]); };
  EXPECT_EQ(first(run_node(13, "Exp", {x})), static_cast<float>(Float16(std::exp(0.5F))));
  EXPECT_EQ(first(run_node(13, "Log", {x})), static_cast<float>(Float16(std::log(0.5F))));
  EXPECT_EQ(first(run_node(13, "Sqrt", {x})), static_cast<float>(Float16(std::sqrt(0.5F))));
}

TEST(Functions, FollowIeee) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::of<float>({0.0F, -1.0F, inf, 4.0F}, {4});
  const Tensor roots = run_node(6, "Sqrt", {x}), logs = run_node(6, "Log", {x});
  EXPECT_EQ(roots.values<float>()[3], 2.0F);
  EXPECT_TRUE(std::isnan(roots.values<float>()[1]));
  EXPECT_EQ(logs.values<float>()[0], -inf);
  EXPECT_TRUE(std::isnan(logs.values<float>()[1]));
  EXPECT_EQ(values<double>(run_node(1, "Exp", {Tensor::of<double>({0.0}, {})},
                                    {integers("consumed_inputs", {0})})),
            (std::vector<double>{1.0}));
  expect_error(ErrorCode::kTypeNotAllowed, {"node 'n'", "Exp-13", "int32"},
               [] { run_node(13, "Exp", {Tensor::of<std::int32_t>({1}, {1})}); });
  expect_error(ErrorCode::kTypeNotAllowed, {"Log-6", "bfloat16"},
               [] { run_node(12, "Log", {Tensor::of<BFloat16>({BFloat16(1.0F)}, {1})}); });
}

TEST(Functions, ReadTransposedInputs) {
  ModelBuilder model(13);
  model.input("x", DType::kF32, {2, 3});
  model.node("t", "Transpose", {"x"}, {"xt"}).node("a", "Abs", {"xt"}, {"y"}).output("y");
  const Tensor x = Tensor::of<float>({-1, -2, -3, -4, -5, -6}, {2, 3});
  EXPECT_EQ(values<float>(model.load().run({{"x", x}}).at("y")), (Floats{1, 4, 2, 5, 3, 6}));
}

TEST(Mul, BroadcastsBothWays) {
  const Tensor column = Tensor::of<float>({1, 2}, {2, 1}), row = Tensor::of<float>({3, 4, 5}, {3});
  const Tensor out = run_node(7, "Mul", {column, row});
  EXPECT_EQ(shape(out), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(values<float>(out), (Floats{3, 4, 5, 6, 8, 10}));
  EXPECT_EQ(values<float>(run_node(14, "Mul", {row, Tensor::of<float>({2}, {})})),
            (Floats{6, 8, 10}));
  EXPECT_EQ(shape(run_node(14, "Mul", {Tensor(DType::kF32, {2, 0}), Tensor::of<float>({2}, {1})})),
            (std::vector<std::int64_t>{2, 0}));
  expect_error(ErrorCode::kShapeMismatch, {"cannot be broadcast", "(2,) and (3,)"}, [&] {
    run_node(14, "Mul", {Tensor::of<float>({1, 2}, {2}), row});
  });
  expect_error(ErrorCode::kTypeMismatch, {"float32", "float64"}, [&] {
    run_node(14, "Mul", {row, Tensor::of<double>({1}, {})});
  });
}

TEST(Mul, WrapsIntegers) {
  const Tensor a = Tensor::of<std::uint16_t>({65535, 256}, {2});
  EXPECT_EQ(values<std::uint16_t>(run_node(14, "Mul", {a, a})), (std::vector<std::uint16_t>{1, 0}));
  const Tensor b = Tensor::of<std::int64_t>({INT64_MIN, INT64_MAX}, {2});
  EXPECT_EQ(values<std::int64_t>(run_node(7, "Mul", {b, Tensor::of<std::int64_t>({-1, 2}, {2})})),
            (std::vector<std::int64_t>{INT64_MIN, -2}));
  expect_error(ErrorCode::kTypeNotAllowed, {"Mul-13", "uint16"}, [&] {
    run_node(13, "Mul", {a, a});
  });
}

TEST(Mul, OfOldStretchesTheSecondOperandOnRequest) {
  const Tensor a = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor tens = Tensor::of<float>({10, 20}, {2}), row = Tensor::of<float>({1, 10, 100}, {3});
  const auto old = [&](const TensorView& b, const std::vector<std::string>& attributes) {
    return values<float>(run_node(6, "Mul", {a, b}, attributes));
  };
  EXPECT_EQ(old(tens, {integer("broadcast", 1), integer("axis", 0)}),
            (Floats{10, 20, 30, 80, 100, 120}));
  EXPECT_EQ(old(row, {integer("broadcast", 1)}), (Floats{1, 20, 300, 4, 50, 600}));
  EXPECT_EQ(old(Tensor::of<float>({2}, {1, 1}), {integer("broadcast", 1)}),
            (Floats{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(old(a, {}), (Floats{1, 4, 9, 16, 25, 36}));
  expect_error(ErrorCode::kShapeMismatch, {"Mul-6", "broadcast=1"}, [&] { old(row, {}); });
  expect_error(ErrorCode::kShapeMismatch, {"not a part of the first"},
               [&] { old(tens, {integer("broadcast", 1)}); });
  expect_error(ErrorCode::kShapeMismatch, {"from axis 2 on"}, [&] {
    old(row, {integer("broadcast", 1), integer("axis", 2)});
  });
  expect_error(ErrorCode::kAttributeUnknown, {"Mul-7", "'broadcast'"}, [&] {
    run_node(7, "Mul", {a, a}, {integer("broadcast", 1)});
  });
}

TEST(Mul, OfManyElementsIsTheSameOnSeveralThreads) {
  Tensor a(DType::kF32, {300, 1, 700}), b(DType::kF32, {1, 3, 700});
  for (std::int64_t i = 0; i < a.size(); ++i)
    a.values<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i % 1001);
  for (std::int64_t i = 0; i < b.size(); ++i)
    b.values<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i % 7);
  const Tensor out = run_node(14, "Mul", {a, b});  // above the size of one piece
  std::size_t at = 0;
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 700; ++k, ++at)
        ASSERT_EQ(out.values<float>()[at],
                  a.values<float>()[i * 700 + k] * b.values<float>()[j * 700 + k]);
}

}  // namespace
}  // namespace tenfold::graph
