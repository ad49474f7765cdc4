#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "einsum/elementwise_testing.hpp"

namespace tenfold::einsum_detail {
namespace {

using testing::all_layouts;
using testing::copy_of;
using testing::dense;
using testing::expect_right_everywhere;
using testing::on_every_target;
using testing::Sizes;
using testing::Strides;

constexpr DType kEachSize[] = {DType::kI8, DType::kI16, DType::kF32, DType::kF64};

TEST(Copy, EveryPermutationAndBroadcast) {
  std::vector<Sizes> shapes{{1}, {67}, {5, 16, 33}, {4, 3, 17, 2}, {2, 2, 2, 3, 2}, {9, 5, 70, 2}};
  for (std::int64_t n : {2, 3, 4, 15, 16, 17, 33, 64, 130}) {
    shapes.push_back({n, 65});
    shapes.push_back({n, 31});
    shapes.push_back({3, n, 5});
  }
  for (DType type : kEachSize)
    for (const Sizes& sizes : shapes)
      for (const Strides& a : all_layouts(sizes)) {
        SCOPED_TRACE(name_of(type));
        expect_right_everywhere(copy_of(sizes, a, dense(sizes), type, type));
        if (HasFailure()) return;
      }
}

TEST(Copy, EveryConversion) {
  const Sizes sizes{37, 41};
  for (const auto& group : testing::type_groups())
    for (DType from : group)
      for (DType to : group) {
        SCOPED_TRACE(std::string(name_of(from)) + " to " + std::string(name_of(to)));
        for (const Strides& a : {Strides{41, 1}, {1, 37}, {1, 0}, {0, 0}, {90, -2}, {-1, 40}})
          for (const Strides& c : {Strides{41, 1}, {-44, 1}, {1, 40}, {130, 3}})
            expect_right_everywhere(copy_of(sizes, a, c, from, to));
        if (HasFailure()) return;
      }
}

TEST(Copy, AnyStrides) {
  const Sizes sizes{3, 19, 70};
  for (DType type : kEachSize)
    for (std::int64_t i : {70 * 19, -70 * 19, 5000})
      for (std::int64_t j : {70, -70, 0, 1, 230, -2})
        for (std::int64_t k : {1, -1, 0, 19, -19, 2, 71}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", name_of(type), i, j, k));
          const Strides a{i, j, k};
          expect_right_everywhere(copy_of(sizes, a, {70 * 19, 70, 1}, type, type));
          expect_right_everywhere(copy_of(sizes, a, {-80 * 20, 80, 1}, type, type));
          expect_right_everywhere(copy_of(sizes, a, {70 * 20, 1, -20}, type, type));
          expect_right_everywhere(copy_of(sizes, a, {3 * 19 * 70, 210, 3}, type, type));
          if (HasFailure()) return;
        }
}

TEST(Copy, Diagonals) {
  for (DType type : kEachSize) {
    expect_right_everywhere(copy_of({100}, {101}, {1}, type, type));
    expect_right_everywhere(copy_of({40, 50}, {51, 40 * 40}, {50, 1}, type, type));
    expect_right_everywhere(copy_of({40, 50}, {1, 40 * 51}, {50, 1}, type, type));
  }
}

TEST(Copy, ScalarsAndSingleElements) {
  for (DType type : kEachSize) {
    expect_right_everywhere(copy_of({}, {}, {}, type, type));
    expect_right_everywhere(copy_of({1, 1}, {7, 3}, {5, 1}, type, type));
  }
}

// Outputs that are streamed past the caches; not aligned to lines, in rows that are and are not.
TEST(Copy, LargeOutputs) {
  const auto check = [](const Sizes& sizes, const std::vector<int>& order, DType from, DType to) {
    expect_right_everywhere(copy_of(sizes, dense(sizes, order), dense(sizes), from, to));
  };
  // Operands and output of 20 MB in all are streamed,
  check({1100, 1200}, {0, 1}, DType::kF64, DType::kF64);
  check({1024, 1288}, {1, 0}, DType::kF64, DType::kF64);
  check({1301, 1013}, {1, 0}, DType::kF64, DType::kF64);
  check({1640, 1608}, {1, 0}, DType::kF32, DType::kF32);
  check({48, 26, 44, 24}, {3, 2, 1, 0}, DType::kF64, DType::kF64);
  check({3, 440000}, {1, 0}, DType::kF64, DType::kF64);
  check({440000, 3}, {1, 0}, DType::kF64, DType::kF64);
  check({220000, 6}, {1, 0}, DType::kF64, DType::kF64);
  check({2300, 2300}, {1, 0}, DType::kBF16, DType::kF16);
  check({1900, 1850}, {1, 0}, DType::kF16, DType::kF32);
  // pieces that stay whole sooner.
  check({7, 12, 130, 50}, {0, 2, 1, 3}, DType::kF64, DType::kF64);
  check({7, 13, 131, 47}, {0, 2, 1, 3}, DType::kF64, DType::kF64);
  check({320, 900, 2}, {1, 0, 2}, DType::kF64, DType::kF64);
  check({301, 257, 17}, {1, 0, 2}, DType::kF32, DType::kF32);
  check({601, 590, 3}, {1, 0, 2}, DType::kF32, DType::kF32);
  check({1201, 1190, 3}, {1, 0, 2}, DType::kI8, DType::kI8);
  check({11, 61, 13, 125}, {2, 1, 0, 3}, DType::kI32, DType::kI32);
  check({1450000, 3}, {1, 0}, DType::kI8, DType::kI8);
  check({601, 901}, {1, 0}, DType::kF64, DType::kF64);  // not streamed
}

// Runs a dense copy and returns what came out, as bits.
template <class From, class To>
std::vector<To> converted(const PairKernel& kernel, const std::vector<From>& values) {
  std::vector<To> result(values.size());
  kernel.run(values.data(), nullptr, result.data(), {.executor = &serial_executor()});
  return result;
}
template <class From, class To>
void expect_conversions(const std::vector<From>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  on_every_target(copy_of({count}, {1}, {1}, dtype_of<From>, dtype_of<To>),
                  [&](const PairKernel& kernel) {
                    const auto results = converted<From, To>(kernel, values);
                    for (std::size_t i = 0; i < values.size(); ++i) {
                      const auto want = convert_element<To>(values[i]);
                      const auto x = static_cast<double>(convert_element<float>(values[i]));
                      if (std::isnan(x) && dtype_of<To> != DType::kBool)
                        ASSERT_TRUE(std::isnan(convert_element<float>(results[i]))) << i;
                      else
                        ASSERT_EQ(std::memcmp(&results[i], &want, sizeof want), 0) << x;
                    }
                  });
}

// Every f16 and bf16, and f32 values at, just below and just above each and the middle to the next.
TEST(Copy, HalfTypesRoundToNearestEven) {
  std::vector<Float16> halves;
  std::vector<BFloat16> brains;
  std::vector<float> singles;
  const auto around = [&](std::uint32_t bits, std::uint32_t middle) {
    for (std::uint32_t at : {bits, bits + middle})
      for (std::uint32_t near : {at - 1, at, at + 1}) singles.push_back(std::bit_cast<float>(near));
  };
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    halves.push_back(Float16::from_bits(static_cast<std::uint16_t>(bits)));
    brains.push_back(BFloat16::from_bits(static_cast<std::uint16_t>(bits)));
    around(std::bit_cast<std::uint32_t>(static_cast<float>(halves.back())), 0x1000);
    around(bits << 16, 0x8000);
  }
  for (float x : {0x1p-25f, 0x1.8p-25f, 0x1.000002p-25f, 0x1.fffffep-25f, 65519.996f, 65520.0f})
    for (float sign : {1.0f, -1.0f}) singles.push_back(sign * x);
  expect_conversions<Float16, float>(halves);
  expect_conversions<BFloat16, float>(brains);
  expect_conversions<float, Float16>(singles);
  expect_conversions<float, BFloat16>(singles);
  expect_conversions<Float16, BFloat16>(halves);
  expect_conversions<BFloat16, Float16>(brains);
  expect_conversions<float, Bool>(singles);
  expect_conversions<Float16, Bool>(halves);
}

TEST(Copy, AnyByteButZeroIsTrue) {
  std::vector<Bool> bytes(300);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i].byte = static_cast<std::uint8_t>(i);
  on_every_target(copy_of({300}, {1}, {1}, DType::kBool, DType::kBool),
                  [&](const PairKernel& kernel) {
                    const auto results = converted<Bool, Bool>(kernel, bytes);
                    for (std::size_t i = 0; i < bytes.size(); ++i)
                      ASSERT_EQ(results[i].byte, i % 256 != 0) << i;
                  });
}

