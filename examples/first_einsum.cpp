// Contractions: one call, a plan for many runs, a wrong equation.
#include <cstdio>
#include <vector>

#include "tenfold/tenfold.hpp"

int main() {
  using namespace tenfold;
  const auto a = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto b = Tensor::of<float>({1, 0, 2, 0, 1, 1}, {3, 2});

  // One call. The plan is kept: the next call with the same equation and layouts finds it.
  const Tensor product = einsum("ij,jk->ik", {a, b});
  for (const float value : product.values<float>()) std::printf("product %g\n", value);

  // A plan says what it will do; here the order of three operands.
  const std::vector<TensorView> chain{a, b, a};
  const EinsumPlan plan({.equation = "ij,jk,kl->il"}, chain);
  std::printf("flops %g, steps %zu\n", plan.cost().flops, plan.path().size());
  Tensor result(plan.output_dtype(), plan.output_shape());
  plan.run(chain, result);
  for (const float value : result.values<float>()) std::printf("chain %g\n", value);

  // A mistake says where.
  try {
    einsum("ij,kj->ik", {a, b});
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
}
