// A reduction or Arg node: the standard's row turns the node into a spec, the plan does the rest.
// Plans are kept for the layouts seen last. Made by `bind`.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/operation.hpp"
#include "tenfold/reduce.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::graph {

// The plans of one node, one for each layout of the input and each set of axes, a few at most.
class PlanCache {
 public:
  std::shared_ptr<const ReducePlan> get(const ReduceSpec& spec, const TensorView& data);
  std::shared_ptr<const ReducePlan> newest() const;  // nullptr before the first run

 private:
  struct Entry {
    ReduceSpec spec;
    TensorView layout;
    std::shared_ptr<const ReducePlan> plan;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // the newest last
};

class Reduction : public Operation {
 public:
  Reduction(const Node& node, const OperatorRow& row);
  Held run(HeldInputs inputs, const RunOptions& options, std::string* detail) const override;
  std::string label() const override;
  std::string describe() const override;

 private:
  const OperatorRow& row_;
  ReduceCall call_;  // what the attributes say
  mutable PlanCache plans_;
};

}  // namespace tenfold::graph
