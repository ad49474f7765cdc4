#include <algorithm>
#include <cmath>
#include <vector>

#include "einsum/product_testing.hpp"
#include "kernels/product_kernels.hpp"
#include "support/pace.hpp"
#include "support/target.hpp"

namespace tenfold::einsum_detail {
PairKind columns_kind();

namespace testing {
namespace {

using tenfold::testing::ForcedTarget;
using tenfold::testing::forcible_targets;
using tenfold::testing::kSanitized;

void check_columns(std::string_view equation, const Sizes& sizes, Types types = {},
                   const Memory& a = {}, const Memory& b = {}, const Memory& c = {}) {
  expect_right(columns_kind(), pair_of(equation, sizes, types, a, b, c), name_for(equation, sizes));
}

TEST(Columns, EveryWidthAndHeight) {
  for (std::int64_t columns : {2,  3,  4,  7,  8,  9,   15,  16,  17,  24,  31,  32,   33,  48,
                               63, 64, 65, 96, 97, 127, 128, 129, 130, 200, 255, 1000, 5000})
    for (std::int64_t k : {2, 3, 4, 5, 8, 9, 12, 17, 127, 128, 129, 300, 1024, 1100, 3000}) {
      if (columns * k > (kSanitized ? 30000 : 300000)) continue;
      const Sizes sizes{{'i', k}, {'j', columns}};
      for (const Types& types : {Types{}, kDoubles}) {
        check_columns("i,ij->j", sizes, types);
        if (k < 200) check_columns("ij,ij->j", sizes, types, {.gap = 1}, {.gap = 2});
      }
    }
}

TEST(Columns, Equations) {
  check_columns("jk,ijkl->il", {{'i', 5}, {'j', 12}, {'k', 13}, {'l', 24}}, kDoubles);
  check_columns("jk,ijkl->il", {{'i', 5}, {'j', 12}, {'k', 13}, {'l', 24}}, kDoubles, {},
                {.gap = 3});
  check_columns("ijr,jr->ir", {{'i', 13}, {'j', 20}, {'r', 32}});
  check_columns("ijr,jr->ir", {{'i', 130}, {'j', 150}, {'r', 8}});
  check_columns("ac,abc->cb", {{'a', 2}, {'b', 3}, {'c', 200}});
  check_columns("bn,anb->ba", {{'a', 9}, {'b', 20}, {'n', 40}});
  check_columns("bikp,bkjp->bijp", {{'b', 2}, {'i', 6}, {'j', 5}, {'k', 7}, {'p', 16}});
  check_columns("mi,ij->mj", {{'i', 300}, {'j', 700}, {'m', 3}});
  check_columns("mi,ij->mj", {{'i', 30}, {'j', 50}, {'m', 9}});
  check_columns("im,ij->mj", {{'i', 300}, {'j', 50}, {'m', 9}});
  check_columns("ik,kj->ij", {{'i', 30}, {'j', 600}, {'k', 300}});
  check_columns("ik,kj->ij", {{'i', 13}, {'j', 70}, {'k', 40}}, kDoubles);
  check_columns("ki,kj->ij", {{'i', 30}, {'j', 40}, {'k', 300}});
  check_columns("xyk,xkj->yxj", {{'j', 37}, {'k', 150}, {'x', 4}, {'y', 11}});
  check_columns("ij,i->j", {{'i', 300}, {'j', 50}});
  check_columns("abc,b->ac", {{'a', 30}, {'b', 40}, {'c', 20}});
  check_columns("abc,b->ca", {{'a', 30}, {'b', 40}, {'c', 20}});
  check_columns("xijy,ij->yx", {{'i', 14}, {'j', 15}, {'x', 6}, {'y', 20}}, {}, {.gap = 1});
}

TEST(Columns, Layouts) {
  const Sizes sizes{{'i', 150}, {'j', 70}};
  check_columns("i,ij->j", sizes, {}, {.step = 3}, {.gap = 2}, {.step = 2});
  check_columns("i,ij->j", sizes, {}, {.reversed = "i"}, {.reversed = "i"}, {.reversed = "j"});
  check_columns("i,ij->j", sizes, {}, {}, {.reversed = "j"});
  check_columns("ij,ij->j", sizes, {}, {.step = 2}, {});
  check_columns("ji,ij->j", sizes);
  check_columns("ij,ij->j", sizes, {}, {.reversed = "j"}, {});
  check_columns("ijr,jr->ir", {{'i', 20}, {'j', 140}, {'r', 12}}, {}, {.gap = 1, .reversed = "i"},
                {.step = 2}, {.gap = 3, .step = 2, .reversed = "ir"});
  // Several summed axes that do not step as one, more than a chain of them.
  check_columns("ijr,jir->r", {{'i', 20}, {'j', 30}, {'r', 12}});
  check_columns("ijr,ji->r", {{'i', 20}, {'j', 30}, {'r', 300}});
  check_columns("xijr,jir->xr", {{'i', 20}, {'j', 30}, {'r', 12}, {'x', 5}}, {}, {}, {.step = 2});
}

TEST(Columns, AnOperandThatRepeats) {
  Pair pair = pair_of("ij,ij->j", {{'i', 200}, {'j', 70}}, {}, {.gap = 1});
  pair.k[0].b = 0;
  expect_right(columns_kind(), pair, "b repeats along the sum");
  pair = pair_of("rij,ij->rj", {{'i', 200}, {'j', 70}, {'r', 5}}, {}, {.gap = 1});
  pair.k[0].a = 0;
  expect_right(columns_kind(), pair, "a repeats along the sum");
}

TEST(Columns, Types) {
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
          check_columns("ij,ij->j", {{'i', 19}, {'j', 45}}, types, {.gap = 1});
          check_columns("i,ij->j", {{'i', 9}, {'j', 700}}, types);
          check_columns("i,ij->j", {{'i', 1500}, {'j', 7}}, types, {.step = 2}, {}, {.step = 2});
          check_columns("xij,ij->xj", {{'i', 1100}, {'j', 6}, {'x', 3}}, types, {.gap = 1});
          check_columns("ik,kj->ij", {{'i', 9}, {'j', 33}, {'k', 140}}, types);
          check_columns("xyk,xkj->yxj", {{'j', 17}, {'k', 30}, {'x', 4}, {'y', 11}}, types);
          check_columns("xijr,ji->xr", {{'i', 9}, {'j', 30}, {'r', 33}, {'x', 4}}, types);
        }
}

// Chains of 128 and a tree above: a chain of a million would lose four digits.
TEST(Columns, AMillionEqualTerms) {
  const std::vector<float> a(1000000, 0.1F), b(3000000, 1.0F);
  float c[3] = {};
  columns_kind()
      .make(pair_of("i,ij->j", {{'i', 1000000}, {'j', 3}}))
      ->run(a.data(), b.data(), c, {});
  for (float sum : c) EXPECT_NEAR(sum, 1e6 * static_cast<double>(0.1F), 0.3);
}

TEST(Columns, ThreadsGiveTheSameBits) {
  const auto same = [](std::string_view equation, const Sizes& sizes, Types types = {},
                       const Memory& a = {}, const Memory& b = {}) {
    expect_same_for_threads(columns_kind(), pair_of(equation, sizes, types, a, b),
                            name_for(equation, sizes));
  };
  same("i,ij->j", {{'i', 100003}, {'j', 5}});
  same("i,ij->j", {{'i', 100003}, {'j', 5}}, kDoubles, {.step = 2});
  same("i,ij->j", {{'i', 1001}, {'j', 1003}});
  same("ik,kj->ij", {{'i', 60}, {'j', 100}, {'k', 400}});
  same("bikp,bkjp->bijp", {{'b', 2}, {'i', 40}, {'j', 30}, {'k', 50}, {'p', 16}});
  same("xi,ij->xj", {{'i', 30001}, {'j', 5}, {'x', 3}});
  same("xij,ij->xj", {{'i', 10001}, {'j', 5}, {'x', 3}}, {}, {.gap = 1});
  same("ijr,jr->ir", {{'i', 128}, {'j', 128}, {'r', 32}});
  same("ijr,jir->r", {{'i', 200}, {'j', 300}, {'r', 12}});
  same("i,ij->j", {{'i', 20001}, {'j', 20}}, {DType::kBF16, DType::kF16, DType::kF16});
  same("jk,ijkl->il", {{'i', 64}, {'j', 20}, {'k', 20}, {'l', 64}}, kDoubles);
}

TEST(Columns, WideVectorsGiveTheSameBits) {
  std::vector<Pair> pairs;
  for (std::int64_t columns : {3, 8, 17, 40, 64, 129, 300})
    for (std::int64_t k : {2, 9, 128, 1300}) {
      const Sizes sizes{{'i', k}, {'j', columns}, {'r', 5}};
      for (DType type :
           {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI64, DType::kI8}) {
        pairs.push_back(pair_of("ri,ij->rj", sizes, {type, type, type}));
        pairs.push_back(pair_of("rij,ij->rj", sizes, {type, type, type}, {.gap = 1}));
      }
    }
  std::vector<std::vector<std::byte>> best;
  for (const std::string& target : forcible_targets()) {
    const ForcedTarget forced(target);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      auto bytes = bytes_of(pairs[i], *columns_kind().make(pairs[i]), {});
      if (best.size() <= i) best.push_back(bytes);
      // Without fused multiply-add the bits of floats differ.
      if (target == "SSE4" && is_float(pairs[i].c_type)) continue;
      EXPECT_EQ(bytes, best[i]) << target << ", case " << i;
    }
  }
}

TEST(Columns, EveryTargetIsRight) {
  for (const std::string& target : forcible_targets()) {
    const ForcedTarget forced(target);
    SCOPED_TRACE(target);
    for (DType type :
         {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI64, DType::kI8})
      for (std::int64_t columns : {3, 9, 37, 64, 129, 300}) {
        const Sizes sizes{{'i', 140}, {'j', columns}, {'r', 9}};
        check_columns("ri,ij->rj", sizes, {type, type, type});
        check_columns("rij,ij->rj", sizes, {type, type, type}, {.gap = 1});
      }
  }
}

TEST(Columns, ReadsNothingOutside) {
  for (const std::string& target : forcible_targets()) {
    const ForcedTarget forced(target);
    for (DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32,
                       DType::kI64, DType::kI8, DType::kU8})
      for (std::int64_t columns : {2, 3, 5, 9, 13, 17, 30, 65, 130, 515})
        for (std::int64_t k : {2, 9, 20}) {
          const std::size_t size = size_of(type), one = static_cast<std::size_t>(columns) * size,
                            terms = static_cast<std::size_t>(k);
          const Fenced m(terms * one), w(terms * one), v(terms * size), c(one);
          const Sizes sizes{{'i', k}, {'j', columns}};
          columns_kind()
              .make(pair_of("ij,ij->j", sizes, {type, type, type}))
              ->run(m.data(), w.data(), c.data(), {});
          columns_kind()
              .make(pair_of("i,ij->j", sizes, {type, type, type}))
              ->run(v.data(), m.data(), c.data(), {});
          EXPECT_EQ(c.data()[0], std::byte{0});
        }
  }
}

