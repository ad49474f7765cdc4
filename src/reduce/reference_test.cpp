// The oracle itself, held against values worked out by hand.
#include "reduce/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tenfold {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
T one(ReduceOp op, std::vector<T> x) {
  const TensorView view(x.data(), Dims{static_cast<std::int64_t>(x.size())});
  return reference_reduce(view, {.op = op}).template values<T>()[0];
}

std::int64_t index_of(ReduceOp op, std::vector<float> x, bool last = false) {
  const TensorView view(x.data(), Dims{static_cast<std::int64_t>(x.size())});
  const ReduceSpec spec{.op = op, .axes = Dims{0}, .select_last_index = last};
  return reference_reduce(view, spec).values<std::int64_t>()[0];
}

TEST(Reference, EveryOperatorOnPlainFloats) {
  const std::vector<float> x = {3, -4};
  EXPECT_EQ(one(ReduceOp::kSum, x), -1);
  EXPECT_EQ(one(ReduceOp::kMean, x), -0.5f);
  EXPECT_EQ(one(ReduceOp::kMax, x), 3);
  EXPECT_EQ(one(ReduceOp::kMin, x), -4);
  EXPECT_EQ(one(ReduceOp::kProd, x), -12);
  EXPECT_EQ(one(ReduceOp::kL1, x), 7);
  EXPECT_EQ(one(ReduceOp::kL2, x), 5);
  EXPECT_EQ(one(ReduceOp::kSumSquare, x), 25);
  EXPECT_TRUE(std::isnan(one(ReduceOp::kLogSum, x)));
  EXPECT_EQ(one(ReduceOp::kLogSum, std::vector<float>{0.25f, 0.75f}), 0);
  EXPECT_FLOAT_EQ(one(ReduceOp::kLogSumExp, std::vector<float>{1000, 1000}), 1000.6931f);
}

TEST(Reference, EmptyFloats) {
  const std::vector<float> none;
  EXPECT_EQ(one(ReduceOp::kSum, none), 0);
  EXPECT_FALSE(std::signbit(one(ReduceOp::kSum, none)));
  EXPECT_TRUE(std::isnan(one(ReduceOp::kMean, none)));
  EXPECT_EQ(one(ReduceOp::kMax, none), -kInf);
  EXPECT_EQ(one(ReduceOp::kMin, none), kInf);
  EXPECT_EQ(one(ReduceOp::kProd, none), 1);
  EXPECT_EQ(one(ReduceOp::kL1, none), 0);
  EXPECT_EQ(one(ReduceOp::kL2, none), 0);
  EXPECT_EQ(one(ReduceOp::kSumSquare, none), 0);
  EXPECT_EQ(one(ReduceOp::kLogSum, none), -kInf);
  EXPECT_EQ(one(ReduceOp::kLogSumExp, none), -kInf);
}

TEST(Reference, EmptyIntegersAndBool) {
  EXPECT_EQ(one(ReduceOp::kMax, std::vector<std::int8_t>{}), -128);
  EXPECT_EQ(one(ReduceOp::kMin, std::vector<std::uint16_t>{}), 65535);
  EXPECT_EQ(one(ReduceOp::kMean, std::vector<std::int32_t>{}), 0);
  EXPECT_EQ(one(ReduceOp::kProd, std::vector<std::int32_t>{}), 1);
  EXPECT_FALSE(bool(one(ReduceOp::kMax, std::vector<Bool>{})));
  EXPECT_TRUE(bool(one(ReduceOp::kMin, std::vector<Bool>{})));
  EXPECT_TRUE(bool(one(ReduceOp::kAll, std::vector<Bool>{})));
  EXPECT_FALSE(bool(one(ReduceOp::kAny, std::vector<Bool>{})));
}

TEST(Reference, Bool) {
  const std::vector<Bool> x = {Bool(true), Bool(false)};
  EXPECT_TRUE(bool(one(ReduceOp::kMax, x)));
  EXPECT_FALSE(bool(one(ReduceOp::kMin, x)));
  EXPECT_TRUE(bool(one(ReduceOp::kAny, x)));
  EXPECT_FALSE(bool(one(ReduceOp::kAll, x)));
}

TEST(Reference, IntegersWrap) {
  EXPECT_EQ(one(ReduceOp::kSum, std::vector<std::int8_t>{100, 100}), -56);
  EXPECT_EQ(one(ReduceOp::kProd, std::vector<std::uint8_t>{16, 17}), 16);
  EXPECT_EQ(one(ReduceOp::kL1, std::vector<std::int8_t>{-128}), -128);
  EXPECT_EQ(one(ReduceOp::kSumSquare, std::vector<std::int32_t>{46341, 0}), -2147479015);
  EXPECT_EQ(one(ReduceOp::kProd, std::vector<std::int64_t>{205891132094649, 3486784401}),
            6048575297968530377);
  EXPECT_EQ(one(ReduceOp::kSum, std::vector<std::uint64_t>{~0ull, 2}), 1u);
}

