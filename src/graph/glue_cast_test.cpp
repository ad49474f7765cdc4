#include <cmath>
#include <limits>

#include "graph/testing.hpp"
#include "io/tensor_proto.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::text;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor cast(const TensorView& x, DType to, int opset = 28) {
  return run_node(opset, "Cast", {x}, {integer("to", io::onnx_data_type(to))});
}

template <class To, class From>
std::vector<To> cast_values(std::initializer_list<From> from) {
  const Tensor x = Tensor::of<From>(from, {static_cast<std::int64_t>(from.size())});
  return values<To>(cast(x, dtype_of<To>));
}

TEST(Cast, FloatToIntegerTruncatesAndSaturates) {
  using I32 = std::vector<std::int32_t>;
  EXPECT_EQ(
      (cast_values<std::int32_t, float>({1.9F, -1.9F, -0.5F, 3e9F, -3e9F, kInf, -kInf, kNaN})),
      (I32{1, -1, 0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0}));
  EXPECT_EQ((cast_values<std::int8_t, double>({127.9, 128.0, -128.9, -129.0})),
            (std::vector<std::int8_t>{127, 127, -128, -128}));
  EXPECT_EQ((cast_values<std::uint8_t, float>({255.9F, 256.0F, -0.9F, -1.0F, kNaN})),
            (std::vector<std::uint8_t>{255, 255, 0, 0, 0}));
  EXPECT_EQ((cast_values<std::int64_t, double>({9223372036854775808.0, -9223372036854775808.0})),
            (std::vector<std::int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ((cast_values<std::uint64_t, float>({18446744073709551616.0F, 3.0F})),
            (std::vector<std::uint64_t>{UINT64_MAX, 3}));
}

TEST(Cast, IntegerToNarrowerIntegerWraps) {
  EXPECT_EQ((cast_values<std::int8_t, std::int16_t>({200, -200, 127})),
            (std::vector<std::int8_t>{-56, 56, 127}));
  EXPECT_EQ((cast_values<std::uint32_t, std::int64_t>({-1, 4294967296})),
            (std::vector<std::uint32_t>{UINT32_MAX, 0}));
}

TEST(Cast, BoolIsWhateverIsNotZero) {
  const Tensor x = Tensor::of<float>({0.0F, -0.0F, 0.25F, kNaN, -2.0F}, {5});
  const Tensor truth = cast(x, DType::kBool);
  std::vector<int> got;
  for (Bool b : values<Bool>(truth)) got.push_back(b.byte);
  EXPECT_EQ(got, (std::vector<int>{0, 0, 1, 1, 1}));
  Bool odd;
  odd.byte = 7;  // any byte but zero is true
  const Tensor bools = Tensor::of<Bool>({Bool(false), odd}, {2});
  EXPECT_EQ(values<float>(cast(bools, DType::kF32)), (std::vector<float>{0, 1}));
  EXPECT_EQ(values<std::int64_t>(cast(bools, DType::kI64)), (std::vector<std::int64_t>{0, 1}));
}

TEST(Cast, ToSixteenBitsRoundsOnce) {
  // 1 + 2^-11 is halfway between two float16; a bit more must go up, also when it comes from a
  // double whose rounding to float would lose that bit.
  const double above = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ((cast_values<Float16, double>({above}))[0].bits, 0x3C01);
  // 2^60 + 2^52 is halfway between two bfloat16, and one more is lost in a double.
  const std::int64_t big = (std::int64_t{1} << 60) + (std::int64_t{1} << 52);
  EXPECT_EQ((cast_values<BFloat16, std::int64_t>({big}))[0].bits, 0x5D80);
  EXPECT_EQ((cast_values<BFloat16, std::int64_t>({big + 1}))[0].bits, 0x5D81);
  EXPECT_EQ((cast_values<BFloat16, std::int64_t>({-big - 1}))[0].bits, 0xDD81);
  EXPECT_EQ((cast_values<Float16, std::int32_t>({65504, 65520, 2049}))[1].bits, 0x7C00);
  EXPECT_EQ((cast_values<float, Float16>({Float16(1.5F)}))[0], 1.5F);
}

TEST(Cast, EveryPairOfTypesKeepsSmallNumbers) {
  const Tensor source = Tensor::of<std::int32_t>({0, 1, 1, 0, 1}, {5});
  for (int from = 0; from < kDTypeCount; ++from)
    for (int to = 0; to < kDTypeCount; ++to) {
      if (is_complex(static_cast<DType>(from)) || is_complex(static_cast<DType>(to))) continue;
      const Tensor there = cast(source, static_cast<DType>(from));
      const Tensor back = cast(cast(there, static_cast<DType>(to)), DType::kI32);
      EXPECT_EQ(values<std::int32_t>(back), values<std::int32_t>(source)) << from << " to " << to;
    }
}

TEST(Cast, SaysItsTypeByNameInVersionOne) {
  const Tensor x = Tensor::of<float>({2.5F}, {1});
  EXPECT_EQ(values<std::int64_t>(run_node(1, "Cast", {x}, {text("to", "INT64")})),
            (std::vector<std::int64_t>{2}));
  expect_error(ErrorCode::kUnsupportedFeature, {"node 'n'", "'COMPLEX64'"},
               [&] { run_node(1, "Cast", {x}, {text("to", "COMPLEX64")}); });
  expect_error(ErrorCode::kAttributeValue, {"Cast-6", "'to' has a wrong type"},
               [&] { run_node(6, "Cast", {x}, {text("to", "INT64")}); });
  expect_error(ErrorCode::kAttributeValue, {"Cast-1", "'to' has a wrong type"},
               [&] { run_node(1, "Cast", {x}, {integer("to", 7)}); });
}

TEST(Cast, RefusesComplexNumbers) {
  const Tensor real = Tensor::of<float>({2.5F}, {1});
  const Tensor complex = Tensor::of<std::complex<float>>({{2.5F, 1}}, {1});
  expect_error(ErrorCode::kTypeNotAllowed, {"Cast-24", "complex64"},
               [&] { cast(complex, DType::kF32); });
  expect_error(ErrorCode::kTypeNotAllowed, {"Cast-24", "complex128"},
               [&] { cast(real, DType::kC128); });
  expect_error(ErrorCode::kTypeNotAllowed, {"CastLike-19", "complex64"}, [&] {
    run_node(19, "CastLike", {complex, real});
  });
  expect_error(ErrorCode::kTypeNotAllowed, {"CastLike-19", "complex64"}, [&] {
    run_node(19, "CastLike", {real, complex});
  });
}

TEST(Cast, ChecksTypesAndAttributes) {
  const Tensor x = Tensor::of<float>({2.5F}, {1});
  expect_error(ErrorCode::kTypeNotAllowed, {"Cast-6", "bfloat16"},
               [&] { cast(x, DType::kBF16, 12); });
  EXPECT_EQ(cast(x, DType::kBF16, 13).dtype(), DType::kBF16);
  expect_error(ErrorCode::kUnsupportedFeature, {"node 'n'", "FLOAT8E4M3FN"},
               [&] { run_node(19, "Cast", {x}, {integer("to", 17)}); });
  expect_error(ErrorCode::kAttributeValue, {"'to' is missing"}, [&] { run_node(13, "Cast", {x}); });
  EXPECT_EQ(
      values<std::int8_t>(run_node(19, "Cast", {x}, {integer("to", 3), integer("saturate", 0)})),
      (std::vector<std::int8_t>{2}));
  EXPECT_EQ(run_node(24, "Cast", {x}, {integer("to", 3), text("round_mode", "up")}).dtype(),
            DType::kI8);
  expect_error(ErrorCode::kAttributeUnknown, {"Cast-13", "'saturate'"}, [&] {
    run_node(13, "Cast", {x}, {integer("to", 3), integer("saturate", 0)});
  });
}

TEST(CastLike, TakesTheTypeOfItsSecondInput) {
  const Tensor x = Tensor::of<float>({2.5F, -1.5F}, {2});
  const Tensor like = Tensor::of<std::int16_t>({0}, {});
  EXPECT_EQ(values<std::int16_t>(run_node(15, "CastLike", {x, like})),
            (std::vector<std::int16_t>{2, -1}));
  expect_error(ErrorCode::kUnsupportedVersion, {"CastLike-14", "opset 15 or later", "opset 14"},
               [&] {
                 run_node(14, "CastLike", {x, like});
               });
}

}  // namespace
}  // namespace tenfold::graph
