// Properties that hold for every input, tried on random ones: the oracle agrees, axes can be split
// and merged, and where order does not matter it does not.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "support/check.hpp"
#include "support/layout.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

// More rounds than rapidcheck's hundred, unless the caller asks for a number.
const bool kMoreRounds = setenv("RC_PARAMS", "max_success=1000", 0) == 0;

struct Drawn {
  Tensor tensor;
  Layout layout;
  ReduceSpec spec;
};

Dims random_order(int rank) {
  Dims order;
  for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
  for (int i = rank - 1; i > 0; --i) std::swap(order[i], order[*rc::gen::inRange(0, i + 1)]);
  return order;
}

DType random_dtype() { return *rc::gen::elementOf(all_dtypes()); }

ReduceOp random_op(DType dtype, const std::vector<ReduceOp>& among) {
  std::vector<ReduceOp> defined;
  for (ReduceOp op : among)
    if (is_defined(op, dtype)) defined.push_back(op);
  RC_PRE(!defined.empty());
  return *rc::gen::elementOf(defined);
}

// Up to six axes, up to about 20,000 elements, any layout, any axes.
Drawn draw(const std::vector<ReduceOp>& among, int least_rank = 0) {
  const DType dtype = random_dtype();
  ReduceSpec spec{.op = random_op(dtype, among)};
  const int rank = *rc::gen::inRange(is_arg(spec.op) ? std::max(least_rank, 1) : least_rank, 7);
  Dims shape, gaps;
  std::int64_t room = 20000;
  for (int axis = 0; axis < rank; ++axis) {
    const auto most = std::min<std::int64_t>(room, *rc::gen::element(4, 20, 600, 3000));
    shape.push_back(*rc::gen::inRange<std::int64_t>(is_arg(spec.op) ? 1 : 0, most + 1));
    room /= std::max<std::int64_t>(shape.back(), 1);
    gaps.push_back(*rc::gen::element(0, 0, 0, 1, 3));
  }
  Layout layout{random_order(rank), gaps, *rc::gen::inRange(0u, 1u << rank),
                *rc::gen::inRange<std::int64_t>(0, 5)};
  if (is_arg(spec.op)) {
    spec.axes = Dims{*rc::gen::inRange<std::int64_t>(-rank, rank)};
  } else if (*rc::gen::inRange(0, 5) != 0) {
    Dims axes;
    for (std::int64_t axis : random_order(rank))
      if (*rc::gen::arbitrary<bool>())
        axes.push_back(*rc::gen::arbitrary<bool>() ? axis : axis - rank);
    spec.axes = axes;
  }
  spec.keepdims = *rc::gen::arbitrary<bool>();
  spec.select_last_index = *rc::gen::arbitrary<bool>();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  return {random_tensor(dtype, shape, spec.op, random), layout, spec};
}

void require_empty(const std::string& wrong) {
  if (!wrong.empty()) RC_FAIL(wrong);
}

RC_GTEST_PROP(Properties, TheOracleAgrees, ()) {
  const Drawn drawn = draw(all_ops());
  const LaidOut laid(drawn.tensor, drawn.layout);
  require_empty(mismatch(laid.view(), drawn.spec, reduce(laid.view(), drawn.spec)));
}

