#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "einsum/product_testing.hpp"
#include "kernels/product_kernels.hpp"
#include "support/pace.hpp"
#include "support/target.hpp"

namespace tenfold::einsum_detail {
PairKind dot_kind();

namespace testing {
namespace {

using tenfold::testing::ForcedTarget;
using tenfold::testing::forcible_targets;
using tenfold::testing::kSanitized;

constexpr std::int64_t kLengths[] = {2,   3,   4,    5,    7,    8,    9,    15,   16,  17,  31,
                                     33,  64,  65,   100,  127,  128,  129,  500,  511, 512, 513,
                                     520, 600, 1023, 1024, 1025, 1500, 4095, 4097, 9000};

void check_dot(std::string_view equation, const Sizes& sizes, Types types = {},
               const Memory& a = {}, const Memory& b = {}, const Memory& c = {}) {
  expect_right(dot_kind(), pair_of(equation, sizes, types, a, b, c), name_for(equation, sizes));
}

TEST(Dot, EveryLengthAndNumberOfRows) {
  for (std::int64_t n : kLengths)
    for (std::int64_t rows : {1, 2, 3, 7, 8, 9, 16, 17, 33, 50}) {
      if (n * rows > (kSanitized ? 20000 : 100000)) continue;
      if (rows == 1) {
        check_dot("i,i->", {{'i', n}});
        check_dot("i,i->", {{'i', n}}, kDoubles);
        continue;
      }
      const Sizes sizes{{'i', rows}, {'j', n}};
      for (const Types& types : {Types{}, kDoubles}) {
        check_dot("ij,ij->i", sizes, types);
        check_dot("ij,j->i", sizes, types);
        check_dot("j,ij->i", sizes, types, {}, {.gap = 3});
        check_dot("ij,ij->i", sizes, types, {.gap = 1}, {.gap = 2});
      }
    }
}

TEST(Dot, Equations) {
  check_dot("bij,bj->bi", {{'b', 7}, {'i', 20}, {'j', 64}});
  check_dot("bij,bj->bi", {{'b', 50}, {'i', 3}, {'j', 5}});
  check_dot("ban,bn->ba", {{'a', 9}, {'b', 5}, {'n', 40}});
  check_dot("abcdef,fb->acde", {{'a', 2}, {'b', 6}, {'c', 3}, {'d', 2}, {'e', 4}, {'f', 8}});
  check_dot("ijk,kj->i", {{'i', 21}, {'j', 5}, {'k', 30}});
  check_dot("ijk,jk->i", {{'i', 3}, {'j', 40}, {'k', 30}}, {}, {.gap = 2});
  check_dot("ij,ij->", {{'i', 60}, {'j', 30}}, {}, {.gap = 2}, {.gap = 3});
  check_dot("ij,ji->", {{'i', 17}, {'j', 33}});
  check_dot("ij,ji->i", {{'i', 17}, {'j', 33}});
  check_dot("ik,jk->ij", {{'i', 19}, {'j', 6}, {'k', 37}});
  check_dot("ik,jk->ji", {{'i', 19}, {'j', 6}, {'k', 37}});
  check_dot("ik,kj->ij", {{'i', 5}, {'j', 6}, {'k', 37}});
  check_dot("ki,kj->ij", {{'i', 1}, {'j', 6}, {'k', 37}});
  check_dot("xai,yai->xy", {{'a', 3}, {'i', 20}, {'x', 4}, {'y', 5}}, {}, {.gap = 1}, {.gap = 2});
}

TEST(Dot, SeveralSummedAxes) {
  // Positions of a summed axis as rows, in one batch, in several, and around a gathered operand.
  for (std::int64_t i : {2, 5, 64, 1023, 1024, 1025, 2049, 4500})
    check_dot("ij,ij->", {{'i', i}, {'j', 4}}, {}, {.gap = 1}, {.gap = 2});
  check_dot("hij,hij->", {{'h', 3}, {'i', 1100}, {'j', 3}}, {}, {.gap = 1}, {.gap = 2});
  check_dot("hij,hij->h", {{'h', 3}, {'i', 1100}, {'j', 3}}, {}, {.gap = 1}, {.gap = 2});
  check_dot("ij,ij->", {{'i', 40}, {'j', 50}}, {}, {.gap = 1}, {.step = 2});
  check_dot("aij,aji->a", {{'a', 6}, {'i', 40}, {'j', 50}}, {}, {.gap = 1});
}

// Rows that lie side by side where the sum steps are brought by transposes.
TEST(Dot, TransposedOperands) {
  for (std::int64_t rows : {7, 8, 9, 15, 16, 17, 33, 64, 100, 1030})
    for (std::int64_t n : {2, 3, 15, 17, 64, 511, 512, 513, 1025, 1700}) {
      if (rows * n > (kSanitized ? 20000 : 200000)) continue;
      const Sizes sizes{{'i', rows}, {'j', n}};
      check_dot("ij,ji->i", sizes);
      check_dot("ij,ji->", sizes, kDoubles, {.gap = 1});
      check_dot("ji,ij->i", sizes, {}, {.gap = 3}, {.gap = 2});
    }
  for (DType type : {DType::kF16, DType::kBF16, DType::kBool, DType::kI8, DType::kU8, DType::kI16,
                     DType::kU16, DType::kI32, DType::kU32, DType::kI64, DType::kU64})
    for (std::int64_t rows : {9, 37, 70}) {
      const Types types{type, type, type};
      check_dot("ij,ji->i", {{'i', rows}, {'j', 600}}, types);
      check_dot("ij,ji->", {{'i', rows}, {'j', 530}}, types, {.gap = 1}, {.gap = 1});
    }
  check_dot("ijk,kij->i", {{'i', 20}, {'j', 30}, {'k', 40}}, {}, {.gap = 1}, {.gap = 2});
  check_dot("bij,bji->b", {{'b', 5}, {'i', 30}, {'j', 20}}, {}, {}, {.gap = 1, .reversed = "b"});
  check_dot("ij,ji->i", {{'i', 20}, {'j', 600}}, {}, {.reversed = "j"}, {});
  check_dot("ij,ji->i", {{'i', 20}, {'j', 600}}, {}, {}, {.reversed = "i"});
}

// Two to four rows that lie element by element side by side, and the same with something between.
TEST(Dot, RowsTakenApart) {
  for (std::int64_t rows : {2, 3, 4, 5})
    for (std::int64_t n : {2, 15, 64, 511, 2047, 2048, 2050, 6150})
      for (const Types& types : {Types{}, kDoubles, Types{DType::kBF16, DType::kBF16, DType::kBF16},
                                 Types{DType::kU8, DType::kU8, DType::kI32}}) {
        const Sizes sizes{{'i', n}, {'j', rows}};
        check_dot("i,ij->j", sizes, types);
        check_dot("ij,i->j", sizes, types, {.gap = 1});
      }
  check_dot("bi,bij->bj", {{'b', 3}, {'i', 700}, {'j', 3}});
  check_dot("ij,kji->kj", {{'i', 3}, {'j', 4}, {'k', 50}});
}

// Rows that share a vector so long that several of them are read at a time.
TEST(Dot, LongRowsThatShareAVector) {
  for (const Types& types : {Types{}, kDoubles, Types{DType::kF16, DType::kF16, DType::kF32},
                             Types{DType::kBF16, DType::kBF16, DType::kF32},
                             Types{DType::kI16, DType::kI16, DType::kI16}})
    for (std::int64_t rows : {3, 4, 9})
      check_dot("ij,j->i", {{'i', rows}, {'j', kSanitized ? 8200 : 17001}}, types);
}

TEST(Dot, Layouts) {
  const Sizes sizes{{'i', 20}, {'j', 700}};
  check_dot("ij,ij->i", sizes, {}, {.reversed = "j"}, {.reversed = "j"});
  check_dot("ij,ij->i", sizes, {}, {.reversed = "j"}, {});
  check_dot("ij,ij->i", sizes, {}, {}, {.step = 3});
  check_dot("ij,j->i", sizes, {}, {.reversed = "i"}, {.step = 2}, {.step = 2});
  check_dot("ij,j->i", sizes, {}, {}, {.reversed = "j"}, {.reversed = "i"});
  check_dot("bij,bj->bi", {{'b', 6}, {'i', 20}, {'j', 30}}, {}, {.gap = 1, .reversed = "b"},
            {.reversed = "bj"}, {.gap = 5, .step = 2, .reversed = "bi"});
  // Gathered and longer than a chunk.
  check_dot("ij,ij->i", {{'i', 3}, {'j', 9001}}, {}, {}, {.step = 2});
  check_dot("ij,j->i", {{'i', 30}, {'j', 8192}}, {}, {}, {.step = 2});
}

TEST(Dot, AnOperandThatRepeats) {
  // A stride of 0 along the summed axis or a kept one.
  Pair pair = pair_of("ij,ij->i", {{'i', 20}, {'j', 70}}, {}, {.gap = 1});
  pair.k[0].b = 0;
  expect_right(dot_kind(), pair, "b repeats along the sum");
  pair = pair_of("ij,ij->i", {{'i', 20}, {'j', 70}}, {}, {.gap = 1});
  pair.batch[0].a = 0;
  expect_right(dot_kind(), pair, "a repeats along the rows");
}

TEST(Dot, Types) {
  const std::vector<std::vector<DType>> families = {
      {DType::kF32, DType::kF16, DType::kBF16, DType::kBool},
      {DType::kF64},
      {DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32},
      {DType::kI64}};
  for (const auto& family : families)
    for (DType a : family)
      for (DType b : family)
        for (DType c : family) {
          SCOPED_TRACE(std::string(name_of(a)) + " " + std::string(name_of(b)) + " " +
                       std::string(name_of(c)));
          const Types types{a, b, c};
          check_dot("ij,ij->i", {{'i', 19}, {'j', 45}}, types);
          check_dot("ij,j->i", {{'i', 19}, {'j', 3}}, types);
          check_dot("ij,j->i", {{'i', 19}, {'j', 600}}, types, {}, {.step = 2}, {.step = 2});
          check_dot("bij,bj->bi", {{'b', 3}, {'i', 3}, {'j', 5000}}, types, {.gap = 1});
        }
}

TEST(Dot, IntegersWrap) {
  const std::int64_t n = 1000;
  std::vector<std::int32_t> a(n), b(n);
  std::uint32_t expected = 0;
  std::mt19937 random(3);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::int32_t>(random());
    b[i] = static_cast<std::int32_t>(random());
    expected += static_cast<std::uint32_t>(a[i]) * static_cast<std::uint32_t>(b[i]);
  }
  std::int32_t c = 0;
  dot_kind()
      .make(pair_of("i,i->", {{'i', n}}, {DType::kI32, DType::kI32, DType::kI32}))
      ->run(a.data(), b.data(), &c, {});
  EXPECT_EQ(static_cast<std::uint32_t>(c), expected);
}

// An accurate sum of products in the type of computation: twice the digits by exact products and
// compensated addition.
template <class T>
struct Exact {
  long double sum = 0, rest = 0, size = 0;
  void add(T a, T b) {
    const long double term = static_cast<long double>(a) * static_cast<long double>(b);
    const long double low =
        std::fma(static_cast<long double>(a), static_cast<long double>(b), -term);
    const long double next = sum + term, back = next - sum;
    rest += (sum - (next - back)) + (term - back) + low;
    sum = next;
    size += std::fabs(term);
  }
};

// Grade A: a tree of 35 additions over leaves of 512, and the rounding of the product.
double grade_a(std::int64_t n) {
  const auto count = static_cast<double>(n);
  return std::min(count, 35 + std::log2(std::max(1.0, count / 512))) + 1;
}

template <class T>
void expect_grade_a(std::int64_t rows, std::int64_t n, bool cancels) {
  std::vector<T> a(static_cast<std::size_t>(rows * n)), b(a.size()),
      c(static_cast<std::size_t>(rows));
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Magnitudes over many binades; with `cancels`, the second half takes the first away again but
    // for a little.
    const std::size_t half = a.size() / 2;
    if (cancels && i >= half && half > 0) {
      a[i] = -a[i - half];
      b[i] = b[i - half] * static_cast<T>(1 + 1e-6 * normal(random));
    } else {
      a[i] = static_cast<T>(std::ldexp(normal(random), static_cast<int>(random() % 20)));
      b[i] = static_cast<T>(normal(random));
    }
  }
  constexpr DType kType = dtype_of<T>;
  const Pair pair =
      pair_of(rows == 1 ? "j,j->" : "ij,ij->i", {{'i', rows}, {'j', n}}, {kType, kType, kType});
  dot_kind().make(pair)->run(a.data(), b.data(), c.data(), {});
  for (std::int64_t r = 0; r < rows; ++r) {
    Exact<T> exact;
    for (std::int64_t i = r * n; i < (r + 1) * n; ++i)
      exact.add(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)]);
    const long double value = exact.sum + exact.rest;
    const long double error =
        std::fabs(static_cast<long double>(c[static_cast<std::size_t>(r)]) - value);
    EXPECT_LE(error, grade_a(n) * unit_roundoff(kType) * exact.size) << "n = " << n;
  }
}

