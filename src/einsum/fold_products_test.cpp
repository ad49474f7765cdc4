// Products folded by max, min, prod and logsumexp, against the two oracles one after the other: the
// whole product by loops, then its reduction by loops.
#include "einsum/fold_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/convert.hpp"
#include "reduce/reference.hpp"
#include "support/einsum.hpp"
#include "support/thread_executor.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

using einsum_detail::FoldedProducts;
using testing::random_operands;
using testing::ThreadExecutor;
using testing::views_of;
using Sizes = std::vector<std::int64_t>;

constexpr ReduceOp kOps[] = {ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kProd, ReduceOp::kLogSumExp};

EinsumSpec spec_of(std::string equation, std::optional<DType> dtype = {}) {
  EinsumSpec spec;
  spec.equation = std::move(equation);
  spec.dtype = dtype;
  return spec;
}

// Computed in `wide`: the folded labels are put behind those of the output.
Tensor expected(const std::string& equation, ReduceOp op, std::span<const TensorView> operands,
                DType wide) {
  EinsumLabels labels = testing::labels_of(equation);
  ReduceSpec spec{.op = op, .axes = Dims{}};
  std::vector<int>& all = labels.output;
  for (const std::vector<int>& input : labels.inputs)
    for (const int label : input)
      if (std::ranges::find(all, label) == all.end()) {
        spec.axes->push_back(static_cast<std::int64_t>(all.size()));
        all.push_back(label);
      }
  return reference_reduce(reference_einsum(labels, operands, wide), spec);
}

void expect_near(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_EQ(to_string(got.shape()), to_string(want.shape()));
  visit_real_dtype(got.dtype(), [&]<class T>() {
    visit_real_dtype(want.dtype(), [&]<class W>() {
      for (std::int64_t i = 0; i < got.size(); ++i) {
        const auto x = convert_element<double>(static_cast<const T*>(got.data())[i]);
        const auto y = convert_element<double>(static_cast<const W*>(want.data())[i]);
        if (std::isnan(y) || std::isinf(y))
          ASSERT_TRUE(std::isnan(y) ? std::isnan(x) : x == y) << i << ": " << x << ", not " << y;
        else
          ASSERT_LE(std::fabs(x - y), tolerance * std::max(std::fabs(y), 1e-3)) << i << ": " << x;
      }
    });
  });
}

void check(const std::string& equation, const Sizes& sizes, DType dtype, double tolerance) {
  testing::Random random(11);
  const std::vector<Tensor> tensors = random_operands(equation, dtype, sizes, random);
  const std::vector<TensorView> views = views_of(tensors);
  for (const ReduceOp op : kOps) {
    SCOPED_TRACE(equation + " " + std::string(name_of(op)) + " " + std::string(name_of(dtype)));
    const Tensor got = einsum_fold(spec_of(equation), op, views);
    DType wide = DType::kF64;
    if (is_integer(dtype) && op != ReduceOp::kLogSumExp)
      wide = op == ReduceOp::kProd ? got.dtype() : dtype;
    expect_near(got, expected(equation, op, views, wide), tolerance);
    if (::testing::Test::HasFailure()) return;
  }
}

constexpr double kF64 = 1e-12, kF32 = 1e-4, kF16 = 2e-3;

TEST(FoldedProducts, EquationsOfAllSorts) {
  for (const DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kI32, DType::kU8}) {
    const double tolerance = dtype == DType::kF32 ? kF32 : dtype == DType::kF16 ? kF16 : kF64;
    check("ij,jk->ik", {5, 6, 7}, dtype, tolerance);
    check("ij,kj->ki", {5, 6, 7}, dtype, tolerance);
    check("ij,jk->", {3, 4, 2}, dtype, tolerance);
    check("bij,bjk->bik", {2, 3, 4, 5}, dtype, tolerance);
    check("i,j->ij", {3, 70}, dtype, tolerance);
    check("iij,jk->ki", {4, 3, 5}, dtype, tolerance);
    check("ij,jk,kl->il", {3, 4, 2, 5}, dtype, tolerance);
    check("ijk->ki", {3, 4, 5}, dtype, tolerance);
    check("ii->", {6}, dtype, tolerance);
    check(",i->i", {9}, dtype, tolerance);
    check(",->", {}, dtype, tolerance);
  }
}

