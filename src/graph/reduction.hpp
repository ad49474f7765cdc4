// A reduction or Arg node: the standard's row turns the node into a spec, the plan does the rest.
// Plans are kept for the layouts seen last. Made by `bind`.
#pragma once

#include <string>
#include <vector>

#include "graph/operation.hpp"
#include "graph/plan_cache.hpp"
#include "tenfold/reduce.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::graph {

class Reduction : public Operation, public Contractible {
 public:
  Reduction(const Node& node, const OperatorRow& row);
  Held run(HeldInputs inputs, const RunOptions& options, std::string* detail) const override;
  std::string label() const override;
  std::string describe() const override;

  // A sum may end a tree of contractions.
  const Contractible* contractible() const override {
    return row_.op == ReduceOp::kSum ? this : nullptr;
  }
  int operand_count() const override { return 1; }
  bool passes_through() const override { return false; }
  Contracted contracted(HeldInputs inputs) const override;
  Effort effort(HeldInputs inputs) const override;
  std::vector<std::int64_t> parameters(HeldInputs inputs) const override;

 private:
  ReduceSpec spec_of(HeldInputs inputs) const;

  const OperatorRow& row_;
  ReduceCall call_;  // what the attributes say
  mutable PlanCache<ReducePlan, ReduceSpec> plans_;
};

}  // namespace tenfold::graph