// Max of the maxima of two parts; sums of integers wrap, so their parts add up too.
RC_GTEST_PROP(Properties, PartsCombine, ()) {
  Drawn drawn = draw({ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kProd,
                      ReduceOp::kL1, ReduceOp::kSumSquare, ReduceOp::kAll, ReduceOp::kAny},
                     1);
  const ReduceOp op = drawn.spec.op;
  const bool extreme = op == ReduceOp::kMax || op == ReduceOp::kMin;
  RC_PRE(extreme || !is_float(drawn.tensor.dtype()));
  const LaidOut laid(drawn.tensor, drawn.layout);
  const TensorView whole = laid.view();
  const int axis = *rc::gen::inRange(0, whole.rank());
  const std::int64_t cut = *rc::gen::inRange<std::int64_t>(0, whole.shape[axis] + 1);
  TensorView head = whole, tail = whole;
  head.shape[axis] = cut;
  tail.shape[axis] -= cut;
  if (cut < whole.shape[axis])
    tail.data = static_cast<const char*>(whole.data) +
                cut * whole.strides[axis] * static_cast<std::int64_t>(size_of(whole.dtype));
  const ReduceSpec one{.op = op, .axes = Dims{axis}, .keepdims = true};
  // Both partial results side by side along the axis, then reduced again: as the whole.
  const Tensor from_head = reduce(head, one), from_tail = reduce(tail, one);
  Dims pair_shape = from_head.shape();
  pair_shape[axis] = 2;
  Tensor pair(from_head.dtype(), pair_shape);
  const auto size = static_cast<std::int64_t>(size_of(pair.dtype()));
  TensorView half = pair.view();
  half.shape[axis] = 1;
  const auto fill = [&](const Tensor& from, std::int64_t index) {
    char* start = static_cast<char*>(pair.data()) + index * half.strides[axis] * size;
    const ReduceOp copy = pair.dtype() == DType::kBool ? ReduceOp::kMax : ReduceOp::kSum;
    reduce_into(from, {.op = copy, .axes = Dims{}},
                MutableTensorView(start, half.dtype, half.shape, half.strides));
  };
  fill(from_head, 0);
  fill(from_tail, 1);
  // Absolute values and squares are taken once: the parts are then only added.
  const bool adds = op == ReduceOp::kL1 || op == ReduceOp::kSumSquare;
  ReduceSpec again = one;
  if (adds) again.op = ReduceOp::kSum;
  require_empty(difference(reduce(pair, again), reduce(whole, one)));
}

// Elements in another order along the reduced axis.
RC_GTEST_PROP(Properties, OrderDoesNotMatterWhereItMustNot, ()) {
  const DType dtype = random_dtype();
  const ReduceOp op = random_op(
      dtype, is_float(dtype)
                 ? std::vector{ReduceOp::kMax, ReduceOp::kMin}
                 : std::vector{ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin,
                               ReduceOp::kProd, ReduceOp::kL1, ReduceOp::kL2, ReduceOp::kSumSquare,
                               ReduceOp::kAll, ReduceOp::kAny});
  const auto n = *rc::gen::inRange<std::int64_t>(1, 2000);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Tensor x = random_tensor(dtype, Dims{n}, op, random);
  const Tensor expected = reduce(x, {.op = op});
  visit_real_dtype(dtype, [&]<class T>() {
    const auto values = x.values<T>();
    for (std::int64_t i = n - 1; i > 0; --i)
      std::swap(values[static_cast<std::size_t>(i)],
                values[static_cast<std::size_t>(random.below(i + 1))]);
  });
  require_empty(difference(reduce(x, {.op = op}), expected));
}

// Two neighbouring axes reduced together, and the same memory with the two as one.
RC_GTEST_PROP(Properties, MergedAxesAreAReshape, ()) {
  std::vector<ReduceOp> ops = all_ops();
  std::erase_if(ops, is_arg);
  const Drawn drawn = draw(ops, 2);
  const TensorView x = drawn.tensor.view();
  const int axis = *rc::gen::inRange(0, x.rank() - 1);
  Dims merged_shape;
  for (int a = 0; a < x.rank(); ++a) {
    if (a == axis + 1)
      merged_shape[axis] *= x.shape[a];
    else
      merged_shape.push_back(x.shape[a]);
  }
  const ReduceSpec two{.op = drawn.spec.op, .axes = Dims{axis, axis + 1}};
  const ReduceSpec one{.op = drawn.spec.op, .axes = Dims{axis}};
  require_empty(difference(reduce(x, two), reduce(TensorView(x.data, x.dtype, merged_shape), one)));
}

// One reduced axis: the layout in memory changes no bit.
RC_GTEST_PROP(Properties, OneAxisHasTheSameBitsEverywhere, ()) {
  Drawn drawn = draw(all_ops(), 1);
  const int rank = drawn.tensor.view().rank();
  const int axis = *rc::gen::inRange(0, rank);
  RC_PRE(!is_arg(drawn.spec.op) || drawn.tensor.shape()[axis] > 0);
  drawn.spec.axes = Dims{axis};
  const LaidOut laid(drawn.tensor, drawn.layout);
  require_empty(difference(reduce(laid.view(), drawn.spec), reduce(drawn.tensor, drawn.spec)));
}

}  // namespace
}  // namespace tenfold::testing
