// Products of bf16 by the processor's own instruction have the bits of a chain of fused
// multiply-adds in f32: against that chain one number at a time, on ordinary numbers and on those
// that the instruction treats otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>

#include "einsum/block_plan.hpp"
#include "einsum/block_testing.hpp"
#include "support/target.hpp"
#include "support/thread_executor.hpp"
#include "tenfold/machine.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::BlockSpan;
using kernels::BlockType;
using testing::product;
using testing::ProductSizes;
using Numbers = std::vector<BFloat16>;
// A bf16 number's bits from random ones.
using Draw = std::function<std::uint16_t(std::mt19937&)>;

BFloat16 from_bits(std::uint32_t bits) {
  return std::bit_cast<BFloat16>(static_cast<std::uint16_t>(bits));
}

// Sign and mantissa from `random`, one of `count` biased exponents from `least` on.
Draw exponents(std::uint32_t least, std::uint32_t count) {
  return [=](std::mt19937& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    return static_cast<std::uint16_t>((bits & 0x807F) | (least + (bits >> 16) % count) << 7);
  };
}

// Now and then a number by `rare`.
Draw mixed(Draw often, Draw rare, std::uint32_t one_in) {
  return
      [=](std::mt19937& random) { return random() % one_in == 0 ? rare(random) : often(random); };
}

struct Kind {
  const char* name;
  Draw a, b;
};

std::vector<Kind> kinds() {
  const Draw usual = exponents(120, 14), any = exponents(0, 256), subnormal = exponents(0, 1);
  const Draw special = exponents(255, 1), tiny = exponents(1, 20), huge = exponents(235, 20);
  const Draw zero = [](std::mt19937& random) {
    return static_cast<std::uint16_t>(random() & 0x8000);
  };
  return {{"usual", usual, usual},
          {"any bits", any, any},
          {"zeros", mixed(usual, zero, 2), mixed(usual, zero, 2)},
          {"only zeros", zero, zero},
          {"subnormal", mixed(usual, subnormal, 50), usual},
          {"subnormal times large", mixed(usual, subnormal, 50), exponents(150, 10)},
          {"products below f32's range", tiny, tiny},
          {"sums near the subnormal ones", exponents(60, 8), exponents(60, 20)},
          {"few tiny ones", mixed(usual, tiny, 2000), mixed(usual, tiny, 2000)},
          {"huge", huge, usual},
          {"products above f32's range", huge, mixed(usual, huge, 3)},
          {"infinities and NaNs", mixed(usual, special, 300), usual}};
}

struct Operands {
  Numbers a, b;
  Operands(const ProductSizes& s, const Kind& kind) {
    std::mt19937 random(11);
    a.resize(static_cast<std::size_t>(s.m * s.k));
    b.resize(static_cast<std::size_t>(s.k * s.n));
    for (BFloat16& x : a) x = from_bits(kind.a(random));
    for (BFloat16& x : b) x = from_bits(kind.b(random));
  }
};

// The output's bytes of a kernel for dense operands.
std::vector<std::byte> run(const Pair& pair, const Operands& operands,
                           const RunOptions& options = {.executor = &serial_executor()}) {
  const auto outputs = static_cast<std::size_t>(extent(pair.m) * extent(pair.n));
  std::vector<std::byte> c(outputs * size_of(pair.c_type), std::byte{0x55});
  block_kind().make(pair)->run(operands.a.data(), operands.b.data(), c.data(), options);
  return c;
}

// The same by the definition: chains of kc fused multiply-adds, added one after another.
std::vector<std::byte> model(const Pair& pair, const Operands& operands, std::int64_t kc) {
  std::vector<std::byte> c(static_cast<std::size_t>(extent(pair.m) * extent(pair.n)) *
                           size_of(pair.c_type));
  PairAxes kept = pair.m;
  kept.insert(kept.end(), pair.n.begin(), pair.n.end());
  testing::for_each(kept, [&](std::int64_t a, std::int64_t b, std::int64_t at) {
    float sum = 0, chain = 0;
    std::int64_t done = 0;
    const auto close = [&] {
      sum = done <= kc ? chain : sum + chain;
      chain = 0;
    };
    testing::for_each(pair.k, [&](std::int64_t i, std::int64_t j, std::int64_t) {
      chain = std::fma(static_cast<float>(operands.a[static_cast<std::size_t>(a + i)]),
                       static_cast<float>(operands.b[static_cast<std::size_t>(b + j)]), chain);
      if (++done % kc == 0) close();
    });
    if (done % kc != 0) close();
    if (std::isnan(sum)) sum = std::numeric_limits<float>::quiet_NaN();
    visit_real_dtype(pair.c_type, [&]<class T>() {
      const T value = convert_element<T>(sum);
      std::memcpy(c.data() + at * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
    });
  });
  return c;
}

Pair bf16_product(const ProductSizes& sizes, std::string_view orders, DType c_type) {
  Pair pair = product(sizes, orders.substr(0, 2), orders.substr(2, 2), orders.substr(4));
  pair.a_type = pair.b_type = DType::kBF16;
  pair.c_type = c_type;
  fold_pair(pair);
  return pair;
}

bool has_instruction() { return kernels::find_block_kernel(BlockType::kBF16) != nullptr; }

class BlockBf16 : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "SSE4") GTEST_SKIP() << "no fused multiply-add";
  }
};

