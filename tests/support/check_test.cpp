// The checks of the checks: right results pass, slightly wrong ones don't.
#include "support/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "reduce/reference.hpp"
#include "support/accuracy.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

TEST(Check, TheReferencePassesEverywhere) {
  Random random(1);
  for (DType dtype : all_dtypes())
    for (ReduceOp op : all_ops()) {
      if (!is_defined(op, dtype)) continue;
      const Tensor x = random_tensor(dtype, Dims{3, 40, 5}, op, random);
      for (std::int64_t axis = 0; axis < 3; ++axis) {
        const ReduceSpec spec{.op = op, .axes = Dims{axis}};
        EXPECT_EQ(mismatch(x, spec, reference_reduce(x, spec)), "");
      }
      if (is_arg(op)) continue;
      EXPECT_EQ(mismatch(x, {.op = op}, reference_reduce(x, {.op = op})), "");
      const ReduceSpec none{.op = op, .axes = Dims{}};
      EXPECT_EQ(mismatch(x, none, reference_reduce(x, none)), "");
    }
}

// Moves a result by `steps` representable numbers.
template <class T, class Bits>
std::string off_by(ReduceOp op, int steps, std::int64_t n) {
  Random random(2);
  const Tensor x = random_tensor(dtype_of<T>, Dims{n}, op, random);
  Tensor y = reference_reduce(x, {.op = op});
  Bits bits;
  std::memcpy(&bits, y.data(), sizeof bits);
  bits = static_cast<Bits>(bits + static_cast<Bits>(steps));
  std::memcpy(y.data(), &bits, sizeof bits);
  return mismatch(x, {.op = op}, y);
}

TEST(Check, OneStepOffInTheExactOperators) {
  for (ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kArgMax, ReduceOp::kArgMin}) {
    if (!is_arg(op)) {
      EXPECT_NE((off_by<float, std::uint32_t>(op, 1, 100)), "") << name_of(op);
    }
    EXPECT_NE((off_by<std::int32_t, std::uint32_t>(op, 1, 100)), "") << name_of(op);
  }
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kProd, ReduceOp::kL1,
                      ReduceOp::kL2, ReduceOp::kSumSquare})
    EXPECT_NE((off_by<std::int16_t, std::uint16_t>(op, 1, 100)), "") << name_of(op);
}

TEST(Check, FarOffInTheRoundedOperators) {
  for (ReduceOp op :
       {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kL1, ReduceOp::kL2, ReduceOp::kSumSquare,
        ReduceOp::kProd, ReduceOp::kLogSum, ReduceOp::kLogSumExp}) {
    EXPECT_NE((off_by<float, std::uint32_t>(op, 100000, 100)), "") << name_of(op);
    EXPECT_NE((off_by<double, std::uint64_t>(op, 100000, 100)), "") << name_of(op);
    EXPECT_NE((off_by<Float16, std::uint16_t>(op, 2, 20)), "") << name_of(op);
    EXPECT_NE((off_by<BFloat16, std::uint16_t>(op, 2, 20)), "") << name_of(op);
  }
  // A sum of positive terms within the bound: 35 roundings are 70 half steps, at most 70 steps.
  EXPECT_NE((off_by<float, std::uint32_t>(ReduceOp::kL1, 80, 400)), "");
  EXPECT_EQ((off_by<float, std::uint32_t>(ReduceOp::kL1, 10, 400)), "");
}

std::string check_of(ReduceOp op, std::vector<float> x, float got) {
  const TensorView view(x.data(), Dims{static_cast<std::int64_t>(x.size())});
  return mismatch(view, {.op = op}, Tensor::of<float>({got}, Dims{}));
}

