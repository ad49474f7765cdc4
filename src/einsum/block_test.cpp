// The kind "block" against the nested loop: sizes around its panels and blocks, every mix of types,
// every empty list, strides of all sorts; and its bits.
#include <gtest/gtest.h>

#include "einsum/block_testing.hpp"

namespace tenfold::einsum_detail {
namespace {

using testing::check_block;
using testing::product;
using testing::ProductSizes;

TEST(Block, SizesAroundPanels) {
  for (const std::int64_t m : {1, 2, 5, 6, 7, 11, 12, 13, 24, 25, 37})
    for (const std::int64_t n : {1, 3, 8, 15, 16, 17, 31, 32, 33, 48, 70})
      for (const std::int64_t k : {1, 2, 7, 16, 17, 33}) {
        SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k);
        check_block(product({m, n, k}, "mk", "kn", "mn"));
      }
}

TEST(Block, TransposedOperandsAndOutputs) {
  for (const char* a : {"mk", "km"})
    for (const char* b : {"kn", "nk"})
      for (const char* c : {"mn", "nm"})
        for (const ProductSizes& s :
             {ProductSizes{45, 37, 23}, {30, 100, 64}, {7, 5, 3}, {1, 40, 9}, {40, 1, 9}}) {
          SCOPED_TRACE(::testing::Message() << a << "," << b << "->" << c);
          check_block(product(s, a, b, c));
        }
}

TEST(Block, SizesAroundBlocksOfK) {
  for (const std::int64_t k : {511, 512, 513, 1030}) {
    check_block(product({19, 35, k}, "mk", "kn", "mn"));
    check_block(product({19, 35, k}, "km", "nk", "nm"));
  }
}

// More than one block of rows and of columns: both orders of the loops.
TEST(Block, SizesAroundBlocksOfRowsAndColumns) {
  check_block(product({253, 40, 513}, "mk", "kn", "mn"));
  check_block(product({20, 2100, 40}, "mk", "kn", "mn"));
  check_block(product({2200, 270, 6}, "km", "nk", "mn"));
}

// Every type goes with every other of the same sums, in operands and output.
TEST(Block, AllMixesOfTypes) {
  using enum DType;
  const std::vector<std::vector<DType>> families = {
      {kF32, kF16, kBF16, kBool}, {kF64}, {kI8, kU8, kI16, kU16, kI32}, {kI64}};
  for (const auto& types : families)
    for (const DType a : types)
      for (const DType b : types)
        for (const DType c : types)
          for (const char* orders : {"mkkn", "kmnk"}) {
            SCOPED_TRACE(::testing::Message()
                         << name_of(a) << " " << name_of(b) << " " << name_of(c));
            Pair pair = product({14, 35, 37}, {orders, 2}, {orders + 2, 2}, "mn");
            pair.a_type = a;
            pair.b_type = b;
            pair.c_type = c;
            check_block(pair);
          }
}

// Sums of many products of the largest and smallest numbers: wrapped, never saturated.
TEST(Block, ExtremeIntegersWrap) {
  using enum DType;
  for (const DType type : {kI8, kU8, kI16, kU16, kI32, kI64})
    for (const std::int64_t k : {1, 2, 5, 1029})
      for (const char* orders : {"mkkn", "kmnk"}) {
        Pair pair = product({13, 19, k}, {orders, 2}, {orders + 2, 2}, "mn");
        pair.a_type = pair.b_type = pair.c_type = type;
        fold_pair(pair);
        testing::expect_extremes_wrap(pair);
      }
}

TEST(Block, EmptyLists) {
  // batch, m, n, k: each there or not.
  for (int there = 0; there < 16; ++there) {
    Pair pair;
    if (there & 1) pair.batch = {{3, 7 * 33, 5 * 7, 5 * 33}};
    if (there & 2) pair.m = {{33, 1, 0, 1}};
    if (there & 4) pair.n = {{5, 0, 1, 33}};
    if (there & 8) pair.k = {{7, 33, 5, 0}};
    SCOPED_TRACE(there);
    check_block(pair);
  }
}

TEST(Block, NegativeAndZeroStrides) {
  for (int turned = 0; turned < 512; ++turned) {
    const auto sign = [&](int bit) { return (turned >> bit & 1) != 0 ? -1 : 1; };
    Pair pair;
    pair.batch = {{2, 400 * sign(0), 700 * sign(1), 1000 * sign(2)}};
    pair.m = {{17, 20 * sign(3), 0, 40 * sign(4)}};
    pair.n = {{21, 0, 1 * sign(5), 1 * sign(6)}};
    pair.k = {{19, 1 * sign(7), 30 * sign(8), 0}};
    SCOPED_TRACE(turned);
    check_block(pair);
  }
  for (int zero = 1; zero < 64; ++zero) {  // operands that repeat along an axis
    const auto stride = [&](int bit, std::int64_t s) { return (zero >> bit & 1) != 0 ? 0 : s; };
    Pair pair;
    pair.batch = {{2, stride(0, 400), stride(1, 700), 1000}};
    pair.m = {{17, stride(2, 20), 0, 40}};
    pair.n = {{21, 0, stride(3, 30), 1}};
    pair.k = {{19, stride(4, 1), stride(5, 1), 0}};
    SCOPED_TRACE(zero);
    check_block(pair);
  }
}

// Axes of both operands and the output in many orders, as equations of tensors of rank 3 and 4
// give them.
TEST(Block, PermutedTensors) {
  for (const char* equation :
       {"aebf,fdec->abcd", "eafb,fdec->abcd", "dega,gfbc->abcdef", "efbad,cf->abcde",
        "ebcd,ea->abcd", "dca,bd->abc", "bsnh,btnh->bnts", "bnts,bsnh->btnh", "abc,cd->abd",
        "gsec,gsm->egcm", "ipx,iqx->pq", "abcdef,fb->acde", "bic,bicf->bif", "acb,bd->cad",
        "bij,bjk->kib", "bij,kjb->ikb", "ixy,jyx->ij", "xiy,yjx->ji", "ab,cd->bdca"}) {
    SCOPED_TRACE(equation);
    check_block(testing::equation_pair(equation, {{'a', 5},
                                                  {'b', 6},
                                                  {'c', 17},
                                                  {'d', 19},
                                                  {'e', 7},
                                                  {'f', 18},
                                                  {'g', 3},
                                                  {'h', 20},
                                                  {'i', 14},
                                                  {'j', 21},
                                                  {'k', 33},
                                                  {'m', 8},
                                                  {'n', 2},
                                                  {'p', 13},
                                                  {'q', 11},
                                                  {'s', 22},
                                                  {'t', 12},
                                                  {'x', 9},
                                                  {'y', 16}}));
  }
}

// Every second element of everything.
TEST(Block, SteppedTensors) {
  for (const char* equation : {"ik,kj->ij", "ki,jk->ji", "aebf,fdec->abcd"}) {
    Pair pair = testing::equation_pair(equation, {{'i', 25},
                                                  {'k', 18},
                                                  {'j', 35},
                                                  {'a', 5},
                                                  {'b', 4},
                                                  {'c', 17},
                                                  {'d', 6},
                                                  {'e', 3},
                                                  {'f', 7}});
    for (int stepped = 1; stepped < 8; ++stepped) {
      Pair other = pair;
      for (PairAxes* axes : {&other.batch, &other.m, &other.n, &other.k})
        for (PairAxis& axis : *axes) {
          if (stepped & 1) axis.a *= 2;
          if (stepped & 2) axis.b *= 2;
          if (stepped & 4) axis.c *= 2;
        }
      SCOPED_TRACE(::testing::Message() << equation << " " << stepped);
      check_block(other);
    }
  }
}

TEST(Block, ScatteredOutputsOfNarrowTypes) {
  for (const DType type : {DType::kF16, DType::kBF16, DType::kBool, DType::kI8, DType::kU16})
    for (const char* equation : {"ik,kj->ij", "bik,bkj->ijb", "ik,kj->ji"}) {
      Pair pair = testing::equation_pair(equation, {{'b', 3}, {'i', 25}, {'k', 18}, {'j', 35}});
      pair.a_type = pair.b_type = pair.c_type = type;
      SCOPED_TRACE(::testing::Message() << equation << " " << name_of(type));
      check_block(pair);
    }
}

// An output so large that it is stored past the caches where its alignment allows, or not.
TEST(Block, LargeOutputs) {
  check_block(product({70, 64000, 2}, "mk", "kn", "mn"));
  check_block(product({70, 63001, 2}, "km", "nk", "mn"));
}

// Few outputs, long k: k is cut into parts.
TEST(Block, PartsOfK) {
  check_block(product({3, 5, 9000}, "mk", "kn", "mn"));
  check_block(product({40, 1, 20000}, "km", "nk", "mn"));
  check_block(testing::equation_pair("bik,bkj->bij", {{'b', 2}, {'i', 9}, {'j', 3}, {'k', 8200}}));
  Pair narrow = product({3, 5, 9000}, "mk", "kn", "nm");
  narrow.a_type = narrow.b_type = narrow.c_type = DType::kF16;
  check_block(narrow);
}

}  // namespace
}  // namespace tenfold::einsum_detail