TEST(Dot, IsOfGradeA) {
  for (bool cancels : {false, true}) {
    for (std::int64_t n : {2, 10, 64, 513, 5000, 100000, 1000000}) {
      expect_grade_a<float>(1, n, cancels);
      expect_grade_a<double>(1, n, cancels);
    }
    expect_grade_a<float>(40, 10, cancels);
    expect_grade_a<float>(40, 5000, cancels);
  }
}

// Nested groups: the depths of their trees add up.
TEST(Dot, NestedGroupsAreOfGradeA) {
  const std::int64_t rows = 3000, n = 70, stride = n + 1;
  std::vector<float> a(static_cast<std::size_t>(rows * stride), 0.1F), b(a.size(), 0.3F);
  float c = 0;
  dot_kind()
      .make(pair_of("ij,ij->", {{'i', rows}, {'j', n}}, {}, {.gap = 1}, {.gap = 1}))
      ->run(a.data(), b.data(), &c, {});
  const double value =
      static_cast<double>(a[0]) * static_cast<double>(b[0]) * static_cast<double>(rows * n);
  EXPECT_NEAR(c, value, (grade_a(n) + grade_a(rows)) * 0x1p-24 * value);
}

// A sum of equal terms shows the depth of the additions at once: a chain of a million would lose
// four digits.
TEST(Dot, AMillionEqualTerms) {
  const std::vector<float> a(1000000, 0.1F), b(1000000, 1.0F);
  float c = 0;
  dot_kind().make(pair_of("i,i->", {{'i', 1000000}}))->run(a.data(), b.data(), &c, {});
  EXPECT_NEAR(c, 1e6 * static_cast<double>(0.1F), 0.05);
}

