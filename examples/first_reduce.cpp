// The shortest use: one tensor, one call, one result.
#include <cstdio>

#include "tenfold/tenfold.hpp"

int main() {
  using tenfold::Dims, tenfold::ReduceOp;
  const auto x = tenfold::Tensor::of<float>({3, 1, 2, 6, 5, 4}, {2, 3});

  const auto sums = tenfold::reduce(x, {.op = ReduceOp::kSum, .axes = Dims{1}});
  for (const float sum : sums.values<float>()) std::printf("sum of a row: %g\n", sum);

  const auto places = tenfold::reduce(x, {.op = ReduceOp::kArgMax, .axes = Dims{-1}});
  for (const auto place : places.values<std::int64_t>()) {
    std::printf("its largest element is at %d\n", static_cast<int>(place));
  }

  // Every mistake is one tenfold::Error: a stable code, who refused, what was expected and got.
  try {
    tenfold::reduce(x, {.op = ReduceOp::kMax, .axes = Dims{2}});
  } catch (const tenfold::Error& error) {
    std::printf("%s\n", error.what());
  }
}
