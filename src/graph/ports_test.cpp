#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::ModelBuilder;

Graph two_inputs() {
  ModelBuilder model(14);
  model.input("first", DType::kF32, {"N", 3}).input("second", DType::kF32, {"N", ""});
  return model.node("m", "Mul", {"first", "second"}, {"y"}).output("y").load();
}

const Tensor kTwoByThree = Tensor::zeros(DType::kF32, {2, 3});

void expect_refused(ErrorCode code, const std::vector<std::string>& parts, const TensorView& first,
                    const TensorView& second) {
  expect_error(code, parts, [&] { two_inputs().run({{"first", first}, {"second", second}}); });
}

TEST(Inputs, OfTheDeclaredFormAreTaken) {
  EXPECT_EQ(shape(two_inputs().run({{"first", kTwoByThree}, {"second", kTwoByThree}}).at("y")),
            (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(two_inputs()
                .run({{"first", kTwoByThree}, {"second", Tensor::zeros(DType::kF32, {2, 1})}})
                .size(),
            1u);
}

TEST(Inputs, MustBeTheDeclaredOnes) {
  expect_error(ErrorCode::kMissingInput, {"input 'second'", "not given", "(N, ?)"}, [] {
    two_inputs().run({{"first", kTwoByThree}});
  });
  expect_error(ErrorCode::kUnknownName, {"'frist'", "'first', 'second'", "did you mean 'first'"},
               [] {
                 two_inputs().run({{"frist", kTwoByThree}});
               });
}

TEST(Inputs, MustHaveTheDeclaredTypeAndShape) {
  expect_refused(ErrorCode::kTypeMismatch, {"input 'first'", "expected float32", "got float64"},
                 Tensor::zeros(DType::kF64, {2, 3}), kTwoByThree);
  expect_refused(ErrorCode::kShapeMismatch, {"input 'first'", "expected (N, 3)", "got (2, 4)"},
                 Tensor::zeros(DType::kF32, {2, 4}), kTwoByThree);
  expect_refused(ErrorCode::kShapeMismatch, {"expected (N, 3)", "got (3,)"},
                 Tensor::zeros(DType::kF32, {3}), kTwoByThree);
  expect_refused(ErrorCode::kShapeMismatch,
                 {"input 'second'", "symbol 'N'", "expected 2 as in input 'first'", "got 1"},
                 kTwoByThree, Tensor::zeros(DType::kF32, {1, 3}));
}

TEST(Inputs, MustHaveDataAndWholeStrides) {
  expect_refused(ErrorCode::kNullData, {"input 'first'", "null"},
                 TensorView(nullptr, DType::kF32, {2, 3}), kTwoByThree);
  expect_refused(ErrorCode::kShapeMismatch, {"shape and strides differ", "2 strides", "got 1"},
                 TensorView(kTwoByThree.data(), DType::kF32, {2, 3}, {3}), kTwoByThree);
  expect_refused(ErrorCode::kSizeOverflow, {"negative extent"},
                 TensorView(kTwoByThree.data(), DType::kF32, {-2, 3}, {3, 1}), kTwoByThree);
}

TEST(Inputs, MayHaveAnyStrides) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const TensorView turned(x.data(), DType::kF32, {2, 3}, {1, 2});
  const Tensor one = Tensor::of<float>({1}, {1});
  const TensorView ones(one.data(), DType::kF32, {2, 1}, {0, 0});
  EXPECT_EQ(values<float>(two_inputs().run({{"first", turned}, {"second", ones}}).at("y")),
            (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST(Inputs, WithAnInitialiserHaveADefault) {
  ModelBuilder model(14, 3);
  model.input("x", DType::kF32, {2}).input("scale", DType::kF32, {1});
  model.initialiser("scale", Tensor::of<float>({10}, {1}));
  model.node("m", "Mul", {"x", "scale"}, {"y"}).output("y");
  const Graph graph = model.load();
  ASSERT_EQ(graph.inputs().size(), 1u);
  const Tensor x = Tensor::of<float>({1, 2}, {2});
  EXPECT_EQ(values<float>(graph.run({{"x", x}}).at("y")), (std::vector<float>{10, 20}));
  const Tensor scale = Tensor::of<float>({3}, {1});
  EXPECT_EQ(values<float>(graph.run({{"x", x}, {"scale", scale}}).at("y")),
            (std::vector<float>{3, 6}));
}

}  // namespace
}  // namespace tenfold::graph