TEST(Dot, ThreadsGiveTheSameBits) {
  const auto same = [](std::string_view equation, const Sizes& sizes, Types types = {},
                       const Memory& a = {}, const Memory& b = {}) {
    expect_same_for_threads(dot_kind(), pair_of(equation, sizes, types, a, b),
                            name_for(equation, sizes));
  };
  same("i,i->", {{'i', 1000003}});
  same("i,i->", {{'i', 1000003}}, kDoubles, {}, {.step = 2});
  same("ij,ij->i", {{'i', 5}, {'j', 200001}});
  same("ij,j->i", {{'i', 1500}, {'j', 700}});
  same("ij,j->i", {{'i', 300}, {'j', 3001}}, {DType::kBF16, DType::kF16, DType::kF16});
  same("ij,ij->", {{'i', 1777}, {'j', 300}}, {}, {.gap = 1});
  same("hij,hij->h", {{'h', 3}, {'i', 177}, {'j', 900}}, {}, {.gap = 1});
  same("bij,bj->bi", {{'b', 100}, {'i', 40}, {'j', 64}});
  same("ij,ji->i", {{'i', 1500}, {'j', 700}});
  same("ij,ji->", {{'i', 1500}, {'j', 700}}, {}, {.gap = 1});
  same("abcdef,fb->acde", {{'a', 2}, {'b', 6}, {'c', 10}, {'d', 12}, {'e', 14}, {'f', 32}});
}