TEST(FoldedProducts, BlocksAreCutAlongKeptAndFoldedLabels) {
  testing::Random random(3);
  const auto plan_of = [&](const std::string& equation, const Sizes& sizes) {
    const auto tensors = random_operands(equation, DType::kF32, sizes, random);
    return FoldedProducts(spec_of(equation), ReduceOp::kMax, views_of(tensors));
  };
  const auto kept = plan_of("ij,jk->ik", {90, 40, 110});
  EXPECT_EQ(kept.folded_pieces(), 1);
  EXPECT_GT(kept.kept_pieces(), 4);
  const auto folded = plan_of("ij,jk->k", {300, 500, 3});
  EXPECT_GT(folded.folded_pieces(), 4);
  const auto both = plan_of("ij,jk->ik", {70, 3000, 70});
  EXPECT_GT(both.folded_pieces(), 2);
  EXPECT_GT(both.kept_pieces(), 2);
  for (const FoldedProducts* plan : {&kept, &folded, &both})
    EXPECT_LE(plan->block_elements() * 4, einsum_detail::kFoldBlockBytes);

  check("ij,jk->ik", {90, 40, 110}, DType::kF32, kF32);
  check("ij,jk->k", {300, 500, 3}, DType::kF64, 1e-9);
  check("ij,jk->ik", {7, 30011, 6}, DType::kF64, 1e-9);
  check("ij,kj->ik", {70, 3001, 3}, DType::kI32, kF64);
  check("ij,ij->", {401, 503}, DType::kF64, 1e-9);
  check("ij,jk->ki", {9, 2500, 70}, DType::kF64, 1e-9);
}

TEST(FoldedProducts, HalvesAreRoundedOnceWhateverThePieces) {
  testing::Random random(5);
  const Sizes sizes{5, 2100, 70};
  const auto tensors = random_operands("ij,jk->ik", DType::kF16, sizes, random);
  const auto views = views_of(tensors);
  const Tensor got = einsum_fold(spec_of("ij,jk->ik"), ReduceOp::kMax, views);
  const Tensor want = expected("ij,jk->ik", ReduceOp::kMax, views, DType::kF32);
  for (std::int64_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got.values<Float16>()[static_cast<std::size_t>(i)].bits,
              Float16(want.values<float>()[static_cast<std::size_t>(i)]).bits);
}

TEST(FoldedProducts, EqualBitsForAnyThreadsAndStrides) {
  testing::Random random(9);
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kF64})
    for (const Sizes& sizes : {Sizes{66, 2500, 67}, Sizes{40, 300, 41}, Sizes{3, 40000, 2}}) {
      const auto tensors = random_operands("ij,jk->ik", dtype, sizes, random);
      const auto views = views_of(tensors);
      // The same elements, the other axis nearest.
      std::vector<Tensor> turned;
      for (const TensorView& view : views)
        turned.push_back(Tensor::copy_of(permuted(view, Dims{1, 0})));
      for (const ReduceOp op : kOps) {
        const EinsumSpec spec = spec_of("ij,jk->ik");
        const Tensor one = einsum_fold(spec, op, views, {.executor = &serial_executor()});
        const auto same = [&](const Tensor& other) {
          return std::memcmp(one.data(), other.data(), static_cast<std::size_t>(one.bytes())) == 0;
        };
        for (const int threads : {2, 7}) {
          ThreadExecutor executor(threads);
          EXPECT_TRUE(same(einsum_fold(spec, op, views, {.executor = &executor})));
          EXPECT_GT(executor.shared_runs(), 0);
        }
        EXPECT_TRUE(same(einsum_fold(spec_of("ji,kj->ik"), op, views_of(turned))))
            << name_of(op) << " " << name_of(dtype) << " " << sizes[0];
      }
    }
}

