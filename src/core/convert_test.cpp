#include "core/convert.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace tenfold {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Convert, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ(convert_element<std::int8_t>(1.9), 1);
  EXPECT_EQ(convert_element<std::int8_t>(-1.9f), -1);
  EXPECT_EQ(convert_element<std::int8_t>(1e9), 127);
  EXPECT_EQ(convert_element<std::int8_t>(-kInf), -128);
  EXPECT_EQ(convert_element<std::uint8_t>(-0.5), 0);
  EXPECT_EQ(convert_element<std::uint8_t>(-3.0), 0);
  EXPECT_EQ(convert_element<std::int32_t>(kNan), 0);
  EXPECT_EQ(convert_element<std::int64_t>(0x1p63), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(convert_element<std::int64_t>(-0x1p63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(convert_element<std::uint64_t>(0x1p64f), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(convert_element<std::int32_t>(2147483520.0f), 2147483520);
  EXPECT_EQ(convert_element<std::int32_t>(2147483648.0f), 2147483647);
  EXPECT_EQ(convert_element<std::uint16_t>(Float16(65504.0f)), 65504);
}

TEST(Convert, IntegerToNarrowerIntegerWraps) {
  EXPECT_EQ(convert_element<std::int8_t>(std::int32_t{200}), -56);
  EXPECT_EQ(convert_element<std::uint8_t>(std::int64_t{-1}), 255);
}

TEST(Convert, ToBoolIsNonZero) {
  EXPECT_TRUE(static_cast<bool>(convert_element<Bool>(kNan)));
  EXPECT_TRUE(static_cast<bool>(convert_element<Bool>(0.25f)));
  EXPECT_FALSE(static_cast<bool>(convert_element<Bool>(-0.0)));
  EXPECT_TRUE(static_cast<bool>(convert_element<Bool>(Float16(-1.0f))));
  EXPECT_EQ(convert_element<Bool>(std::uint8_t{7}).byte, 1);
}

TEST(Convert, HalfTypesRoundOnce) {
  // Just above the middle of two neighbours of f16: a detour through f32 would round to even,
  // downwards.
  EXPECT_EQ(convert_element<Float16>(1.0 + 0x1p-11 + 0x1p-40).bits, 0x3C01);
  EXPECT_EQ(convert_element<Float16>(1.0 + 0x1p-11).bits, 0x3C00);
  EXPECT_EQ(convert_element<BFloat16>(1.0 + 0x1p-8 + 0x1p-40).bits, 0x3F81);
  // Likewise for an integer that a double does not hold.
  EXPECT_EQ(convert_element<BFloat16>((std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1).bits,
            0x5E81);
  EXPECT_EQ(convert_element<Float16>(65520.0).bits, 0x7C00);
  EXPECT_EQ(convert_element<Float16>(kNan).bits, 0x7E00);
}

TEST(Convert, ComplexNumbersComeFromAnythingAndBecomeNothingElse) {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  EXPECT_EQ(convert_element<C64>(std::int8_t{-3}), C64(-3, 0));
  EXPECT_EQ(convert_element<C128>(Float16(1.5f)), C128(1.5, 0));
  EXPECT_EQ(convert_element<C64>(Bool(true)), C64(1, 0));
  EXPECT_EQ(convert_element<C64>(C128(1 + 0x1p-40, -0x1p-200)), C64(1, -0.0f));
  EXPECT_EQ(convert_element<C128>(C64(0.5f, -2)), C128(0.5, -2));
  EXPECT_FALSE(std::signbit(convert_element<C64>(-0.0).imag()));
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    for (const DType complex : {DType::kC64, DType::kC128}) {
      EXPECT_NE(find_convert(dtype, complex), nullptr);
      EXPECT_EQ(find_convert(complex, dtype) != nullptr, is_complex(dtype));
    }
  }
}

TEST(Convert, KindsOfTypesDoNotOverlap) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(is_float(dtype) + is_integer(dtype) + is_complex(dtype) + (dtype == DType::kBool), 1)
        << name_of(dtype);
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
    EXPECT_EQ(parse_dtype(numpy_name_of(dtype)), dtype);
  }
  EXPECT_EQ(size_of(DType::kC64), 8u);
  EXPECT_EQ(size_of(DType::kC128), 16u);
}

TEST(Convert, RunsFollowTheStride) {
  const std::vector<std::int32_t> source = {1, 2, 3, 4, 5, 6};
  std::vector<float> target(3);
  find_convert(DType::kI32, DType::kF32)(source.data() + 4, -2, 3, target.data());
  EXPECT_EQ(target, (std::vector<float>{5, 3, 1}));
}

TEST(Convert, EveryFloat16SurvivesF32) {
  for (int bits = 0; bits < 65536; ++bits) {
    const Float16 h = Float16::from_bits(static_cast<std::uint16_t>(bits));
    const auto f = static_cast<float>(h);
    if (std::isnan(f)) continue;
    ASSERT_EQ(Float16(f).bits, bits);
  }
}

}  // namespace
}  // namespace tenfold