TEST_P(BlockBf16, EveryKindOfNumber) {
  const tenfold::testing::ForcedTarget forced(GetParam());
  for (const ProductSizes& sizes :
       {ProductSizes{29, 75, 64}, {13, 40, 1}, {14, 33, 101}, {25, 48, 513}, {12, 32, 1100}})
    for (const char* orders : {"mkknmn", "kmnkmn", "mknknm"})
      for (const Kind& kind : kinds())
        for (const DType c_type : {DType::kF32, DType::kBF16, DType::kF16}) {
          const Pair pair = bf16_product(sizes, orders, c_type);
          const Operands operands(sizes, kind);
          const BlockPlan plan = make_block_plan(pair);
          EXPECT_EQ(plan.type == BlockType::kBF16, has_instruction());
          EXPECT_EQ(run(pair, operands), model(pair, operands, plan.kc))
              << kind.name << ", " << orders << ", k " << sizes.k << ", " << name_of(c_type);
        }
}

// Sums that cancel to one unit of the least product, about where that is the least normal number,
// and products about where they leave f32's range.
TEST_P(BlockBf16, AtTheEdges) {
  const tenfold::testing::ForcedTarget forced(GetParam());
  const auto near_128 = [](std::uint32_t exponent) -> Draw {
    return [exponent](std::mt19937& random) {
      const auto bits = static_cast<std::uint32_t>(random());
      return static_cast<std::uint16_t>((bits & 0x8000) | exponent << 7 | bits % 4);
    };
  };
  const ProductSizes sizes{40, 64, 6};
  for (std::uint32_t sum = 134; sum <= 150; ++sum) {
    const Operands operands(sizes, {"", near_128(sum / 2), near_128(sum - sum / 2)});
    const Pair pair = bf16_product(sizes, "mkknmn", DType::kF32);
    EXPECT_EQ(run(pair, operands), model(pair, operands, 16)) << sum;
  }
  for (std::uint32_t sum = 372; sum <= 386; ++sum) {
    const Operands operands(sizes, {"", exponents(sum / 2, 1), exponents(sum - sum / 2, 1)});
    const Pair pair = bf16_product(sizes, "mkknmn", DType::kF32);
    EXPECT_EQ(run(pair, operands), model(pair, operands, 16)) << sum;
  }
}