TEST(FoldedProducts, IntoAnyStrides) {
  testing::Random random(2);
  for (const Sizes& sizes : {Sizes{6, 7, 8}, Sizes{70, 2000, 70}}) {
    for (const DType dtype : {DType::kF32, DType::kF16}) {
      const auto tensors = random_operands("ij,jk->ik", dtype, sizes, random);
      const Tensor dense = einsum_fold(spec_of("ij,jk->ik"), ReduceOp::kMax, views_of(tensors));
      Tensor memory = Tensor::zeros(dtype, {sizes[2], 2 * sizes[0]});
      const auto size = static_cast<std::int64_t>(size_of(dtype));
      const std::int64_t last = 2 * (sizes[0] - 1);  // backwards along i
      const MutableTensorView out(static_cast<std::byte*>(memory.data()) + last * size, dtype,
                                  {sizes[0], sizes[2]}, {-2, 2 * sizes[0]});
      einsum_fold_into(spec_of("ij,jk->ik"), ReduceOp::kMax, views_of(tensors), out);
      const Tensor copy = Tensor::copy_of(out);
      EXPECT_EQ(std::memcmp(copy.data(), dense.data(), static_cast<std::size_t>(dense.bytes())), 0);
    }
  }
}

TEST(FoldedProducts, NaNsInfinitiesAndZeros) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const Tensor a = Tensor::of<float>({1, nan, 2, 3, -inf, -inf, inf, 0}, {4, 2});
  const Tensor ones = Tensor::of<float>({1, 1}, {2});
  const auto fold = [&](ReduceOp op) {
    return einsum_fold(spec_of("ij,j->i"), op, std::vector<TensorView>{a, ones});
  };
  const Tensor max = fold(ReduceOp::kMax), min = fold(ReduceOp::kMin), prod = fold(ReduceOp::kProd),
               lse = fold(ReduceOp::kLogSumExp);
  for (const Tensor* t : {&max, &min, &prod, &lse}) EXPECT_TRUE(std::isnan(t->values<float>()[0]));
  EXPECT_EQ(max.values<float>()[2], -inf);
  EXPECT_EQ(lse.values<float>()[2], -inf);
  EXPECT_EQ(lse.values<float>()[3], inf);
  EXPECT_EQ(min.values<float>()[3], 0);
  EXPECT_TRUE(std::isnan(prod.values<float>()[3]));
  // Over several pieces too: -inf everywhere, and one NaN or infinity far behind.
  const std::int64_t n = 100000;
  Tensor long_one = Tensor::zeros(DType::kF32, {n});
  for (float& x : long_one.values<float>()) x = -inf;
  const Tensor one = Tensor::of<float>({1}, {1});
  const auto folded = [&](ReduceOp op) {
    return einsum_fold(spec_of("i,i->"), op, std::vector<TensorView>{long_one, one})
        .values<float>()[0];
  };
  EXPECT_EQ(folded(ReduceOp::kLogSumExp), -inf);
  long_one.values<float>()[90001] = inf;
  EXPECT_EQ(folded(ReduceOp::kLogSumExp), inf);
  EXPECT_EQ(folded(ReduceOp::kMax), inf);
  long_one.values<float>()[90000] = nan;
  for (const ReduceOp op : kOps) EXPECT_TRUE(std::isnan(folded(op)));
}

