// The bits of a packed block contraction: those of any number of threads, of any alignment of the
// output, of AVX2 and AVX-512 alike, and of the operands' exchange.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "einsum/block_testing.hpp"
#include "support/target.hpp"
#include "support/thread_executor.hpp"

namespace tenfold::einsum_detail {
namespace {

using testing::equation_pair;
using testing::product;
using testing::ProductSizes;

// Dense operands of a pair with random values, and room for the output at any offset.
struct Problem {
  Pair pair;
  std::vector<std::byte> a, b;

  explicit Problem(Pair given) : pair(std::move(given)) {
    fold_pair(pair);
    std::mt19937 random(7);
    a = values(pair.a_type, elements(&PairAxis::a), random);
    b = values(pair.b_type, elements(&PairAxis::b), random);
  }
  std::size_t elements(std::int64_t PairAxis::*stride) const {
    std::int64_t last = 0;
    for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n, &pair.k})
      for (const PairAxis& axis : *axes) last += (axis.size - 1) * (axis.*stride);
    return static_cast<std::size_t>(last + 1);
  }
  static std::vector<std::byte> values(DType dtype, std::size_t count, std::mt19937& random) {
    std::vector<std::byte> bytes(count * size_of(dtype));
    std::normal_distribution<double> normal(0, 30);
    visit_real_dtype(dtype, [&]<class T>() {
      for (std::size_t i = 0; i < count; ++i) {
        const T value = convert_element<T>(normal(random));
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
      }
    });
    return bytes;
  }
  // The output's bytes, computed with `options`, from memory `shift` elements after a page's start.
  std::vector<std::byte> run(const RunOptions& options, std::size_t shift = 0) const {
    const std::size_t element = size_of(pair.c_type), size = elements(&PairAxis::c) * element;
    struct Free {
      void operator()(void* p) const { std::free(p); }
    };
    const std::size_t room = (size + shift * element + 4095) / 4096 * 4096;
    const std::unique_ptr<std::byte, Free> memory(
        static_cast<std::byte*>(std::aligned_alloc(4096, room)));
    std::byte* c = memory.get() + shift * element;
    std::fill_n(c, size, std::byte{0x55});
    block_kind().make(pair)->run(a.data(), b.data(), c, options);
    return {c, c + size};
  }
};

const RunOptions kSerial{.executor = &serial_executor()};

TEST(BlockBits, AnyNumberOfThreads) {
  const std::vector<Pair> pairs = {
      product({300, 310, 600}, "mk", "kn", "mn"),
      product({300, 310, 600}, "km", "nk", "nm"),
      product({6, 5, 30000}, "mk", "kn", "mn"),
      product({5, 3000, 700}, "mk", "kn", "mn"),
      product({3000, 5, 700}, "mk", "kn", "mn"),
      equation_pair("bik,bkj->bij", {{'b', 70}, {'i', 40}, {'j', 50}, {'k', 60}}),
      equation_pair("bik,bkj->ijb", {{'b', 3}, {'i', 140}, {'j', 150}, {'k', 160}}),
      equation_pair("aebf,fdec->abcd",
                    {{'a', 20}, {'b', 20}, {'c', 20}, {'d', 20}, {'e', 20}, {'f', 20}})};
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16, DType::kI8})
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Pair pair = pairs[i];
      pair.a_type = pair.b_type = pair.c_type = dtype;
      const Problem problem(pair);
      const auto expected = problem.run(kSerial);
      for (const int threads : {2, 3, 5}) {
        tenfold::testing::ThreadExecutor executor(threads);
        EXPECT_EQ(problem.run({.executor = &executor}), expected)
            << name_of(dtype) << " problem " << i << ", " << threads << " threads";
        EXPECT_GT(executor.shared_runs(), 0) << "problem " << i << " used one thread";
      }
    }
}

TEST(BlockBits, AnyAlignmentOfTheOutput) {
  for (const Pair& pair : {product({70, 64000, 3}, "mk", "kn", "mn"),  // stored past the caches
                           product({40, 64, 700}, "mk", "kn", "mn")}) {
    const Problem problem(pair);
    const auto expected = problem.run(kSerial);
    for (const std::size_t shift : {1, 4, 16})
      EXPECT_EQ(problem.run(kSerial, shift), expected) << shift;
  }
}

