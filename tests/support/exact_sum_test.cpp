#include "support/exact_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace tenfold::testing {
namespace {

TEST(ExactSum, KeepsWhatDoubleLoses) {
  ExactSum sum;
  sum.add(1e300);
  sum.add(1e-300);
  sum.add(-1e300);
  EXPECT_EQ(sum.value(), static_cast<long double>(1e-300));
  sum.add(-1e-300);
  EXPECT_TRUE(sum.is_zero());
}

TEST(ExactSum, ProductsAreExact) {
  ExactSum sum;
  const double x = 1 + 0x1p-52;
  sum.add_product(x, x);  // 1 + 2^-51 + 2^-104
  sum.add(-1);
  sum.add(-0x1p-51);
  EXPECT_EQ(sum.value(), 0x1p-104L);
}

TEST(ExactSum, TheWholeRange) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double huge = std::numeric_limits<double>::max();
  ExactSum sum;
  sum.add_product(tiny, -tiny);
  EXPECT_EQ(sum.value(), -0x1p-2148L);
  sum.add_product(huge, huge);
  sum.add_product(-huge, huge);
  EXPECT_EQ(sum.value(), -0x1p-2148L);
  ExactSum large;
  for (int i = 0; i < 1000; ++i) large.add_product(huge, huge);
  EXPECT_EQ(large.value(), 1000 * (static_cast<long double>(huge) * huge));
}

TEST(ExactSum, AgreesWithIntegers) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    ExactSum sum;
    __int128 expected = 0;
    for (int i = 0; i < 20; ++i) {
      const auto a = static_cast<std::int64_t>(random.bits()) >> 12;  // 52 bits: exact in double
      const auto b = static_cast<std::int64_t>(random.bits()) >> 40;
      expected += static_cast<__int128>(a) * b;
      sum.add_product(static_cast<double>(a), static_cast<double>(b));
      expected += a;
      sum.add(static_cast<double>(a));
    }
    ExactSum negative;
    negative.add(sum);
    EXPECT_EQ(negative.value(), static_cast<long double>(expected));
  }
}

}  // namespace
}  // namespace tenfold::testing