// A copy that converts nothing changes no bit, whatever the bits say as numbers.
TEST(Copy, KeepsPayloads) {
  std::vector<std::uint32_t> bits{0x7F800001u, 0xFFC12345u, 0x80000000u, 1u, 0x7F800000u};
  bits.resize(100, 0x7FABCDEFu);
  on_every_target(copy_of({10, 10}, {1, 10}, {10, 1}, DType::kF32, DType::kF32),
                  [&](const PairKernel& kernel) {
                    const auto results = converted<std::uint32_t, std::uint32_t>(kernel, bits);
                    for (std::size_t i = 0; i < 10; ++i)
                      for (std::size_t j = 0; j < 10; ++j)
                        ASSERT_EQ(results[i * 10 + j], bits[j * 10 + i]);
                  });
}

// Nor do bits depend on the target or on where the memory lies.
TEST(Copy, TouchesNothingOutside) {
  for (const Sizes& sizes : std::vector<Sizes>{
           {1}, {70}, {3, 70}, {70, 3}, {17, 33}, {140, 65}, {2, 3, 40}, {9, 40, 2}, {30, 5, 7}})
    for (const Strides& a : all_layouts(sizes)) {
      for (DType type : kEachSize) {
        SCOPED_TRACE(name_of(type));
        testing::expect_edges_and_bits(copy_kind(), copy_of(sizes, a, dense(sizes), type, type));
      }
      testing::expect_edges_and_bits(copy_kind(),
                                     copy_of(sizes, a, dense(sizes), DType::kF32, DType::kF16));
      testing::expect_edges_and_bits(copy_kind(),
                                     copy_of(sizes, a, dense(sizes), DType::kI8, DType::kI32));
      if (HasFailure()) return;
    }
  for (std::int64_t i : {-70, -1, 2, 3})
    testing::expect_edges_and_bits(copy_kind(), copy_of({100}, {i}, {1}, DType::kI16, DType::kI16));
}