TEST(BlockBits, AnyOrderOfOutputAndOperands) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    Pair pair = product({45, 37, 1200}, "mk", "kn", "mn");
    pair.a_type = pair.b_type = pair.c_type = dtype;
    const Problem problem(pair);
    const auto expected = problem.run(kSerial);
    Problem turned = problem;  // the same operands as b and a
    turned.pair = swapped(pair);
    std::swap(turned.a, turned.b);
    EXPECT_EQ(turned.run(kSerial), expected);
  }
}

// Sums of several NaNs have the canonical bits, wherever they are in a tile and however stored.
TEST(BlockBits, NanIsCanonical) {
  for (const Pair& shape :
       {product({29, 37, 40}, "mk", "kn", "mn"), product({29, 37, 600}, "km", "nk", "nm"),
        product({3, 4, 9000}, "mk", "kn", "mn")})
    for (const DType c_type : {DType::kF32, DType::kF16, DType::kBF16}) {
      Pair pair = shape;
      pair.c_type = c_type;
      Problem problem(pair);
      for (std::vector<std::byte>* operand : {&problem.a, &problem.b}) {
        auto* values = reinterpret_cast<std::uint32_t*>(operand->data());
        for (std::size_t i = 0; i < operand->size() / 4; ++i)
          values[i] =
              (i % 2 == 0 ? 0xFFC00000u : 0x7FC00000u) + static_cast<std::uint32_t>(i % 999);
      }
      const auto bytes = problem.run(kSerial);
      const std::vector<std::byte> expected = [&] {
        std::vector<std::byte> nans(bytes.size());
        visit_real_dtype(c_type, [&]<class T>() {
          const T nan = convert_element<T>(std::numeric_limits<double>::quiet_NaN());
          for (std::size_t i = 0; i < nans.size(); i += sizeof(T))
            std::memcpy(nans.data() + i, &nan, sizeof(T));
        });
        return nans;
      }();
      EXPECT_EQ(bytes, expected) << name_of(c_type);
    }
}

class BlockTargets : public ::testing::TestWithParam<std::string> {};

// SSE4 has no fused multiply-add: its bits may differ.
TEST_P(BlockTargets, AgreeWhereTheyFuse) {
  if (GetParam() == "SSE4") GTEST_SKIP() << "no fused multiply-add";
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kBool})
    for (const Pair& shape :
         {product({45, 37, 1200}, "mk", "kn", "mn"), product({45, 37, 1200}, "km", "nk", "nm"),
          product({5, 4, 9000}, "mk", "nk", "mn"),
          equation_pair("efbad,cf->abcde",
                        {{'a', 5}, {'b', 6}, {'c', 17}, {'d', 19}, {'e', 7}, {'f', 18}})}) {
      Pair pair = shape;
      pair.a_type = pair.b_type = pair.c_type = dtype;
      const Problem problem(pair);
      const auto expected = problem.run(kSerial);
      const tenfold::testing::ForcedTarget forced(GetParam());
      EXPECT_EQ(problem.run(kSerial), expected) << name_of(dtype);
    }
}

TEST_P(BlockTargets, AreRight) {
  using enum DType;
  const tenfold::testing::ForcedTarget forced(GetParam());
  for (const auto& types :
       {std::vector<DType>{kF32, kF16, kBF16, kBool}, {kF64}, {kI8, kU8, kI16, kU16, kI32}, {kI64}})
    for (const DType a : types)
      for (const DType c : types)
        for (const char* orders : {"mkkn", "kmnk"})
          for (const ProductSizes& sizes : {ProductSizes{13, 19, 37}, {7, 35, 24}, {1, 5, 3}}) {
            Pair pair = product(sizes, {orders, 2}, {orders + 2, 2}, "mn");
            pair.a_type = a;
            pair.b_type = types.front();
            pair.c_type = c;
            SCOPED_TRACE(::testing::Message() << name_of(a) << " to " << name_of(c));
            testing::check_block(pair);
          }
  for (const char* equation : {"aebf,fdec->abcd", "efbad,cf->abcde", "bij,kjb->ikb"})
    for (const DType type : {kF32, kF64, kI8, kI64}) {
      Pair pair = equation_pair(equation, {{'a', 5},
                                           {'b', 6},
                                           {'c', 17},
                                           {'d', 19},
                                           {'e', 7},
                                           {'f', 18},
                                           {'i', 14},
                                           {'j', 21},
                                           {'k', 33}});
      pair.a_type = pair.b_type = pair.c_type = type;
      SCOPED_TRACE(equation);
      testing::check_block(pair);
    }
}

INSTANTIATE_TEST_SUITE_P(All, BlockTargets,
                         ::testing::ValuesIn(tenfold::testing::forcible_targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace tenfold::einsum_detail
