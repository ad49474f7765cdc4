// Odd shapes and everything around the elements: empty and unit axes, many dimensions, broadcast
// views, strided outputs, and conversion first.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "reduce/reference.hpp"
#include "support/check.hpp"
#include "support/layout.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

constexpr int kMostFailures = 5;

class Shapes : public ::testing::TestWithParam<DType> {
 protected:
  std::vector<ReduceOp> ops() const {
    std::vector<ReduceOp> defined;
    for (ReduceOp op : all_ops())
      if (is_defined(op, GetParam())) defined.push_back(op);
    return defined;
  }
  bool check(const TensorView& view, const ReduceSpec& spec) {
    const std::string wrong = mismatch(view, spec, reduce(view, spec));
    if (wrong.empty()) return true;
    ADD_FAILURE() << wrong;
    return ++failures_ < kMostFailures;
  }
  // Every set of axes of `view` that `op` can take.
  bool check_all_axes(ReduceOp op, const TensorView& view) {
    for (unsigned bits = 0; bits < 1u << view.rank(); ++bits) {
      Dims axes;
      bool empty = false;
      for (int axis = 0; axis < view.rank(); ++axis)
        if (bits >> axis & 1) {
          axes.push_back(axis % 2 == 0 ? axis : axis - view.rank());
          empty |= view.shape[axis] == 0;
        }
      if (is_arg(op) && (axes.size() != 1 || empty)) continue;
      for (bool keepdims : {false, true})
        if (!check(view, {.op = op, .axes = axes, .keepdims = keepdims})) return false;
    }
    return is_arg(op) || check(view, {.op = op});
  }
  Random random_{9};

 private:
  int failures_ = 0;
};

TEST_P(Shapes, EmptyAndUnitAxes) {
  for (ReduceOp op : ops())
    for (const Dims& shape :
         {Dims{}, Dims{0}, Dims{1}, Dims{0, 0}, Dims{2, 0, 3}, Dims{0, 4}, Dims{4, 0}, Dims{1, 1},
          Dims{1, 5, 1}, Dims{5, 1, 5}, Dims{1, 0, 1}, Dims{3, 1, 2, 1}, Dims{1, 1, 600}}) {
      const Tensor x = random_tensor(GetParam(), shape, op, random_);
      if (!check_all_axes(op, x)) return;
    }
}

TEST_P(Shapes, UnitAxesWithWildStrides) {
  for (ReduceOp op : ops()) {
    const Tensor x = random_tensor(GetParam(), Dims{6, 7}, op, random_);
    const TensorView view(x.data(), x.dtype(), Dims{6, 1, 7, 1},
                          Dims{7, std::int64_t{1} << 40, 1, -(std::int64_t{1} << 40)});
    if (!check_all_axes(op, view)) return;
  }
}

TEST_P(Shapes, ManyAxes) {
  for (ReduceOp op : ops()) {
    Dims shape;
    for (int axis = 0; axis < 64; ++axis)
      shape.push_back(axis == 3 || axis == 30 || axis == 62 ? 3 : axis % 16 == 0 ? 2 : 1);
    const Tensor x = random_tensor(GetParam(), shape, op, random_);
    if (!check(x, {.op = op, .axes = Dims{63}}) || !check(x, {.op = op, .axes = Dims{-2}})) return;
    if (is_arg(op)) continue;
    if (!check(x, {.op = op, .axes = Dims{0, 3, 48, 62}, .keepdims = true})) return;
    if (!check(x, {.op = op})) return;
  }
}

// No two axes can be merged: eight groups, some of them reduced.
TEST_P(Shapes, AlternatingAxes) {
  for (ReduceOp op : ops()) {
    const Tensor x = random_tensor(GetParam(), Dims{2, 3, 2, 3, 2, 3, 2, 3}, op, random_);
    const LaidOut laid(x, {.gaps = {1, 1, 1, 1, 1, 1, 1, 1}});
    for (const TensorView& view : {x.view(), laid.view()}) {
      if (is_arg(op)) {
        if (!check(view, {.op = op, .axes = Dims{4}})) return;
        continue;
      }
      if (!check(view, {.op = op, .axes = Dims{0, 2, 4, 6}}) ||
          !check(view, {.op = op, .axes = Dims{1, 3, 5, 7}}) ||
          !check(view, {.op = op, .axes = Dims{0, 1, 4, 5, 7}}))
        return;
    }
  }
}

TEST_P(Shapes, BroadcastViews) {
  for (ReduceOp op : ops()) {
    const Tensor x = random_tensor(GetParam(), Dims{5, 3}, op, random_);
    const TensorView across(x.data(), x.dtype(), Dims{5, 40, 3}, Dims{3, 0, 1});
    const TensorView last(x.data(), x.dtype(), Dims{5, 3, 40}, Dims{3, 1, 0});
    const TensorView everywhere(x.data(), x.dtype(), Dims{7, 700}, Dims{0, 0});
    if (!check_all_axes(op, across) || !check_all_axes(op, last) || !check_all_axes(op, everywhere))
      return;
  }
}