// The way that each pattern is meant to go, as explain() shows it.
TEST(Copy, ChoosesTheWayForThePattern) {
  const auto expect = [](const Sizes& sizes, const std::vector<int>& order, std::string_view way) {
    Pair pair = copy_of(sizes, dense(sizes, order), dense(sizes), DType::kF32, DType::kF32);
    fold_pair(pair);
    const std::string words = copy_kind().make(pair)->describe();
    EXPECT_NE(words.find(way), std::string::npos) << words;
  };
  expect({300, 500}, {0, 1}, "a in place");
  expect({300, 500}, {1, 0}, "a transposed");
  expect({40, 30, 20, 10}, {3, 2, 1, 0}, "a transposed");
  expect({30, 40, 64}, {1, 0, 2}, "a in place");
  expect({300, 40, 90}, {1, 0, 2}, "a in segments; output streamed");
  expect({500, 3}, {1, 0}, "a interleaved");
  expect({3, 500}, {1, 0}, "a taken apart");
  expect({2000, 1500}, {1, 0}, "output streamed");
}

TEST(Copy, TakesOneOperandOnly) {
  Pair pair = copy_of({3}, {1}, {1}, DType::kF32, DType::kF32);
  pair.has_b = true;
  EXPECT_FALSE(copy_kind().accepts(pair));
}

}  // namespace
}  // namespace tenfold::einsum_detail