TEST(Dot, EveryTargetGivesTheSameBits) {
  std::vector<Pair> pairs;
  for (std::int64_t n : kLengths)
    for (std::int64_t rows : {2, 9, 33}) {
      const Sizes sizes{{'i', rows}, {'j', n}};
      for (DType type :
           {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI64, DType::kI8}) {
        pairs.push_back(pair_of("ij,ij->i", sizes, {type, type, type}));
        pairs.push_back(pair_of("ij,j->i", sizes, {type, type, type}, {.gap = 1}));
      }
      pairs.push_back(
          pair_of("aij,aji->a", {{'a', 3}, {'i', rows}, {'j', std::min<std::int64_t>(n, 99)}}));
    }
  std::vector<std::vector<std::byte>> best;
  for (const std::string& target : forcible_targets()) {
    const ForcedTarget forced(target);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      auto bytes = bytes_of(pairs[i], *dot_kind().make(pairs[i]), {});
      if (best.size() <= i) best.push_back(bytes);
      EXPECT_EQ(bytes, best[i]) << target << ", case " << i;
    }
  }
}

TEST(Dot, LayoutsGiveTheSameBits) {
  // One summed axis: the bits follow from its length, whatever the strides.
  const Sizes sizes{{'i', 20}, {'j', 5003}};
  std::vector<float> a(20 * 5003), b(a.size());
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (float& x : a) x = normal(random);
  for (float& x : b) x = normal(random);
  const auto run = [&](std::string_view equation, const std::vector<float>& x,
                       const std::vector<float>& y) {
    std::vector<float> c(20);
    dot_kind().make(pair_of(equation, sizes))->run(x.data(), y.data(), c.data(), {});
    return c;
  };
  std::vector<float> turned(b.size());
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = 0; j < 5003; ++j) turned[j * 20 + i] = b[i * 5003 + j];
  const std::vector<float> plain = run("ij,ij->i", a, b);
  EXPECT_EQ(run("ij,ji->i", a, turned), plain);
  EXPECT_EQ(run("ji,ij->i", turned, a), plain);
}

