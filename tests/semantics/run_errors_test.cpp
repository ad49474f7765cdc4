// What a plan and a run refuse: each mistake with its code, and nothing written.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "support/check.hpp"
#include "tenfold/error.hpp"
#include "tenfold/reduce.hpp"

namespace tenfold {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

void expect_code(ErrorCode code, auto&& call) {
  try {
    call();
    FAIL() << "no error; expected " << name_of(code);
  } catch (const Error& e) {
    EXPECT_EQ(name_of(e.code()), name_of(code)) << e.what();
    EXPECT_FALSE(e.where().empty()) << e.what();
  }
}

void expect_plan_error(ErrorCode code, const ReduceSpec& spec, const TensorView& input) {
  expect_code(code, [&] { ReducePlan(spec, input); });
}

TensorView shape_only(DType dtype, const Dims& shape) { return {nullptr, dtype, shape}; }

// ---- the plan ----

TEST(PlanErrors, AxisOutOfRange) {
  const TensorView x = shape_only(DType::kF32, {2, 3});
  for (std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, kHuge, -kHuge - 1})
    expect_plan_error(ErrorCode::kAxisOutOfRange, {.axes = Dims{axis}}, x);
  expect_plan_error(ErrorCode::kAxisOutOfRange, {.axes = Dims{0}}, shape_only(DType::kF32, {}));
}

TEST(PlanErrors, DuplicateAxis) {
  const TensorView x = shape_only(DType::kF32, {2, 3});
  expect_plan_error(ErrorCode::kDuplicateAxis, {.axes = Dims{1, 1}}, x);
  expect_plan_error(ErrorCode::kDuplicateAxis, {.axes = Dims{1, -1}}, x);
}

TEST(PlanErrors, TypeWithoutTheOperator) {
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kLogSumExp})
    expect_plan_error(ErrorCode::kTypeNotAllowed, {.op = op}, shape_only(DType::kBool, {4}));
  expect_plan_error(ErrorCode::kTypeNotAllowed, {.dtype = DType::kBool},
                    shape_only(DType::kF32, {4}));
}

TEST(PlanErrors, ArgOfNothing) {
  for (ReduceOp op : {ReduceOp::kArgMax, ReduceOp::kArgMin})
    expect_plan_error(ErrorCode::kEmptyAxis, {.op = op, .axes = Dims{1}},
                      shape_only(DType::kF32, {2, 0}));
}

TEST(PlanErrors, ArgOfSeveralAxes) {
  EXPECT_THROW(
      ReducePlan({.op = ReduceOp::kArgMax, .axes = Dims{0, 1}}, shape_only(DType::kF32, {2, 3})),
      Error);
}

TEST(PlanErrors, ExtremesOfNothingWhereThatIsAnError) {
  const ReduceSpec spec{.op = ReduceOp::kMax, .axes = Dims{1}, .empty_is_error = true};
  expect_plan_error(ErrorCode::kEmptyAxis, spec, shape_only(DType::kF32, {2, 0}));
  // As in NumPy also where there is no output element, but not where only the output is empty.
  expect_plan_error(ErrorCode::kEmptyAxis, spec, shape_only(DType::kF32, {0, 0}));
  EXPECT_EQ(ReducePlan(spec, shape_only(DType::kF32, {0, 2})).output_shape(), (Dims{0}));
}

TEST(PlanErrors, ShapesThatOverflow) {
  const Dims shape = {kHuge, 2};
  TensorView x;
  x.dtype = DType::kF32;
  x.shape = shape;
  x.strides = Dims{0, 0};
  expect_plan_error(ErrorCode::kSizeOverflow, {.axes = Dims{0}}, x);
  x.shape = Dims{2, -1};
  expect_plan_error(ErrorCode::kSizeOverflow, {.axes = Dims{0}}, x);
}

TEST(PlanErrors, StridesThatOverflow) {
  TensorView x;
  x.dtype = DType::kF64;
  x.shape = Dims{3, 2};
  for (std::int64_t stride : {kHuge, -kHuge, kHuge / 2, kHuge / 8, -kHuge - 1}) {
    x.strides = Dims{stride, 1};
    expect_plan_error(ErrorCode::kSizeOverflow, {.axes = Dims{0}}, x);
  }
}

TEST(PlanErrors, StridesOfAnotherRank) {
  TensorView x = shape_only(DType::kF32, {2, 3});
  x.strides = Dims{1};
  expect_plan_error(ErrorCode::kShapeMismatch, {}, x);
  expect_code(ErrorCode::kShapeMismatch, [&] {
    ReducePlan({.axes = Dims{1}}, shape_only(DType::kF32, {2, 3}), Dims{1, 1});
  });
}

TEST(PlanErrors, RankTooLarge) {
  const std::vector<std::int64_t> ones(65, 1);
  expect_code(ErrorCode::kRankTooLarge, [&] { Dims{std::span(ones)}; });
}