TEST(Check, SpecialResults) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(check_of(ReduceOp::kSum, {1, nan}, nan), "");
  EXPECT_NE(check_of(ReduceOp::kSum, {1, nan}, -nan), "");  // not the canonical NaN
  EXPECT_NE(check_of(ReduceOp::kSum, {1, nan}, 1), "");
  EXPECT_NE(check_of(ReduceOp::kSum, {1, 2}, nan), "");
  EXPECT_NE(check_of(ReduceOp::kSum, {1, 2}, inf), "");
  EXPECT_EQ(check_of(ReduceOp::kL1, {3e38f, 3e38f}, inf), "");
  EXPECT_NE(check_of(ReduceOp::kL1, {3e38f, 3e38f}, 3e38f), "");
  EXPECT_NE(check_of(ReduceOp::kMean, {3e38f, 3e38f}, inf), "");
  EXPECT_EQ(check_of(ReduceOp::kMean, {3e38f, 3e38f}, 3e38f), "");
  EXPECT_NE(check_of(ReduceOp::kL2, {3e30f, 4e30f}, inf), "");
  EXPECT_EQ(check_of(ReduceOp::kL2, {3e30f, 4e30f}, 5e30f), "");
  EXPECT_NE(check_of(ReduceOp::kL2, {3e-30f, 4e-30f}, 0), "");
  EXPECT_NE(check_of(ReduceOp::kSum, {1, -1}, -0.0f), "");
  EXPECT_NE(check_of(ReduceOp::kSum, {-0.0f, -0.0f}, 0), "");
  EXPECT_EQ(check_of(ReduceOp::kSum, {-0.0f, -0.0f}, -0.0f), "");
  EXPECT_NE(check_of(ReduceOp::kMax, {-0.0f, 0.0f}, -0.0f), "");
  EXPECT_EQ(check_of(ReduceOp::kLogSum, {0, 0}, -inf), "");
  EXPECT_NE(check_of(ReduceOp::kLogSum, {-1, -1}, 0), "");
  EXPECT_EQ(check_of(ReduceOp::kLogSum, {-1, -1}, nan), "");
}

TEST(Check, ShapeAndTypeCount) {
  const Tensor x = Tensor::of<float>({1, 2}, Dims{2});
  EXPECT_NE(mismatch(x, {}, Tensor::of<float>({3}, Dims{1})), "");
  EXPECT_NE(mismatch(x, {}, Tensor::of<double>({3}, Dims{})), "");
  EXPECT_EQ(mismatch(x, {}, Tensor::of<float>({3}, Dims{})), "");
}

TEST(Check, ConvertedTypes) {
  const Tensor x = Tensor::of<std::int8_t>({100, 101}, Dims{2});
  const ReduceSpec spec{.op = ReduceOp::kMean, .dtype = DType::kF64};
  EXPECT_EQ(mismatch(x, spec, Tensor::of<double>({100.5}, Dims{})), "");
  EXPECT_NE(mismatch(x, spec, Tensor::of<double>({100}, Dims{})), "");
}

TEST(Check, DepthOfTheTree) {
  EXPECT_EQ(tree_depth(Dims{}), 1);
  EXPECT_EQ(tree_depth(Dims{7}), 7);
  EXPECT_EQ(tree_depth(Dims{512}), 35);
  EXPECT_EQ(tree_depth(Dims{2048}), 37);
  EXPECT_EQ(tree_depth(Dims{512, 512}), 70);  // nested is deeper than merged
}

TEST(ProblemString, SaysHowToMakeItAgain) {
  const Tensor x(DType::kF16, Dims{32, 17, 3});
  EXPECT_EQ(problem_string(x, {.op = ReduceOp::kMax, .axes = Dims{1, 2}}),
            "max dt=f16 shape=32x17x3 axes=1,2 keepdims=0");
  EXPECT_EQ(problem_string(permuted(x.view(), Dims{2, 0, 1}), {.keepdims = true}),
            "sum dt=f16 shape=3x32x17 strides=1x51x3 axes=all keepdims=1");
}

}  // namespace
}  // namespace tenfold::testing