TEST(Dot, ReadsNothingOutside) {
  for (const std::string& target : forcible_targets()) {
    const ForcedTarget forced(target);
    for (DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32,
                       DType::kI64, DType::kI8, DType::kU8})
      for (std::int64_t n : {2, 3, 4, 5, 9, 13, 17, 30, 130, 515})
        for (std::int64_t rows : {2, 16, 21}) {
          const std::size_t size = size_of(type);
          const auto count = static_cast<std::size_t>(rows * n);
          const Fenced a(count * size), b(count * size), v(static_cast<std::size_t>(n) * size),
              c(static_cast<std::size_t>(rows) * size);
          const Sizes sizes{{'i', rows}, {'j', n}};
          dot_kind()
              .make(pair_of("ij,ij->i", sizes, {type, type, type}))
              ->run(a.data(), b.data(), c.data(), {});
          dot_kind()
              .make(pair_of("ij,j->i", sizes, {type, type, type}))
              ->run(a.data(), v.data(), c.data(), {});
          EXPECT_EQ(c.data()[0], std::byte{0});
        }
  }
}

TEST(Dot, SpecialValues) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto dot = [](std::vector<float> a, std::vector<float> b) {
    float c = 0;
    const auto n = static_cast<std::int64_t>(a.size());
    dot_kind().make(pair_of("i,i->", {{'i', n}}))->run(a.data(), b.data(), &c, {});
    return c;
  };
  constexpr std::uint32_t kNan = 0x7FC00000;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(dot({inf, 1}, {0, 1})), kNan);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(dot({inf, inf, 1}, {1, -1, 1})), kNan);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(dot({std::bit_cast<float>(0xFFC12345U), 1}, {1, 1})),
            kNan);
  EXPECT_EQ(dot({inf, 1, 2}, {1, 5, 6}), inf);
  EXPECT_TRUE(std::signbit(dot({-0.0F, -0.0F, -0.0F}, {1, 1, 1})));
  EXPECT_FALSE(std::signbit(dot({-0.0F, 0.0F, -0.0F}, {1, 1, 1})));
}

TEST(Dot, SaysNoWhereNothingIsContiguous) {
  EXPECT_FALSE(
      dot_kind().accepts(pair_of("ij,j->i", {{'i', 9}, {'j', 9}}, {}, {.step = 2}, {.step = 3})));
  EXPECT_FALSE(dot_kind().accepts(pair_of("i,j->ij", {{'i', 9}, {'j', 9}})));
  Pair copy = pair_of("i,i->", {{'i', 9}});
  copy.has_b = false;
  EXPECT_FALSE(dot_kind().accepts(copy));
}

TEST(Dot, SaysWhatItDoes) {
  const Pair pair = pair_of("bij,bj->bi", {{'b', 3}, {'i', 20}, {'j', 64}});
  EXPECT_EQ(dot_kind().make(pair)->describe(), "sums of 64 products, 20 rows a call");
  const Pair gathered = pair_of("ij,j->i", {{'i', 20}, {'j', 64}}, {}, {}, {.step = 2});
  EXPECT_EQ(dot_kind().make(gathered)->describe(),
            "sums of 64 products, 20 rows a call, b gathered");
}

}  // namespace
}  // namespace testing
}  // namespace tenfold::einsum_detail