TEST_P(BlockBf16, AnyNumberOfThreadsAndStepsInMemory) {
  const tenfold::testing::ForcedTarget forced(GetParam());
  const ProductSizes sizes{300, 310, 600};
  const Pair pair = bf16_product(sizes, "mkknmn", DType::kBF16);
  for (const Kind& kind : kinds()) {
    const Operands operands(sizes, kind);
    const auto expected = run(pair, operands);
    tenfold::testing::ThreadExecutor executor(3);
    EXPECT_EQ(run(pair, operands, {.executor = &executor}), expected) << kind.name;
    // Every second element of both: packed one by one.
    Operands stepped = operands;
    for (Numbers* numbers : {&stepped.a, &stepped.b}) {
      Numbers wide(2 * numbers->size());
      for (std::size_t i = 0; i < numbers->size(); ++i) wide[2 * i] = (*numbers)[i];
      *numbers = std::move(wide);
    }
    Pair other = pair;
    for (PairAxes* axes : {&other.m, &other.n, &other.k})
      for (PairAxis& axis : *axes) axis.a *= 2, axis.b *= 2;
    EXPECT_EQ(run(other, stepped), expected) << kind.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlockBf16, ::testing::ValuesIn(tenfold::testing::forcible_targets()),
                         [](const auto& target) { return target.param; });

// Columns of which those some steps apart are neighbours in memory, and several axes of k.
TEST(BlockBf16Packing, AsTheOtherTypes) {
  for (const char* equation : {"efbad,cf->abcde", "aebf,fdec->abcd", "bij,kjb->ikb"}) {
    Pair pair = testing::equation_pair(equation, {{'a', 5},
                                                  {'b', 6},
                                                  {'c', 17},
                                                  {'d', 19},
                                                  {'e', 7},
                                                  {'f', 19},
                                                  {'i', 14},
                                                  {'j', 21},
                                                  {'k', 33}});
    pair.a_type = pair.b_type = pair.c_type = DType::kBF16;
    SCOPED_TRACE(equation);
    testing::check_block(pair);
  }
}

// A chain that goes on from block to block may hold a sum that the instruction would take for zero.
TEST(BlockBf16Plan, OneChainIsSummedInF32) {
  Pair pair = bf16_product({40, 50, 900}, "mkknmn", DType::kBF16);
  pair.one_chain = true;
  EXPECT_EQ(make_block_plan(pair).type, BlockType::kF32);
}

// Packs one panel of rows or columns whose elements lie side by side along the panel.
struct Packed {
  std::vector<float> pairs;
  BlockSpan span;

  Packed(const Numbers& numbers, std::int64_t slots, bool columns)
      : pairs(numbers.size() + kernels::kPackSlack / sizeof(float)) {
    const std::int64_t k = static_cast<std::int64_t>(numbers.size()) / slots;
    std::vector<std::int64_t> at(static_cast<std::size_t>(slots)), ks(static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < ks.size(); ++i) ks[i] = static_cast<std::int64_t>(i) * slots;
    const kernels::ColumnVector vectors[] = {{0, 16}, {16, 16}};
    kernels::find_block_pack(BlockType::kBF16, DType::kBF16,
                             columns)({.way = kernels::PackWay::kAlongSlots,
                                       .far = false,
                                       .source = numbers.data(),
                                       .slots = at.data(),
                                       .count = slots,
                                       .vectors = vectors,
                                       .k_offsets = ks.data(),
                                       .k = k,
                                       .k_run = 1,
                                       .k_phase = 0,
                                       .x_step = 1,
                                       .line = nullptr,
                                       .packed = pairs.data(),
                                       .spans = &span});
  }
};

TEST(BlockBf16Span, IsThatOfAllButZeros) {
  if (!has_instruction()) GTEST_SKIP() << "the processor has no dot product of bf16";
  for (const bool columns : {false, true})
    for (const std::size_t k : {1, 2, 7}) {
      const std::size_t slots = columns ? 32 : 11;
      Numbers numbers(k * slots, from_bits(100 << 7 | 5));
      numbers.front() = from_bits(0x8000);
      numbers.back() = from_bits(0x8000 | 140 << 7 | 0x7F);
      const BlockSpan span = Packed(numbers, static_cast<std::int64_t>(slots), columns).span;
      EXPECT_EQ(span.least, 100);
      EXPECT_EQ(span.most, 140);
      numbers[slots / 2] = from_bits(1);  // subnormal
      numbers[slots / 2 + 1] = from_bits(0x7F80);
      const BlockSpan wide = Packed(numbers, static_cast<std::int64_t>(slots), columns).span;
      EXPECT_EQ(wide.least, 0);
      EXPECT_EQ(wide.most, 255);
    }
}

// With a span that says so the instruction is what multiplies: it loses a subnormal sum.
TEST(BlockBf16Span, Decides) {
  if (!has_instruction()) GTEST_SKIP() << "the processor has no dot product of bf16";
  const Packed rows(Numbers(2, from_bits(60 << 7)), 1, false);
  const Packed columns(Numbers(64, from_bits(60 << 7)), 32, true);
  const BlockSpan usual{127, 127};
  const auto first_sum = [&](const BlockSpan& row_span, const BlockSpan& column_span) {
    std::vector<float> c(32, -1);
    const std::int64_t row_offset = 0;
    const kernels::ColumnVector vectors[] = {{0, 16}, {16, 16}};
    kernels::find_block_kernel(BlockType::kBF16)
        ->multiply({.rows = rows.pairs.data(),
                    .columns = columns.pairs.data(),
                    .row_spans = &row_span,
                    .column_spans = &column_span,
                    .k = 2,
                    .c = c.data(),
                    .row_offsets = &row_offset,
                    .row_count = 1,
                    .vectors = vectors,
                    .vector_count = 2,
                    .accumulate = false,
                    .one_chain = false,
                    .last = true,
                    .rows_outer = false,
                    .stream = false,
                    .narrow = nullptr});
    return c.front();
  };
  EXPECT_EQ(first_sum(rows.span, columns.span), 0x1p-133F);
  EXPECT_EQ(first_sum(usual, usual), 0.0F);
}

}  // namespace
}  // namespace tenfold::einsum_detail