TEST_P(Shapes, LargeMapsWithoutAxes) {
  for (ReduceOp op : ops()) {
    if (is_arg(op)) continue;
    const Tensor x = random_tensor(GetParam(), Dims{30, 50}, op, random_);
    const LaidOut turned(x, {.memory_order = {1, 0}, .gaps = {0, 1}});
    if (!check(x, {.op = op, .axes = Dims{}}) || !check(turned.view(), {.op = op, .axes = Dims{}}))
      return;
  }
}

TEST_P(Shapes, StridedOutputs) {
  for (ReduceOp op : ops()) {
    const Tensor x = random_tensor(GetParam(), Dims{9, 6, 20}, op, random_);
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const ReduceSpec spec{.op = op, .axes = Dims{axis}};
      const Tensor expected = reduce(x, spec);
      for (const Layout& layout :
           {Layout{.memory_order = {1, 0}}, Layout{.gaps = {0, 2}}, Layout{.gaps = {3, 0}},
            Layout{.backwards = 3}, Layout{.memory_order = {1, 0}, .gaps = {1, 1}, .offset = 1}}) {
        const LaidOut laid(Tensor::zeros(expected.dtype(), expected.shape()), layout);
        const TensorView& v = laid.view();
        reduce_into(x, spec,
                    MutableTensorView(const_cast<void*>(v.data), v.dtype, v.shape, v.strides));
        EXPECT_EQ(difference(Tensor::copy_of(v), expected), "") << problem_string(x, spec);
      }
    }
  }
}

// A conversion to each type, then a reduction that the target type allows.
TEST_P(Shapes, ConvertedFirst) {
  for (DType to : all_dtypes()) {
    const Tensor x = random_tensor(GetParam(), Dims{7, 33}, ReduceOp::kLogSumExp, random_);
    const LaidOut turned(x, {.memory_order = {1, 0}});
    for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMean, ReduceOp::kAll,
                        ReduceOp::kAny, ReduceOp::kSumSquare}) {
      if (!is_defined(op, to)) continue;
      for (std::int64_t axis : {0, 1}) {
        const ReduceSpec spec{.op = op, .axes = Dims{axis}, .dtype = to};
        if (!check(x, spec) || !check(turned.view(), spec)) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Shapes, ::testing::ValuesIn(all_dtypes()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

// Any nonzero byte is true, and only 0 and 1 are written.
TEST(BoolBytes, AnyNonzeroIsTrue) {
  std::vector<std::uint8_t> bytes(130, 0);
  bytes[77] = 0x40;
  bytes[129] = 0xFF;
  const TensorView row(bytes.data(), DType::kBool, Dims{130});
  const TensorView columns(bytes.data(), DType::kBool, Dims{10, 13});
  for (ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kAll, ReduceOp::kAny}) {
    const ReduceSpec all{.op = op}, down{.op = op, .axes = Dims{0}}, none{.op = op, .axes = Dims{}};
    EXPECT_EQ(difference(reduce(row, all), reference_reduce(row, all)), "") << name_of(op);
    EXPECT_EQ(difference(reduce(columns, down), reference_reduce(columns, down)), "");
    EXPECT_EQ(difference(reduce(row, none), reference_reduce(row, none)), "") << name_of(op);
  }
  const ReduceSpec arg{.op = ReduceOp::kArgMax, .axes = Dims{0}};
  EXPECT_EQ(difference(reduce(row, arg), reference_reduce(row, arg)), "");
  const ReduceSpec last{.op = ReduceOp::kArgMax, .axes = Dims{0}, .select_last_index = true};
  EXPECT_EQ(difference(reduce(row, last), reference_reduce(row, last)), "");
}

// All and Any of numbers: of their truth.
TEST(TruthOfNumbers, IsNonzero) {
  const Tensor x =
      Tensor::of<float>({0, -0.0f, 1, std::numeric_limits<float>::quiet_NaN(), 2, 3}, Dims{3, 2});
  const Tensor all = reduce(x, {.op = ReduceOp::kAll, .axes = Dims{1}});
  EXPECT_EQ(difference(all, Tensor::of<Bool>({Bool(false), Bool(true), Bool(true)}, Dims{3})), "");
  const Tensor any = reduce(x, {.op = ReduceOp::kAny, .axes = Dims{1}});
  EXPECT_EQ(difference(any, Tensor::of<Bool>({Bool(false), Bool(true), Bool(true)}, Dims{3})), "");
}

// Rank 0: a scalar is its own largest element, at index 0 (NumPy's rule).
TEST(RankZero, ArgIsZero) {
  const float x = 3;
  const TensorView scalar(&x, Dims{});
  for (ReduceOp op : {ReduceOp::kArgMax, ReduceOp::kArgMin}) {
    const Tensor at = reduce(scalar, {.op = op});
    EXPECT_EQ(difference(at, Tensor::of<std::int64_t>({0}, Dims{})), "");
  }
}

}  // namespace
}  // namespace tenfold::testing
