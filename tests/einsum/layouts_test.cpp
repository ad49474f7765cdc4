// Operands and outputs anywhere in memory: axes in any order, gaps, steps backwards, elements that
// stand for a whole axis, starts off the alignment. Nothing is written but the output's elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/einsum.hpp"
#include "support/layout.hpp"
#include "support/pace.hpp"

namespace tenfold::testing {
namespace {

struct Problem {
  const char* equation;
  std::vector<std::int64_t> sizes;  // by label, in the order in which the letters come
};

// One of every kind of pair: products both ways round, batches of them, matrix by vector, dots of
// rows, outer and elementwise products, sums on one side, permutations, diagonals; chains.
const std::vector<Problem> kProblems = {
    {"ab,bc->ac", {33, 47, 29}},
    {"ab,bc->ca", {17, 5, 40}},
    {"ba,bc->ac", {9, 21, 34}},
    {"ba,cb->ac", {9, 21, 34}},
    {"eab,ebc->eac", {5, 13, 18, 11}},
    {"aeb,bce->aec", {13, 5, 18, 11}},
    {"eab,ebc->eac", {40, 2, 3, 4}},
    {"abcd,cdef->abef", {3, 5, 4, 6, 7, 2}},
    {"acbd,dfce->eabf", {3, 5, 4, 6, 7, 2}},
    {"bsnh,btnh->bnts", {2, 7, 3, 16, 9}},
    {"ab,b->a", {37, 65}},
    {"ab,a->b", {37, 65}},
    {"b,cb->c", {70, 6}},
    {"a,a->", {300}},
    {"ab,ab->", {13, 34}},
    {"ab,ba->", {13, 34}},
    {"ab,ab->a", {23, 37}},
    {"ab,ba->a", {23, 37}},
    {"a,b->ab", {35, 50}},
    {"a,b->ba", {35, 50}},
    {"abc,de->dabec", {3, 4, 5, 6, 7}},
    {"ab,ab->ab", {19, 35}},
    {"ab,ba->ab", {19, 35}},
    {"ab,b->ab", {19, 35}},
    {"abc,cb->bca", {7, 8, 9}},
    {"abc,ad,bd->cd", {6, 7, 8, 9}},
    {"ab,c->c", {8, 9, 10}},
    {"abc,cd->a", {4, 5, 6, 7}},
    {"ab->ba", {37, 41}},
    {"abcd->dcba", {5, 6, 7, 8}},
    {"abc->acb", {5, 17, 18}},
    {"abc->b", {6, 7, 50}},
    {"aa->a", {33}},
    {"aa->", {33}},
    {"aba->ba", {9, 10}},
    {"aab,bc->ca", {9, 10, 11}},
    {"abb,cc,ac->b", {5, 6, 7}},
    {"ab,bc,cd->ad", {9, 10, 11, 12}},
    {"ab,bc,cd,de->ea", {5, 6, 7, 8, 9}},
    {"ab,ac,ad->bcd", {6, 5, 4, 3}},
};

Layout random_layout(int rank, Random& random) {
  Layout layout;
  for (int axis = 0; axis < rank; ++axis) {
    layout.memory_order.push_back(axis);
    layout.gaps.push_back(random.below(3) == 0 ? random.below(4) : 0);
  }
  if (random.below(2) == 0)
    for (int i = rank - 1; i > 0; --i)
      std::swap(layout.memory_order[i], layout.memory_order[static_cast<int>(random.below(i + 1))]);
  if (random.below(3) == 0) layout.backwards = static_cast<unsigned>(random.bits());
  layout.offset = random.below(4);
  return layout;
}

// The operand with every index of one axis at the first one's place.
TensorView repeated(TensorView x, int axis) {
  if (x.strides[axis] < 0 && x.shape[axis] > 0) {
    const std::int64_t reach = (x.shape[axis] - 1) * x.strides[axis];
    x.data = static_cast<const char*>(x.data) + reach * static_cast<std::int64_t>(size_of(x.dtype));
  }
  x.strides[axis] = 0;
  return x;
}

class EinsumLayouts : public ::testing::TestWithParam<DType> {
 protected:
  // Runs with both laid out at random; false when it went wrong.
  bool expect_right(const Problem& problem, bool strided_output) {
    const std::vector<Tensor> operands =
        random_operands(problem.equation, GetParam(), problem.sizes, random_);
    std::vector<LaidOut> memory;
    memory.reserve(operands.size());
    std::vector<TensorView> views;
    for (const Tensor& x : operands) {
      memory.emplace_back(x, random_layout(x.shape().size(), random_));
      views.push_back(memory.back().view());
      const int rank = views.back().rank();
      if (rank > 0 && random_.below(4) == 0)
        views.back() = repeated(views.back(), static_cast<int>(random_.below(rank)));
    }
    const EinsumSpec spec{.equation = problem.equation};
    const EinsumPlan dense(spec, views);
    const Layout layout =
        strided_output ? random_layout(dense.output_shape().size(), random_) : Layout{};
    const OutputSpace out(dense.output_dtype(), dense.output_shape(), layout);
    const EinsumPlan plan(spec, views, out.view().strides);
    plan.run(views, out.view(), {.executor = &serial_executor()});
    const std::string wrong = mismatch(problem.equation, views, Tensor::copy_of(out.view()));
    const std::string where = "output strides " + to_string(out.view().strides);
    EXPECT_EQ(wrong, "") << where;
    EXPECT_TRUE(out.is_clean()) << problem_string(problem.equation, views) << " " << where
                                << ": wrote beside the output";
    return wrong.empty() && out.is_clean();
  }

