// A model that is checked, in order and ready to run. Made by `compile`, held by Graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/contract_through.hpp"
#include "graph/model.hpp"
#include "graph/operation.hpp"
#include "tenfold/graph.hpp"

namespace tenfold::graph {

class Program {
 public:
  // Checks every node; throws Error naming the node.
  Program(Model model, const GraphOptions& options);

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  Graph::Outputs run(const Graph::Inputs& inputs, const RunOptions& options,
                     std::vector<NodeTime>* profile) const;
  std::string explain() const;

 private:
  // One node, or a tree of contractions with its root as the node.
  struct Step {
    const Node* node;
    std::unique_ptr<Operation> operation;   // nullptr: a tree
    std::unique_ptr<ContractionTree> tree;  // nullptr: one operation
    std::vector<int> last_uses = {};        // values that no later step and no output needs

    const std::vector<int>& inputs() const { return tree ? tree->inputs() : node->inputs; }
  };

  void add_steps(std::vector<std::unique_ptr<Operation>> operations, const GraphOptions& options);
  void find_last_uses();
  std::string explain(const Node& node, const Operation& operation,
                      const std::string& detail) const;
  Held run_node(const Step& step, HeldInputs inputs, const RunOptions& options,
                std::vector<NodeTime>* profile) const;
  void run_step(const Step& step, std::vector<Held>& slots, const RunOptions& options,
                std::vector<NodeTime>* profile) const;
  Graph::Outputs take_outputs(std::vector<Held>& slots) const;

  Model model_;
  std::vector<Step> steps_;
  std::vector<Port> inputs_, outputs_;  // inputs without those that have a default
};

// Puts the caller's tensors into the slots of their values, each checked against its declaration:
// type, rank, fixed extents, and one extent for each symbol.
void place_inputs(const Model& model, const Graph::Inputs& inputs, std::vector<Held>& slots);

}  // namespace tenfold::graph