TEST(Reference, IntegerMeansTruncateAndDoNotOverflow) {
  EXPECT_EQ(one(ReduceOp::kMean, std::vector<std::int32_t>{-3, -4}), -3);
  EXPECT_EQ(one(ReduceOp::kMean, std::vector<std::int8_t>{127, 127, 126}), 126);
  EXPECT_EQ(one(ReduceOp::kMean, std::vector<std::uint64_t>{~0ull, ~0ull}), ~0ull);
  EXPECT_EQ(one(ReduceOp::kMean, std::vector<std::int64_t>{(1ll << 53) + 1, (1ll << 53) + 1}),
            (1ll << 53) + 1);
}

TEST(Reference, IntegerRootsAreExactAndSaturate) {
  EXPECT_EQ(one(ReduceOp::kL2, std::vector<std::int32_t>{1, 1}), 1);
  EXPECT_EQ(one(ReduceOp::kL2, std::vector<std::int8_t>{-128, 127}), 127);
  EXPECT_EQ(one(ReduceOp::kL2, std::vector<std::uint64_t>{~0ull, ~0ull}), ~0ull);
  const std::int64_t big = 3037000499999;  // its square is far past 2^64
  EXPECT_EQ(one(ReduceOp::kL2, std::vector<std::int64_t>{3 * big, 4 * big}), 5 * big);
  EXPECT_EQ(one(ReduceOp::kL2, std::vector<std::int64_t>{-(1ll << 62)}), 1ll << 62);
}

TEST(Reference, IntegerLogarithmsTruncate) {
  EXPECT_EQ(one(ReduceOp::kLogSum, std::vector<std::int32_t>{3, 5}), 2);
  EXPECT_EQ(one(ReduceOp::kLogSumExp, std::vector<std::int32_t>{3, 5}), 5);
  EXPECT_EQ(one(ReduceOp::kLogSumExp, std::vector<std::int32_t>{-3, -5}), -2);
}

TEST(Reference, NanFromAnyPosition) {
  for (std::size_t at = 0; at < 3; ++at) {
    std::vector<float> x = {1, 2, 3};
    x[at] = kNan;
    for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin,
                        ReduceOp::kProd, ReduceOp::kL1, ReduceOp::kL2, ReduceOp::kSumSquare,
                        ReduceOp::kLogSum, ReduceOp::kLogSumExp})
      EXPECT_TRUE(std::isnan(one(op, x))) << name_of(op) << at;
    EXPECT_EQ(index_of(ReduceOp::kArgMax, x), static_cast<std::int64_t>(at));
    EXPECT_EQ(index_of(ReduceOp::kArgMin, x), static_cast<std::int64_t>(at));
  }
}

TEST(Reference, TheNanIsCanonical) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(one(ReduceOp::kSum, std::vector<float>{kInf, -kInf})),
            0x7FC00000u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(one(ReduceOp::kMax, std::vector<float>{-kNan})),
            0x7FC00000u);
  EXPECT_EQ(one(ReduceOp::kMax, std::vector<Float16>{Float16::from_bits(0xFFFF)}).bits, 0x7E00);
  EXPECT_EQ(one(ReduceOp::kMin, std::vector<BFloat16>{BFloat16::from_bits(0xFFFF)}).bits, 0x7FC0);
}

TEST(Reference, Infinities) {
  EXPECT_EQ(one(ReduceOp::kLogSumExp, std::vector<float>{-kInf, -kInf}), -kInf);
  EXPECT_EQ(one(ReduceOp::kLogSumExp, std::vector<float>{kInf, -kInf}), kInf);
  EXPECT_EQ(one(ReduceOp::kLogSumExp, std::vector<float>{-kInf, 2}), 2);
  EXPECT_EQ(one(ReduceOp::kL1, std::vector<float>{-kInf, 1}), kInf);
  EXPECT_EQ(one(ReduceOp::kL2, std::vector<float>{-kInf, 1}), kInf);
  EXPECT_TRUE(std::isnan(one(ReduceOp::kProd, std::vector<float>{kInf, 0})));
}

TEST(Reference, SignOfZero) {
  EXPECT_TRUE(std::signbit(one(ReduceOp::kSum, std::vector<float>{-0.0f, -0.0f})));
  EXPECT_FALSE(std::signbit(one(ReduceOp::kSum, std::vector<float>{-0.0f, 0.0f})));
  EXPECT_FALSE(std::signbit(one(ReduceOp::kSum, std::vector<float>{-1, 1})));
  EXPECT_FALSE(std::signbit(one(ReduceOp::kMax, std::vector<float>{0.0f, -0.0f})));
  EXPECT_FALSE(std::signbit(one(ReduceOp::kMax, std::vector<float>{-0.0f, 0.0f})));
  EXPECT_TRUE(std::signbit(one(ReduceOp::kMin, std::vector<float>{0.0f, -0.0f})));
  EXPECT_TRUE(std::signbit(one(ReduceOp::kMin, std::vector<float>{-0.0f, 0.0f})));
  EXPECT_FALSE(std::signbit(one(ReduceOp::kL1, std::vector<float>{-0.0f})));
}

