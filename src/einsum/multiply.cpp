// A contraction that sums nothing: elementwise, broadcast and outer products.
#include "einsum/elementwise.hpp"

namespace tenfold::einsum_detail {

PairKind multiply_kind() {
  return {"multiply", "two operands and nothing summed",
          [](const Pair& pair) { return pair.has_b && pair.k.empty() && !pair.one_chain; },
          &elementwise_cost,
          [](const Pair& pair) -> std::unique_ptr<PairKernel> {
            return std::make_unique<ElementwisePlan>(pair);
          }};
}

}  // namespace tenfold::einsum_detail