TEST(PlanErrors, NameTheOperator) {
  try {
    ReducePlan({.axes = Dims{5}, .label = "ReduceSum-13"}, shape_only(DType::kF32, {2, 3}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "ReduceSum-13");
  }
  try {
    ReducePlan({.op = ReduceOp::kMin, .axes = Dims{5}}, shape_only(DType::kF32, {2, 3}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "min");
  }
}

// ---- the run ----

class RunErrors : public ::testing::Test {
 protected:
  std::vector<float> x_ = {1, 2, 3, 4, 5, 6};
  std::vector<float> y_ = {-1, -1, -1};
  TensorView input_{x_.data(), Dims{2, 3}};
  MutableTensorView output_{y_.data(), Dims{2}};
  ReducePlan plan_{{.axes = Dims{1}}, input_};

  void refuses(ErrorCode code, const TensorView& input, const MutableTensorView& output) {
    expect_code(code, [&] { plan_.run(input, output); });
    EXPECT_EQ(y_, (std::vector<float>{-1, -1, -1})) << "something was written";
    EXPECT_EQ(x_, (std::vector<float>{1, 2, 3, 4, 5, 6})) << "something was written";
  }
};

TEST_F(RunErrors, GoodCallWorks) {
  plan_.run(input_, output_);
  EXPECT_EQ(y_, (std::vector<float>{6, 15, -1}));
}

TEST_F(RunErrors, OtherType) {
  TensorView other = input_;
  other.dtype = DType::kI32;
  refuses(ErrorCode::kTypeMismatch, other, output_);
  MutableTensorView wrong = output_;
  wrong.dtype = DType::kF64;
  refuses(ErrorCode::kTypeMismatch, input_, wrong);
}

TEST_F(RunErrors, OtherShape) {
  refuses(ErrorCode::kShapeMismatch, TensorView(x_.data(), Dims{3, 2}), output_);
  refuses(ErrorCode::kShapeMismatch, TensorView(x_.data(), Dims{6}), output_);
  refuses(ErrorCode::kShapeMismatch, input_, MutableTensorView(y_.data(), Dims{3}));
  refuses(ErrorCode::kShapeMismatch, input_, MutableTensorView(y_.data(), Dims{2, 1}));
}

TEST_F(RunErrors, OtherStrides) {
  refuses(ErrorCode::kShapeMismatch, TensorView(x_.data(), DType::kF32, Dims{2, 3}, Dims{1, 2}),
          output_);
  refuses(ErrorCode::kShapeMismatch, input_,
          MutableTensorView(y_.data(), DType::kF32, Dims{2}, Dims{2}));
}

TEST_F(RunErrors, NullData) {
  refuses(ErrorCode::kNullData, TensorView(nullptr, DType::kF32, Dims{2, 3}), output_);
  refuses(ErrorCode::kNullData, input_, MutableTensorView(nullptr, DType::kF32, Dims{2}));
}

TEST_F(RunErrors, OutputOverInput) {
  for (std::int64_t at : {0, 1, 4, 5})
    refuses(ErrorCode::kOverlap, input_, MutableTensorView(x_.data() + at, Dims{2}));
}

TEST(RunOverlap, TouchingIsNotOverlapping) {
  std::vector<float> memory = {0, 0, 1, 2, 3, 4, 5, 6, 0, 0};
  const TensorView input(memory.data() + 2, Dims{2, 3});
  reduce_into(input, {.axes = Dims{1}}, MutableTensorView(memory.data(), Dims{2}));
  reduce_into(input, {.axes = Dims{1}}, MutableTensorView(memory.data() + 8, Dims{2}));
  EXPECT_EQ(memory, (std::vector<float>{6, 15, 1, 2, 3, 4, 5, 6, 6, 15}));
}

TEST(RunOverlap, InPlaceWhereNothingIsReduced) {
  std::vector<float> x = {-1, 2, -3, 4};
  const MutableTensorView view(x.data(), Dims{2, 2});
  reduce_into(view, {.op = ReduceOp::kL1, .axes = Dims{}}, view);
  EXPECT_EQ(x, (std::vector<float>{1, 2, 3, 4}));
  // Another layout of the same memory is refused: an element would be read after it is written.
  const MutableTensorView turned(x.data(), DType::kF32, Dims{2, 2}, Dims{1, 2});
  expect_code(ErrorCode::kOverlap,
              [&] { reduce_into(view, {.op = ReduceOp::kL1, .axes = Dims{}}, turned); });
  const std::vector<float> unchanged = {1, 2, 3, 4};
  EXPECT_EQ(x, unchanged);
}

TEST(RunOverlap, BackwardsViewsReachBeforeTheirPointer) {
  std::vector<float> x = {1, 2, 3, 4};
  const TensorView backwards(x.data() + 3, DType::kF32, Dims{4}, Dims{-1});
  expect_code(ErrorCode::kOverlap,
              [&] { reduce_into(backwards, {}, MutableTensorView(x.data(), Dims{})); });
}

TEST(RunOverlap, OutputOverItself) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {0, 0};
  expect_code(ErrorCode::kOverlap, [&] {
    reduce_into(TensorView(x.data(), Dims{2, 3}), {.axes = Dims{1}},
                MutableTensorView(y.data(), DType::kF32, Dims{2}, Dims{0}));
  });
}

TEST(RunWithoutElements, NeedsNoData) {
  const Tensor sum = reduce(TensorView(nullptr, DType::kF32, Dims{0, 3}), {.axes = Dims{0}});
  EXPECT_EQ(testing::difference(sum, Tensor::zeros(DType::kF32, Dims{3})), "");
  const ReducePlan plan({.axes = Dims{1}}, TensorView(nullptr, DType::kF32, Dims{0, 3}));
  plan.run(TensorView(nullptr, DType::kF32, Dims{0, 3}),
           MutableTensorView(nullptr, DType::kF32, Dims{0}));
}

TEST(ReduceInto, ChecksTheOutput) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {0, 0, 0};
  const TensorView input(x.data(), Dims{2, 3});
  expect_code(ErrorCode::kShapeMismatch,
              [&] { reduce_into(input, {.axes = Dims{1}}, MutableTensorView(y.data(), Dims{3})); });
  std::vector<double> wide = {0, 0};
  expect_code(ErrorCode::kTypeMismatch, [&] {
    reduce_into(input, {.axes = Dims{1}}, MutableTensorView(wide.data(), Dims{2}));
  });
}

}  // namespace
}  // namespace tenfold
