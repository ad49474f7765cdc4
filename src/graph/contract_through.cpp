#include "graph/contract_through.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace tenfold::graph {
namespace {

// Up to ten operands the best order is found by an exact search, so one contraction of all is never
// dearer than one of some: the whole tree or nothing is the only choice.
constexpr int kMostOperands = 10;
constexpr std::size_t kMostNodes = 16;  // nodes of one operand add none

// A core multiplies and adds about four times in the time that it takes to move a byte.
constexpr double kFlopsPerByte = 4;
// Estimates are rough: a way must be better by more than this to be taken.
constexpr double kClearly = 0.95;

double price(const Effort& effort) { return effort.flops + kFlopsPerByte * effort.bytes; }

std::string in_quotes_or_label(const Node& node) {
  return node.name.empty() ? node.label : in_quotes(node.name);
}

}  // namespace

ContractionTree::ContractionTree(std::vector<Member> members) : members_(std::move(members)) {
  std::map<int, std::size_t> givers;
  for (const Member& member : members_) {
    std::vector<Source>& sources = sources_.emplace_back();
    for (int value : member.node->inputs) {
      const auto giver = givers.find(value);
      if (value == kAbsent) {
        sources.push_back({Source::Kind::kLeftOut, 0});
      } else if (giver != givers.end()) {
        sources.push_back({Source::Kind::kMember, giver->second});
      } else {
        sources.push_back({Source::Kind::kOutside, inputs_.size()});
        inputs_.push_back(value);
      }
    }
    givers.emplace(member.node->outputs[0], givers.size());
  }
}

std::vector<const Held*> ContractionTree::inputs_of(std::size_t member, HeldInputs outside,
                                                    const std::vector<Held>& results) const {
  std::vector<const Held*> inputs;
  for (const Source& source : sources_[member])
    inputs.push_back(source.kind == Source::Kind::kOutside  ? outside[source.index]
                     : source.kind == Source::Kind::kMember ? &results[source.index]
                                                            : nullptr);
  return inputs;
}

// The equations of all members as one: the label of a result's axis is the label that the taker
// gives it, every other label is new.
struct ContractionTree::Merger {
  const ContractionTree& tree;
  const std::vector<Contracted>& nodes;  // by member
  EinsumSpec spec = {};
  std::vector<std::size_t> operands = {};
  int labels = 0;

  void add_root() {
    spec.labels.emplace();
    const std::size_t root = nodes.size() - 1;
    std::vector<int> names(nodes[root].equation.sizes.size());
    for (int& name : names) name = labels++;
    spec.output_labels = renamed(nodes[root].equation.output, names);
    add(root, names);
  }

  // `names`: the new label for each label of the member.
  void add(std::size_t member, const std::vector<int>& names) {
    const einsum_detail::Equation& equation = nodes[member].equation;
    for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
      std::vector<int> operand = renamed(equation.inputs[i], names);
      const Source& source = tree.sources_[member][i];
      if (source.kind == Source::Kind::kMember) {
        add_giver(source.index, operand);
      } else {
        spec.labels->push_back(std::move(operand));
        operands.push_back(source.index);
      }
    }
  }

  void add_giver(std::size_t member, const std::vector<int>& taken_as) {
    const einsum_detail::Equation& equation = nodes[member].equation;
    std::vector<int> names(equation.sizes.size(), -1);
    for (std::size_t axis = 0; axis < taken_as.size(); ++axis)
      names[index(equation.output[axis])] = taken_as[axis];
    for (int& name : names)
      if (name < 0) name = labels++;
    add(member, names);
  }

  static std::vector<int> renamed(const std::vector<int>& from, const std::vector<int>& names) {
    std::vector<int> to;
    for (int label : from) to.push_back(names[index(label)]);
    return to;
  }
};

ContractionTree::Way ContractionTree::choose(HeldInputs inputs) const {
  std::vector<Contracted> nodes;
  std::vector<Held> results;  // types and shapes only
  Effort apart;
  DType dtype = DType::kF32;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::vector<const Held*> given = inputs_of(i, inputs, results);
    const Contractible& node = *members_[i].operation->contractible();
    try {
      nodes.push_back(node.contracted(given));
      const Effort effort = node.effort(given);
      apart.flops += effort.flops;
      apart.bytes += effort.bytes;
    } catch (const Error& error) {
      throw error.within(members_[i].node->label);
    }
    dtype = given[0]->view.dtype;
    results.push_back({TensorView(nullptr, dtype, nodes.back().shape), nullptr});
  }
  Way way;
  way.shape = nodes.back().shape;
  way.dtype = dtype;
  Merger merger{*this, nodes};
  merger.add_root();
  merger.spec.label = members_.back().operation->label();
  if (nodes.back().sum != dtype) merger.spec.dtype = nodes.back().sum;
  std::vector<TensorView> operands;
  for (std::size_t i : merger.operands) operands.push_back(inputs[i]->view);
  try {
    EinsumPlan merged(merger.spec, operands);
    const Effort effort{merged.cost().flops, merged.cost().bytes};
    if (price(effort) < kClearly * price(apart)) {
      way.merged.emplace(std::move(merged));
      way.operands = std::move(merger.operands);
    }
  } catch (const Error&) {
    // The nodes are right, but one contraction cannot do it: a diagonal of a result that was
    // broadcast would be one of an operand whose extents differ, 1 and n.
  }
  return way;
}