  Random random_{21};
};

TEST_P(EinsumLayouts, OfOperandsAndOutputs) {
  const int rounds = kSanitized ? 2 : 12;
  for (const Problem& problem : kProblems)
    for (int round = 0; round < rounds; ++round)
      if (!expect_right(problem, round % 2 == 1)) break;
}

// An equal tensor in the order of memory that suits the output, or the other one, is no other
// problem: here the same values lie in all orders.
TEST_P(EinsumLayouts, EveryOrderOfTheAxesOfAProduct) {
  const Problem problem{"abc,cbd->adb", {5, 6, 7, 8}};
  const std::vector<Tensor> operands =
      random_operands(problem.equation, GetParam(), problem.sizes, random_);
  Dims left{0, 1, 2};
  do {
    Dims right{0, 1, 2};
    do {
      const LaidOut a(operands[0], {.memory_order = left}), b(operands[1], {.memory_order = right});
      const std::vector<TensorView> views = {a.view(), b.view()};
      ASSERT_EQ(mismatch(problem.equation, views, run_plan({.equation = problem.equation}, views)),
                "");
    } while (std::next_permutation(right.begin(), right.end()));
  } while (std::next_permutation(left.begin(), left.end()));
}

TEST_P(EinsumLayouts, ZeroExtentsAndScalars) {
  const std::vector<Problem> problems = {{"ab,bc->ac", {3, 0, 4}},
                                         {"ab,bc->ac", {0, 3, 4}},
                                         {"ab,bc->ac", {3, 4, 0}},
                                         {"ab,bc->ac", {0, 0, 0}},
                                         {"ab->", {0, 5}},
                                         {"ab->b", {0, 5}},
                                         {"ab->a", {0, 5}},
                                         {"a,b->ab", {0, 5}},
                                         {"a,b->ba", {5, 0}},
                                         {"aa->", {0}},
                                         {"aa->a", {0}},
                                         {"a,a->", {0}},
                                         {"a,a->a", {0}},
                                         {"->", {}},
                                         {",->", {}},
                                         {",,->", {}},
                                         {",a->a", {4}},
                                         {"a,->a", {4}},
                                         {"ab,->ba", {3, 4}},
                                         {"a,->", {4}},
                                         {",->", {}},
                                         {"ab,bc,cd->ad", {2, 0, 3, 4}},
                                         {"ab,bc,cd->ad", {2, 3, 0, 4}},
                                         {"ab,cd->", {2, 0, 3, 4}},
                                         {"eab,ebc->eac", {0, 2, 3, 4}},
                                         {"ab->ba", {0, 5}},
                                         {"a->", {1}}};
  for (const Problem& problem : problems) {
    const std::vector<Tensor> operands =
        random_operands(problem.equation, GetParam(), problem.sizes, random_);
    const std::vector<TensorView> views = views_of(operands);
    EXPECT_EQ(mismatch(problem.equation, views, run_plan({.equation = problem.equation}, views)),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumLayouts,
                         ::testing::Values(DType::kF32, DType::kF64, DType::kF16, DType::kI8,
                                           DType::kI32, DType::kI64, DType::kC64, DType::kBool),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace tenfold::testing
