// Contracting through: a contraction whose result is used once, by another contraction or by a sum,
// need not have a result. Together they are one contraction of more operands, which may have a
// cheaper order: (A B) v is A (B v). Built by the program, which runs a tree as one step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/operation.hpp"
#include "graph/plan_cache.hpp"
#include "tenfold/einsum.hpp"
#include "tenfold/graph.hpp"

namespace tenfold::graph {

// Nodes that may become one contraction: each but the last, the root, is an operand of one other.
class ContractionTree {
 public:
  struct Member {
    const Node* node;
    std::unique_ptr<Operation> operation;
  };
  // Givers before takers, the root last.
  explicit ContractionTree(std::vector<Member> members);

  // The values that come from outside, in the order in which `run` wants them.
  const std::vector<int>& inputs() const { return inputs_; }
  const std::vector<Member>& members() const { return members_; }
  // The root's result. Throws Error naming the node.
  Held run(HeldInputs inputs, const RunOptions& options, std::vector<NodeTime>* profile) const;
  // What is known of a member before or after runs.
  std::string describe(std::size_t member) const;

 private:
  // Where an input of a member comes from.
  struct Source {
    enum class Kind { kOutside, kMember, kLeftOut } kind;
    std::size_t index;  // in the tree's inputs, or in its members
  };
  // How the tree runs on inputs of some layouts.
  struct Way {
    std::optional<EinsumPlan> merged;   // nullopt: node by node
    std::vector<std::size_t> operands;  // of `merged`: the tree's inputs
    Dims shape;                         // of the result
    DType dtype = DType::kF32;
  };
  struct Merger;

  std::vector<const Held*> inputs_of(std::size_t member, HeldInputs outside,
                                     const std::vector<Held>& results) const;
  Way choose(HeldInputs inputs) const;
  Held run_merged(const Way& way, HeldInputs inputs, const RunOptions& options,
                  std::vector<NodeTime>* profile) const;
  Held run_apart(HeldInputs inputs, const RunOptions& options,
                 std::vector<NodeTime>* profile) const;

  std::vector<Member> members_;
  std::vector<std::vector<Source>> sources_;  // by member, by input
  std::vector<int> inputs_;
  mutable PlanCache<Way, std::vector<std::int64_t>> ways_;
};

// The nodes in `order` as trees, most of one node, each at the place of its root.
std::vector<std::vector<int>> gather_trees(const Model& model, const std::vector<int>& order,
                                           std::span<const std::unique_ptr<Operation>> operations);

}  // namespace tenfold::graph