TEST(Reference, TiesOfArg) {
  EXPECT_EQ(index_of(ReduceOp::kArgMax, {1, 3, 3, 0}), 1);
  EXPECT_EQ(index_of(ReduceOp::kArgMax, {1, 3, 3, 0}, true), 2);
  EXPECT_EQ(index_of(ReduceOp::kArgMin, {-0.0f, 0.0f}), 0);
  EXPECT_EQ(index_of(ReduceOp::kArgMin, {-0.0f, 0.0f}, true), 1);
  EXPECT_EQ(index_of(ReduceOp::kArgMax, {1, kNan, 9, kNan}), 1);
  EXPECT_EQ(index_of(ReduceOp::kArgMax, {1, kNan, 9, kNan}, true), 3);
  EXPECT_EQ(index_of(ReduceOp::kArgMax, {-kInf, -kInf}), 0);
}

TEST(Reference, WideWhereItMatters) {
  EXPECT_EQ(one(ReduceOp::kMean, std::vector<float>{3e38f, 3e38f}), 3e38f);
  EXPECT_EQ(one(ReduceOp::kL2, std::vector<float>{3e30f, 4e30f}), 5e30f);
  EXPECT_DOUBLE_EQ(one(ReduceOp::kL2, std::vector<double>{3e-200, 4e-200}), 5e-200);
  const std::vector<Float16> x = {Float16(60000.f), Float16(60000.f), Float16(-60000.f)};
  EXPECT_EQ(one(ReduceOp::kSum, x).bits, Float16(60000.f).bits);
  EXPECT_EQ(static_cast<float>(one(ReduceOp::kSum, std::vector<BFloat16>(4096, BFloat16(1.f)))),
            4096);
}

TEST(Reference, AxesKeepdimsAndStrides) {
  const std::vector<std::int32_t> x = {1, 2, 3, 4, 5, 6};
  const TensorView rows(x.data(), Dims{2, 3});
  const Tensor by_row = reference_reduce(rows, {.axes = Dims{-1}, .keepdims = true});
  EXPECT_EQ(by_row.shape(), (Dims{2, 1}));
  EXPECT_EQ(by_row.values<std::int32_t>()[1], 15);
  const Tensor by_column = reference_reduce(permuted(rows, Dims{1, 0}), {.axes = Dims{1}});
  EXPECT_EQ(by_column.shape(), (Dims{3}));
  EXPECT_EQ(by_column.values<std::int32_t>()[2], 9);
  EXPECT_EQ(reference_reduce(rows, {}).shape(), Dims{});
  EXPECT_EQ(reference_reduce(rows, {}).values<std::int32_t>()[0], 21);
}

TEST(Reference, NoAxesStillMaps) {
  const std::vector<float> x = {-2, 3};
  const TensorView view(x.data(), Dims{2});
  const Tensor l1 = reference_reduce(view, {.op = ReduceOp::kL1, .axes = Dims{}});
  EXPECT_EQ(l1.values<float>()[0], 2);
  const Tensor sum = reference_reduce(view, {.op = ReduceOp::kSum, .axes = Dims{}});
  EXPECT_EQ(sum.values<float>()[0], -2);
}

TEST(Reference, DtypeConvertsFirst) {
  const std::vector<std::int8_t> x = {100, 100};
  const TensorView view(x.data(), Dims{2});
  const Tensor sum = reference_reduce(view, {.dtype = DType::kI64});
  EXPECT_EQ(sum.values<std::int64_t>()[0], 200);
  const Tensor mean = reference_reduce(view, {.op = ReduceOp::kMean, .dtype = DType::kF64});
  EXPECT_EQ(mean.values<double>()[0], 100);
  const std::vector<float> f = {kNan, 300.7f, -1e9f, 0.5f};
  const TensorView floats(f.data(), Dims{4});
  const Tensor cut = reference_reduce(floats, {.axes = Dims{}, .dtype = DType::kI16});
  EXPECT_EQ(cut.values<std::int16_t>()[0], 0);
  EXPECT_EQ(cut.values<std::int16_t>()[1], 300);
  EXPECT_EQ(cut.values<std::int16_t>()[2], -32768);
  const Tensor truth = reference_reduce(floats, {.op = ReduceOp::kAll, .dtype = DType::kBool});
  EXPECT_TRUE(bool(truth.values<Bool>()[0]));  // NaN is true
}

}  // namespace
}  // namespace tenfold
