// The plan's choices, as explain() tells them: which block, what is packed, what the kernel is
// called.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tenfold/error.hpp"
#include "tenfold/reduce.hpp"

namespace tenfold {
namespace {

std::string explain(ReduceOp op, const TensorView& x, const Dims& axes,
                    std::optional<DType> dtype = {}) {
  ReduceSpec spec;
  spec.op = op;
  spec.axes = axes;
  spec.dtype = dtype;
  return ReducePlan(spec, x).explain();
}

TensorView view(DType dtype, const Dims& shape) { return {nullptr, dtype, shape}; }
TensorView view(DType dtype, const Dims& shape, const Dims& strides) {
  return {nullptr, dtype, shape, strides};
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Plan, LastAxisIsAnInnerBlockReadInPlace) {
  const auto text = explain(ReduceOp::kSum, view(DType::kF32, {32, 100}), {1});
  EXPECT_SAYS(text, "inner: 32 rows of 100 elements");
  EXPECT_SAYS(text, "SumOp<float, float>");
  EXPECT_SAYS(text, "reads the operand where it lies");
}

TEST(Plan, FirstAxisIsAnOuterBlock) {
  const auto text = explain(ReduceOp::kMean, view(DType::kF16, {100, 32}), {0});
  EXPECT_SAYS(text, "outer: 1 groups of 100 rows of 32 columns");
  EXPECT_SAYS(text, "SumOp<Float16, float>");
}

TEST(Plan, TransposedViewReducesItsContiguousAxis) {
  const auto text = explain(ReduceOp::kMax, view(DType::kF32, {64, 32}, {1, 64}), {0});
  EXPECT_SAYS(text, "inner: 32 rows of 64 elements");
  EXPECT_SAYS(text, "reads the operand where it lies");
}

TEST(Plan, AlternatingAxesNest) {
  const auto text = explain(ReduceOp::kSum, view(DType::kF32, {2, 3, 4, 5}), {1, 3});
  EXPECT_SAYS(text, "inner: 4 rows of 5 elements");
  EXPECT_SAYS(text, "reduced loops: 3 (stride 20)");
}

TEST(Plan, StridedRowsAreGathered) {
  const auto text = explain(ReduceOp::kSum, view(DType::kF32, {8, 50}, {100, 2}), {1});
  EXPECT_SAYS(text, "blocks are gathered");
}

TEST(Plan, AnotherTypeIsConvertedInBlocks) {
  const auto text = explain(ReduceOp::kSum, view(DType::kI8, {8, 50}), {1}, DType::kI64);
  EXPECT_SAYS(text, "converted from i8 to i64");
}

TEST(Plan, EmptySetAndEmptyOutput) {
  EXPECT_SAYS(explain(ReduceOp::kSum, view(DType::kF32, {3, 0}), {1}), "empty set");
  EXPECT_SAYS(explain(ReduceOp::kSum, view(DType::kF32, {0, 3}), {1}), "nothing to do");
}

TEST(Plan, ShapesWithAndWithoutKeepdims) {
  ReduceSpec spec;
  spec.axes = Dims{0, -1};
  EXPECT_EQ(ReducePlan(spec, view(DType::kF32, {2, 3, 4})).output_shape(), Dims{3});
  spec.keepdims = true;
  EXPECT_EQ(ReducePlan(spec, view(DType::kF32, {2, 3, 4})).output_shape(), (Dims{1, 3, 1}));
  spec.axes = std::nullopt;
  EXPECT_EQ(ReducePlan(spec, view(DType::kF32, {2, 3, 4})).output_shape(), (Dims{1, 1, 1}));
}

TEST(Plan, ScratchHoldsForAnyRankAndLength) {
  // Many nested reduced loops with large states: the tiles must shrink, not the scratch overflow.
  Dims shape, strides;
  for (int i = 0; i < 14; ++i) {
    shape.push_back(2);
    strides.push_back(i % 2 ? 3 << (14 - i) : 5 << (14 - i));
  }
  Dims axes;
  for (int i = 0; i < 14; i += 2) axes.push_back(i);
  std::vector<double> x(1 << 19, 1.0);
  ReduceSpec spec;
  spec.axes = axes;
  const Tensor y = reduce(TensorView(x.data(), DType::kF64, shape, strides), spec);
  for (double v : y.values<double>()) ASSERT_EQ(v, 128.0);
}

TEST(Plan, ComplexNumbersAreRefusedInEveryOperation) {
  const auto refuse = [](ReduceOp op, DType from, std::optional<DType> to) {
    try {
      explain(op, view(from, {2, 3}), {1}, to);
      ADD_FAILURE() << "no error: " << name_of(op);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kTypeNotAllowed) << e.what();
    }
  };
#define X(id, name)                                 \
  refuse(ReduceOp::id, DType::kC64, std::nullopt);  \
  refuse(ReduceOp::id, DType::kC128, std::nullopt); \
  refuse(ReduceOp::id, DType::kC64, DType::kF32);   \
  refuse(ReduceOp::id, DType::kF32, DType::kC64);
  TENFOLD_REDUCE_OPS(X)
#undef X
}

}  // namespace
}  // namespace tenfold
