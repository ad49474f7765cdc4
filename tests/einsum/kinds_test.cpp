// Every kind of contraction kernel on every shape that it accepts, whether it would be chosen or
// not: random loops, types and strides, each kernel forced.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "einsum/pair.hpp"
#include "einsum/pair_testing.hpp"
#include "support/pace.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using einsum_detail::Pair;
using einsum_detail::pair_kinds;
using einsum_detail::PairAxes;
using einsum_detail::PairAxis;
using einsum_detail::PairKind;

// Types that may meet in one kernel: those of one accumulator.
constexpr std::array kFloats = {DType::kF32, DType::kF16, DType::kBF16};
constexpr std::array kIntegers = {DType::kI32, DType::kI16, DType::kI8, DType::kU16, DType::kU8};

struct Types {
  DType a, b, c;
};

Types random_types(Random& random) {
  const auto one_of = [&](std::span<const DType> types) {
    return types[static_cast<std::size_t>(random.below(std::ssize(types)))];
  };
  const auto alone = [](DType dtype) { return Types{dtype, dtype, dtype}; };
  switch (random.below(8)) {
    case 0:
      return alone(DType::kF64);
    case 1:
      return alone(DType::kI64);
    case 2:
      return alone(DType::kBool);
    case 3:
      return alone(DType::kF32);
    case 4:
      return alone(one_of(kFloats));
    case 5:
      return {one_of(kFloats), one_of(kFloats), one_of(kFloats)};
    case 6:
      return alone(one_of(kIntegers));
    default:
      return {one_of(kIntegers), one_of(kIntegers), one_of(kIntegers)};
  }
}

// Strides for the given axes: dense in a random order, now and then with gaps, steps backwards or,
// where an operand may repeat itself, none.
void random_strides(std::vector<PairAxis*> axes, std::int64_t PairAxis::*stride, bool may_repeat,
                    Random& random) {
  if (random.below(2) == 0)
    for (std::size_t i = axes.size(); i > 1; --i)
      std::swap(axes[i - 1],
                axes[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  const bool gaps = random.below(3) == 0, backwards = random.below(4) == 0;
  std::int64_t next = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (gaps) next += random.below(3);
    axes[i]->*stride = backwards && random.below(2) == 0 ? -next : next;
    next *= axes[i]->size;
    if (may_repeat && random.below(16) == 0) axes[i]->*stride = 0;
  }
}

constexpr std::int64_t kMostTerms = kSanitized ? 4000 : 20000;

Pair random_pair(Random& random) {
  constexpr std::array<std::int64_t, 14> kSizes = {2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 64, 130};
  Pair pair;
  const Types types = random_types(random);
  pair.a_type = types.a;
  pair.b_type = types.b;
  pair.c_type = types.c;
  pair.has_b = random.below(6) != 0;
  std::int64_t terms = 1;
  const auto fill = [&](PairAxes& axes, std::int64_t most) {
    for (std::int64_t i = random.below(most + 1); i > 0; --i) {
      const std::int64_t size = kSizes[static_cast<std::size_t>(random.below(std::ssize(kSizes)))];
      if (terms * size > kMostTerms) continue;
      terms *= size;
      axes.push_back({size, 0, 0, 0});
    }
  };
  fill(pair.m, pair.has_b ? 2 : 4);
  if (pair.has_b) {
    fill(pair.batch, 2);
    fill(pair.n, 2);
    fill(pair.k, 2);
  }
  const auto all_of = [](std::initializer_list<PairAxes*> lists) {
    std::vector<PairAxis*> axes;
    for (PairAxes* list : lists)
      for (PairAxis& axis : *list) axes.push_back(&axis);
    return axes;
  };
  random_strides(all_of({&pair.batch, &pair.m, &pair.k}), &PairAxis::a, true, random);
  if (pair.has_b)
    random_strides(all_of({&pair.batch, &pair.k, &pair.n}), &PairAxis::b, true, random);
  random_strides(all_of({&pair.batch, &pair.m, &pair.n}), &PairAxis::c, false, random);
  fold_pair(pair);
  return pair;
}

std::string text_of(const Pair& pair) {
  std::string text = std::string(name_of(pair.a_type)) + " " + std::string(name_of(pair.b_type)) +
                     " " + std::string(name_of(pair.c_type)) + (pair.has_b ? "" : " (copy)");
  const auto add = [&](const char* name, const PairAxes& axes) {
    text += std::string(" ") + name + ":";
    for (const PairAxis& axis : axes)
      text += " " + std::to_string(axis.size) + "(" + std::to_string(axis.a) + "," +
              std::to_string(axis.b) + "," + std::to_string(axis.c) + ")";
  };
  add("batch", pair.batch);
  add("m", pair.m);
  add("n", pair.n);
  add("k", pair.k);
  return text;
}

class PairKinds : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PairKinds, AreRightWhereverTheyAccept) {
  const PairKind& kind = pair_kinds()[GetParam()];
  SCOPED_TRACE(std::string(kind.name));
  Random random(71);
  int accepted = 0;
  for (int round = 0; round < (kSanitized ? 300 : 3000) && !HasFailure(); ++round) {
    const Pair pair = random_pair(random);
    if (!kind.accepts(pair)) continue;
    ++accepted;
    SCOPED_TRACE(text_of(pair));
    EXPECT_GE(kind.cost(pair), 0);
    einsum_detail::testing::expect_right(pair, *kind.make(pair),
                                         static_cast<std::uint32_t>(round + 1));
  }
  EXPECT_GT(accepted, kSanitized ? 1 : 10);
}

INSTANTIATE_TEST_SUITE_P(Table, PairKinds, ::testing::Range<std::size_t>(0, pair_kinds().size()),
                         [](const auto& p) { return std::string(pair_kinds()[p.param].name); });

TEST(PairKindTable, HasAKernelForEveryPair) {
  Random random(72);
  for (int round = 0; round < 5000; ++round) {
    const Pair pair = random_pair(random);
    EXPECT_TRUE(std::ranges::any_of(pair_kinds(), [&](const PairKind& k) {
      return k.accepts(pair);
    })) << text_of(pair);
  }
}

}  // namespace
}  // namespace tenfold::testing