TEST(Columns, NotANumberIsTheCanonicalOne) {
  const std::vector<float> a{std::bit_cast<float>(0xFFC12345U), 1}, b{1, 2, 3, 4};
  std::uint32_t c[2];
  columns_kind().make(pair_of("i,ij->j", {{'i', 2}, {'j', 2}}))->run(a.data(), b.data(), c, {});
  EXPECT_EQ(c[0], 0x7FC00000U);
  EXPECT_EQ(c[1], 0x7FC00000U);
}

TEST(Columns, SaysNoWhereNothingIsContiguous) {
  const auto accepts = [](const Pair& pair) { return columns_kind().accepts(pair); };
  EXPECT_FALSE(accepts(pair_of("i,i->", {{'i', 9}})));
  EXPECT_FALSE(accepts(pair_of("i,ij->j", {{'i', 9}, {'j', 9}}, {}, {}, {.step = 2})));
  EXPECT_FALSE(accepts(pair_of("i,j->ij", {{'i', 9}, {'j', 9}})));
  Pair copy = pair_of("i,ij->j", {{'i', 9}, {'j', 9}});
  copy.has_b = false;
  EXPECT_FALSE(accepts(copy));
}

TEST(Columns, SaysWhatItDoes) {
  const Pair pair = pair_of("i,ij->j", {{'i', 300}, {'j', 20}});
  EXPECT_EQ(columns_kind().make(pair)->describe(),
            "rows of b times a weight each, 300 terms in chains of 128, tiles 1 x 20");
  const Pair paired = pair_of("ijr,jr->ir", {{'i', 13}, {'j', 20}, {'r', 32}}, {}, {}, {.step = 2});
  EXPECT_EQ(columns_kind().make(paired)->describe(),
            "rows of a times a weight for each element, 20 terms in chains of 20, tiles 13 x 32, "
            "weights gathered");
}

}  // namespace
}  // namespace testing
}  // namespace tenfold::einsum_detail