Held ContractionTree::run(HeldInputs inputs, const RunOptions& options,
                          std::vector<NodeTime>* profile) const {
  std::vector<TensorView> views;
  std::vector<std::int64_t> parameters;
  for (const Held* input : inputs) views.push_back(input->view);
  // Parameters come from outside; a giver's result is not one of them.
  const std::vector<Held> none(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto more = members_[i].operation->contractible()->parameters(inputs_of(i, inputs, none));
    parameters.insert(parameters.end(), more.begin(), more.end());
  }
  const std::shared_ptr<const Way> way =
      ways_.get(parameters, views, [&] { return choose(inputs); });
  return way->merged ? run_merged(*way, inputs, options, profile)
                     : run_apart(inputs, options, profile);
}

Held ContractionTree::run_merged(const Way& way, HeldInputs inputs, const RunOptions& options,
                                 std::vector<NodeTime>* profile) const {
  const Member& root = members_.back();
  const auto start = std::chrono::steady_clock::now();
  Held result;
  try {
    std::vector<TensorView> operands;
    for (std::size_t i : way.operands) operands.push_back(inputs[i]->view);
    Held sum = Held::of(Tensor(way.merged->output_dtype(), way.merged->output_shape()));
    way.merged->run(operands, sum.owner->view(), options);
    const std::vector<Held> none(members_.size());
    const std::vector<const Held*> given = inputs_of(members_.size() - 1, inputs, none);
    result = root.operation->contractible()->finish(std::move(sum), way.dtype, given, options);
    result.view = TensorView(result.view.data, way.dtype, way.shape);
  } catch (const Error& error) {
    throw error.within(root.node->label);
  }
  if (profile == nullptr) return result;
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  for (const Member& member : members_)
    if (&member != &root)
      profile->push_back({member.node->name, member.operation->label(), 0,
                          "contracted into " + in_quotes_or_label(*root.node)});
  profile->push_back(
      {root.node->name, root.operation->label(), time.count(),
       std::to_string(members_.size()) + " nodes as one: " + first_line(way.merged->explain())});
  return result;
}

Held ContractionTree::run_apart(HeldInputs inputs, const RunOptions& options,
                                std::vector<NodeTime>* profile) const {
  std::vector<Held> results(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    const std::vector<const Held*> given = inputs_of(i, inputs, results);
    std::string detail;
    const auto start = std::chrono::steady_clock::now();
    try {
      results[i] = member.operation->run(given, options, profile != nullptr ? &detail : nullptr);
    } catch (const Error& error) {
      throw error.within(member.node->label);
    }
    if (profile != nullptr) {
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      profile->push_back({member.node->name, member.operation->label(), time.count(), detail});
    }
    for (const Source& source : sources_[i])
      if (source.kind == Source::Kind::kMember) results[source.index] = {};
  }
  return std::move(results.back());
}

std::string ContractionTree::describe(std::size_t member) const {
  const bool is_root = member + 1 == members_.size();
  const std::string into = in_quotes_or_label(*members_.back().node);
  const std::shared_ptr<const Way> way = ways_.newest();
  if (way == nullptr) return is_root ? "" : "contracted into " + into + " where that is cheaper";
  if (!way->merged) return members_[member].operation->describe();
  if (!is_root) return "contracted into " + into;
  return std::to_string(members_.size()) + " nodes as one: " + first_line(way->merged->explain());
}

std::vector<std::vector<int>> gather_trees(const Model& model, const std::vector<int>& order,
                                           std::span<const std::unique_ptr<Operation>> operations) {
  std::vector<int> uses(model.values.size()), giver(model.values.size(), -1);
  for (const OutputPort& output : model.outputs) ++uses[index(output.value)];
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (int value : model.nodes[i].inputs)
      if (value != kAbsent) ++uses[index(value)];
    giver[index(model.nodes[i].outputs[0])] = static_cast<int>(i);
  }
  std::vector<std::vector<int>> trees(model.nodes.size());  // by root
  std::vector<int> operands(model.nodes.size());
  for (int i : order) {
    std::vector<int>& tree = trees[index(i)];
    if (const Contractible* node = operations[index(i)]->contractible()) {
      const std::vector<int>& inputs = model.nodes[index(i)].inputs;
      operands[index(i)] = node->operand_count();
      for (int k = 0; k < node->operand_count(); ++k) {
        const int value = inputs[index(k)], from = giver[index(value)];
        if (from < 0 || uses[index(value)] != 1) continue;
        const Contractible* other = operations[index(from)]->contractible();
        if (other == nullptr || !other->passes_through()) continue;
        const int total = operands[index(i)] - 1 + operands[index(from)];
        std::vector<int>& inner = trees[index(from)];
        if (total > kMostOperands || tree.size() + inner.size() >= kMostNodes) continue;
        operands[index(i)] = total;
        tree.insert(tree.end(), inner.begin(), inner.end());
        inner.clear();
      }
    }
    tree.push_back(i);
  }
  std::vector<std::vector<int>> gathered;
  for (int i : order)
    if (!trees[index(i)].empty()) gathered.push_back(std::move(trees[index(i)]));
  return gathered;
}

}  // namespace tenfold::graph
