// A contraction of one operand: any permutation, diagonal view, broadcast and conversion of it.
#include "einsum/elementwise.hpp"

namespace tenfold::einsum_detail {

PairKind copy_kind() {
  return {"copy", "one operand: its elements permuted, spread or converted",
          [](const Pair& pair) { return !pair.has_b; }, &elementwise_cost,
          [](const Pair& pair) -> std::unique_ptr<PairKernel> {
            return std::make_unique<ElementwisePlan>(pair);
          }};
}

}  // namespace tenfold::einsum_detail