TEST(FoldedProducts, TypesAreThoseOfTheReductions) {
  const Tensor bytes = Tensor::of<std::int8_t>({100, 100, -3, 2}, {2, 2});
  const auto fold = [&](ReduceOp op, EinsumSpec spec) {
    return einsum_fold(spec, op, std::vector<TensorView>{bytes, bytes});
  };
  const EinsumSpec rows = spec_of("ij,ij->i");
  const Tensor prod = fold(ReduceOp::kProd, rows);
  EXPECT_EQ(prod.dtype(), DType::kI64);
  EXPECT_EQ(prod.values<std::int64_t>()[0], 100000000);
  EXPECT_EQ(fold(ReduceOp::kLogSumExp, rows).dtype(), DType::kF64);
  const Tensor max = fold(ReduceOp::kMax, rows);
  EXPECT_EQ(max.dtype(), DType::kI8);
  EXPECT_EQ(max.values<std::int8_t>()[0], 16);  // 10000, wrapped
  EXPECT_EQ(fold(ReduceOp::kMax, spec_of("ij,ij->i", DType::kI32)).values<std::int32_t>()[0],
            10000);
  EinsumSpec onnx = rows;
  onnx.dialect = Dialect::kOnnx;
  EXPECT_EQ(fold(ReduceOp::kProd, onnx).dtype(), DType::kI8);
  const Tensor truth = Tensor::of<Bool>({Bool(true), Bool(false)}, {2});
  const std::vector<TensorView> pair{truth, truth};
  EXPECT_TRUE(einsum_fold(spec_of("i,i->"), ReduceOp::kMax, pair).values<Bool>()[0]);
  EXPECT_FALSE(einsum_fold(spec_of("i,i->"), ReduceOp::kMin, pair).values<Bool>()[0]);
  EXPECT_EQ(fold(ReduceOp::kSum, rows).values<std::int8_t>()[1], 13);  // einsum itself
}

TEST(FoldedProducts, EmptySets) {
  const Tensor a(DType::kF32, {3, 0}), b(DType::kF32, {0, 2});
  const std::vector<TensorView> views{a, b};
  EXPECT_THROW(einsum_fold(spec_of("ij,jk->ik"), ReduceOp::kMax, views), Error);
  const Tensor prod = einsum_fold(spec_of("ij,jk->ki"), ReduceOp::kProd, views);
  EXPECT_EQ(to_string(prod.shape()), "(2, 3)");
  for (const float x : prod.values<float>()) EXPECT_EQ(x, 1);
  EinsumSpec onnx = spec_of("ij,jk->ik");
  onnx.dialect = Dialect::kOnnx;
  const Tensor max = einsum_fold(onnx, ReduceOp::kMax, views);
  EXPECT_EQ(max.size(), 6);
  for (const float x : max.values<float>()) EXPECT_EQ(x, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(einsum_fold(spec_of("ij,jk->ijk"), ReduceOp::kMax, views).size(), 0);
}

ErrorCode code_of(const EinsumSpec& spec, ReduceOp op, std::vector<TensorView> views) {
  try {
    einsum_fold(spec, op, views);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kFile;  // none of those below
}

TEST(FoldedProducts, Errors) {
  const Tensor a = Tensor::zeros(DType::kF32, {3, 4}), b = Tensor::zeros(DType::kF32, {5, 2});
  const Tensor z = Tensor::zeros(DType::kC64, {3, 4});
  EXPECT_EQ(code_of(spec_of("ij,jk->ik"), ReduceOp::kMax, {a, b}), ErrorCode::kEquationSize);
  EXPECT_EQ(code_of(spec_of("ij,ij->i"), ReduceOp::kArgMax, {a, a}), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of(spec_of("ij,ij->i"), ReduceOp::kMax, {a, z}), ErrorCode::kTypeNotAllowed);
  EXPECT_EQ(code_of(spec_of("ij->i"), ReduceOp::kMax, {}), ErrorCode::kBadArgument);
  Tensor out = Tensor::zeros(DType::kF32, {3, 4});
  const std::vector<TensorView> overlapping{out, a};
  EXPECT_THROW(einsum_fold_into(spec_of("ij,ij->ij"), ReduceOp::kMax, overlapping, out), Error);
  Tensor wrong = Tensor::zeros(DType::kF64, {3});
  const std::vector<TensorView> views{a, a};
  EXPECT_THROW(einsum_fold_into(spec_of("ij,ij->i"), ReduceOp::kMax, views, wrong), Error);
}

}  // namespace
}  // namespace tenfold
