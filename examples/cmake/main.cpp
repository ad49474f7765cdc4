// The largest element of each row.
#include <cstdio>

#include "tenfold/tenfold.hpp"

int main() {
  const auto x = tenfold::Tensor::of<std::int32_t>({3, 9, 2, 7, 5, 8}, {2, 3});
  const auto largest =
      tenfold::reduce(x, {.op = tenfold::ReduceOp::kMax, .axes = tenfold::Dims{1}});
  for (const auto value : largest.values<std::int32_t>()) std::printf("%d\n", value);
}
