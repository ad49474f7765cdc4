// What a plan and the one-call functions refuse, beside mistakes in the equation itself: an error
// that says what was expected and got, and an output left as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/einsum.hpp"
#include "tenfold/error.hpp"

namespace tenfold::testing {
namespace {

void expect_error(ErrorCode code, const std::string& fragment, const std::function<void()>& f) {
  try {
    f();
    ADD_FAILURE() << "no error, expected " << name_of(code);
  } catch (const Error& e) {
    EXPECT_EQ(name_of(e.code()), name_of(code)) << e.what();
    EXPECT_NE(std::string_view(e.what()).find(fragment), std::string_view::npos)
        << e.what() << "\nexpected in it: " << fragment;
    EXPECT_FALSE(e.where().empty()) << e.what();
  }
}

class EinsumRunErrors : public ::testing::Test {
 protected:
  void refuse(ErrorCode code, const std::string& fragment, std::vector<TensorView> operands,
              const MutableTensorView& output) {
    expect_error(code, fragment, [&] { plan_.run(operands, output); });
    EXPECT_TRUE(std::ranges::all_of(c_.values<float>(), [](float x) { return x == 0; }))
        << "the output was touched";
  }

  Tensor a_ = Tensor::zeros(DType::kF32, {2, 3}), b_ = Tensor::zeros(DType::kF32, {3, 4});
  Tensor c_ = Tensor::zeros(DType::kF32, {2, 4});
  EinsumPlan plan_{{.equation = "ij,jk->ik"}, {a_, b_}};
};

TEST_F(EinsumRunErrors, OperandsOtherThanPlanned) {
  refuse(ErrorCode::kBadArgument, "expected 2, got 1", {a_}, c_);
  refuse(ErrorCode::kBadArgument, "expected 2, got 3", {a_, b_, b_}, c_);
  refuse(ErrorCode::kShapeMismatch, "operand 0", {b_, b_}, c_);
  refuse(ErrorCode::kShapeMismatch, "operand 1",
         {a_, TensorView(b_.data(), DType::kF32, {3, 4}, {1, 3})}, c_);
  refuse(ErrorCode::kTypeMismatch, "operand 1", {a_, TensorView(b_.data(), DType::kI32, {3, 4})},
         c_);
  refuse(ErrorCode::kNullData, "operand 0", {TensorView(nullptr, DType::kF32, {2, 3}), b_}, c_);
}

TEST_F(EinsumRunErrors, OutputsOtherThanPlanned) {
  refuse(ErrorCode::kShapeMismatch, "output", {a_, b_},
         MutableTensorView(c_.data(), DType::kF32, {4, 2}));
  refuse(ErrorCode::kShapeMismatch, "output", {a_, b_},
         MutableTensorView(c_.data(), DType::kF32, {2, 4}, {1, 2}));
  refuse(ErrorCode::kTypeMismatch, "output", {a_, b_},
         MutableTensorView(c_.data(), DType::kI32, {2, 4}));
  refuse(ErrorCode::kNullData, "output", {a_, b_}, MutableTensorView(nullptr, DType::kF32, {2, 4}));
}

TEST_F(EinsumRunErrors, AnOutputThatOverlapsAnOperand) {
  Tensor memory = Tensor::zeros(DType::kF32, {64});
  auto* at = memory.values<float>().data();
  const MutableTensorView out(at + 8, Dims{2, 4});
  refuse(ErrorCode::kOverlap, "operand 0", {TensorView(at + 3, Dims{2, 3}), b_}, out);
  refuse(ErrorCode::kOverlap, "operand 1", {a_, TensorView(at + 15, Dims{3, 4})}, out);
  plan_.run({TensorView(at + 2, Dims{2, 3}), TensorView(at + 16, Dims{3, 4})},
            out);  // side by side
}

TEST(EinsumPlanErrors, OutputsThatCannotBe) {
  const TensorView x(nullptr, DType::kF32, Dims{2, 3});
  expect_error(ErrorCode::kOverlap, "non-zero output strides", [&] {
    EinsumPlan({.equation = "ij->ij"}, std::vector{x}, Dims{0, 1});
  });
  expect_error(ErrorCode::kShapeMismatch, "output strides",
               [&] { EinsumPlan({.equation = "ij->ij"}, std::vector{x}, Dims{1}); });
  const TensorView far(nullptr, DType::kF32, Dims{2, 3}, Dims{INT64_MAX / 8, 1});
  expect_error(ErrorCode::kSizeOverflow, "reach too far",
               [&] { EinsumPlan({.equation = "ij->ij"}, {far}); });
  const TensorView wide(nullptr, DType::kF32, Dims{std::int64_t{1} << 40}, Dims{0});
  expect_error(ErrorCode::kSizeOverflow, "", [&] {
    EinsumPlan({.equation = "i,j->ij"}, {wide, wide});
  });
}

TEST(EinsumPlanErrors, NoOperands) {
  expect_error(ErrorCode::kBadArgument, "operand",
               [] { EinsumPlan({.equation = "->"}, std::vector<TensorView>{}); });
}

TEST(EinsumPlanErrors, MethodsAndPaths) {
  const TensorView x(nullptr, DType::kF32, Dims{2, 2});
  const std::vector<TensorView> three{x, x, x};
  const auto plan = [&](EinsumSpec spec) {
    spec.equation = "ab,bc,cd->ad";
    EinsumPlan(spec, three);
  };
  expect_error(ErrorCode::kUnknownName, "'gredy'", [&] { plan({.method = "gredy"}); });
  for (const EinsumPath& path :
       {EinsumPath{{0, 3}}, EinsumPath{{-1, 0}}, EinsumPath{{0, 0}}, EinsumPath{{0, 1}, {0, 2}},
        EinsumPath{{}}, EinsumPath{{0, 1}, {0, 1}, {0, 1}}})
    expect_error(ErrorCode::kBadArgument, "", [&] { plan({.path = path}); });
  plan({.path = EinsumPath{{0, 1, 2}}});
  plan({.path = EinsumPath{{1, 2}, {0, 1}}});
  plan({.path = EinsumPath{{1, 2}}});
}

TEST(EinsumInto, NeedsAnOutputOfTheRightTypeAndShape) {
  const Tensor a = Tensor::zeros(DType::kF32, {2, 3});
  const std::vector<TensorView> operands{a};
  Tensor wrong_shape = Tensor::zeros(DType::kF32, {2, 3});
  Tensor wrong_type = Tensor::zeros(DType::kF64, {3, 2});
  expect_error(ErrorCode::kShapeMismatch, "(3, 2)",
               [&] { einsum_into({.equation = "ij->ji"}, operands, wrong_shape); });
  expect_error(ErrorCode::kTypeMismatch, "",
               [&] { einsum_into({.equation = "ij->ji"}, operands, wrong_type); });
}

TEST(EinsumInto, WritesIntoAnyStrides) {
  const Tensor a = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor memory = Tensor::zeros(DType::kF32, {12});
  const MutableTensorView out(memory.values<float>().data() + 10, DType::kF32, Dims{3, 2},
                              Dims{-4, -1});
  einsum_into({.equation = "ij->ji"}, std::vector<TensorView>{a}, out);
  const auto all = memory.values<float>();
  // Backwards: the last element lies first.
  EXPECT_EQ(std::vector<float>(all.begin(), all.end()),
            (std::vector<float>{0, 6, 3, 0, 0, 5, 2, 0, 0, 4, 1, 0}));
}

TEST(OneCallEinsum, TakesAnEquationAndViews) {
  const Tensor a = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const Tensor c = einsum("ij,jk->ik", {a, a});
  const auto all = c.values<float>();
  EXPECT_EQ(std::vector<float>(all.begin(), all.end()), (std::vector<float>{7, 10, 15, 22}));
}

// The same equation and shapes with other types, strides and specs are other plans.
TEST(OneCallEinsum, KeepsPlansApart) {
  const Tensor a = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const TensorView turned(a.data(), DType::kF32, Dims{2, 2}, Dims{1, 2});
  const Tensor ints = Tensor::of<std::int32_t>({1, 2, 3, 4}, {2, 2});
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(einsum("ij->i", {a}).values<float>()[0], 3);
    EXPECT_EQ(einsum("ij->i", {turned}).values<float>()[0], 4);
    EXPECT_EQ(einsum("ij->i", {ints}).values<std::int32_t>()[0], 3);
    EXPECT_EQ(einsum({.equation = "ij->i", .dtype = DType::kF64}, std::vector<TensorView>{ints})
                  .values<double>()[1],
              7);
  }
}

}  // namespace
}  // namespace tenfold::testing
