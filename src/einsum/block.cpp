// The kind "block": packed block contraction. It takes every contraction of two operands.
#include <fmt/format.h>

#include <algorithm>

#include "einsum/block_plan.hpp"
#include "einsum/cost.hpp"

namespace tenfold::einsum_detail {
namespace {

class BlockContraction final : public PairKernel {
 public:
  explicit BlockContraction(const Pair& pair) : plan_(make_block_plan(pair)) {}

  void run(const void* a, const void* b, void* c, const RunOptions& options) const override {
    run_block_plan(plan_, a, b, c, options);
  }

  std::string describe() const override {
    const auto way = [](kernels::PackWay w) {
      switch (w) {
        case kernels::PackWay::kAlongSlots:
          return "in rows";
        case kernels::PackWay::kAlongK:
          return "transposed along k";
        case kernels::PackWay::kAcross:
          return "transposed across";
        case kernels::PackWay::kGather:
          return "element by element";
      }
      return "";
    };
    std::string text =
        fmt::format("{} rows of {} packed {}, {} columns of {} packed {}; blocks of {} x {} x {}",
                    plan_.rows.extent, plan_.swapped ? "b" : "a", way(plan_.rows.way),
                    plan_.columns.extent, plan_.swapped ? "a" : "b", way(plan_.columns.way),
                    plan_.mc, plan_.nc * plan_.lanes(), plan_.kc);
    if (plan_.collected) text += ", sums collected before they are stored";
    if (plan_.parts > 1) text += fmt::format(", k in {} parts", plan_.parts);
    return text;
  }

 private:
  const BlockPlan plan_;
};

bool accepts(const Pair& pair) { return pair.has_b && !is_complex(pair.c_type); }
double cost(const Pair& pair) { return reference_block_cost_ns(pair); }
std::unique_ptr<PairKernel> make(const Pair& pair) {
  return std::make_unique<BlockContraction>(pair);
}

}  // namespace

PairKind block_kind() {
  return {"block", "large products: operands packed into cache blocks, from any strides", &accepts,
          &cost, &make};
}

}  // namespace tenfold::einsum_detail
