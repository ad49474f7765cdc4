#include "graph/program.hpp"

#include <chrono>
#include <utility>

#include "graph/schedule.hpp"

namespace tenfold::graph {
namespace {

// The tensor behind a slot: moved out when the slot is its only user and shows all of it in order,
// copied otherwise.
Tensor take(Held& slot, bool last_use) {
  const TensorView& view = slot.view;
  if (last_use && slot.owner.use_count() == 1 && view.data == slot.owner->data() &&
      is_contiguous(view) && element_count(view.shape) == slot.owner->size())
    return std::move(*slot.owner).reshaped(view.shape);
  return Tensor::copy_of(view);
}

}  // namespace

Program::Program(Model model, const GraphOptions& options) : model_(std::move(model)) {
  std::vector<std::unique_ptr<Operation>> operations;
  for (const Node& node : model_.nodes) {
    try {
      operations.push_back(bind(node));
    } catch (const Error& error) {
      throw error.within(node.label);
    }
  }
  add_steps(std::move(operations), options);
  find_last_uses();
  for (const InputPort& input : model_.inputs)
    if (!input.has_default) inputs_.push_back(input.port);
  for (const OutputPort& output : model_.outputs) outputs_.push_back(output.port);
}

void Program::add_steps(std::vector<std::unique_ptr<Operation>> operations,
                        const GraphOptions& options) {
  const std::vector<int> order = schedule(model_);
  std::vector<std::vector<int>> trees;
  if (options.contract_through) {
    trees = gather_trees(model_, order, operations);
  } else {
    for (int i : order) trees.push_back({i});
  }
  for (const std::vector<int>& tree : trees) {
    const Node* const root = &model_.nodes[index(tree.back())];
    if (tree.size() == 1) {
      steps_.push_back({root, std::move(operations[index(tree[0])]), nullptr});
      continue;
    }
    std::vector<ContractionTree::Member> members;
    for (int i : tree)
      members.push_back({&model_.nodes[index(i)], std::move(operations[index(i)])});
    steps_.push_back({root, nullptr, std::make_unique<ContractionTree>(std::move(members))});
  }
}

void Program::find_last_uses() {
  std::vector<bool> needed(model_.values.size());
  for (const OutputPort& output : model_.outputs) needed[index(output.value)] = true;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const int result = step->node->outputs[0];
    if (!needed[index(result)]) step->last_uses.push_back(result);
    for (int value : step->inputs()) {
      if (value == kAbsent || needed[index(value)]) continue;
      needed[index(value)] = true;
      step->last_uses.push_back(value);
    }
  }
}

Held Program::run_node(const Step& step, HeldInputs inputs, const RunOptions& options,
                       std::vector<NodeTime>* profile) const {
  std::string detail;
  const auto start = std::chrono::steady_clock::now();
  Held result;
  try {
    result = step.operation->run(inputs, options, profile != nullptr ? &detail : nullptr);
  } catch (const Error& error) {
    throw error.within(step.node->label);
  }
  if (profile != nullptr) {
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    profile->push_back({step.node->name, step.operation->label(), time.count(), detail});
  }
  return result;
}

void Program::run_step(const Step& step, std::vector<Held>& slots, const RunOptions& options,
                       std::vector<NodeTime>* profile) const {
  std::vector<const Held*> inputs;
  for (int value : step.inputs())
    inputs.push_back(value == kAbsent ? nullptr : &slots[index(value)]);
  slots[index(step.node->outputs[0])] = step.tree ? step.tree->run(inputs, options, profile)
                                                  : run_node(step, inputs, options, profile);
  for (int value : step.last_uses) slots[index(value)] = {};
}

Graph::Outputs Program::take_outputs(std::vector<Held>& slots) const {
  std::vector<int> uses(model_.values.size());
  for (const OutputPort& output : model_.outputs) ++uses[index(output.value)];
  Graph::Outputs outputs;
  for (const OutputPort& output : model_.outputs) {
    Held& slot = slots[index(output.value)];
    const bool last_use = --uses[index(output.value)] == 0;
    outputs.emplace(output.port.name, take(slot, last_use));
    if (last_use) slot = {};  // another output may be a view of the same tensor
  }
  return outputs;
}

Graph::Outputs Program::run(const Graph::Inputs& inputs, const RunOptions& options,
                            std::vector<NodeTime>* profile) const {
  std::vector<Held> slots(model_.values.size());
  for (const Constant& constant : model_.constants)
    slots[index(constant.value)].view = constant.tensor.view();
  place_inputs(model_, inputs, slots);
  for (const Step& step : steps_) run_step(step, slots, options, profile);
  return take_outputs(slots);
}

std::string Program::explain(const Node& node, const Operation& operation,
                             const std::string& detail) const {
  std::string text = node.name + ": " + operation.label() + "(";
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const int value = node.inputs[i];
    if (i > 0) text += ", ";
    text += value == kAbsent ? "-" : shortened(model_.values[index(value)]);
  }
  text += ") -> " + shortened(model_.values[index(node.outputs[0])]);
  if (!detail.empty()) text += "  [" + detail + "]";
  return text + '\n';
}

std::string Program::explain() const {
  std::string text;
  for (const Step& step : steps_) {
    if (!step.tree) {
      text += explain(*step.node, *step.operation, step.operation->describe());
      continue;
    }
    const std::vector<ContractionTree::Member>& members = step.tree->members();
    for (std::size_t i = 0; i < members.size(); ++i)
      text += explain(*members[i].node, *members[i].operation, step.tree->describe(i));
  }
  return text;
}

}  // namespace tenfold::graph
