#include "graph/schedule.hpp"

#include <functional>
#include <queue>
#include <utility>

namespace tenfold::graph {
namespace {

constexpr int kNothing = -1;  // nothing gives the value
constexpr int kGiven = -2;    // an input or a constant does

class Scheduler {
 public:
  explicit Scheduler(const Model& model)
      : model_(model), giver_(model.values.size(), kNothing), readers_(model.values.size()) {}

  std::vector<int> order() {
    find_givers();
    count_waits();
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < count(); ++i)
      if (waits_[index(i)] == 0) ready.push(i);
    std::vector<int> done;
    done.reserve(model_.nodes.size());
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      done.push_back(i);
      for (int value : node(i).outputs)
        if (value != kAbsent)
          for (int reader : readers_[index(value)])
            if (--waits_[index(reader)] == 0) ready.push(reader);
    }
    if (done.size() != model_.nodes.size()) report_cycle();
    return done;
  }

 private:
  int count() const { return static_cast<int>(model_.nodes.size()); }
  const Node& node(int i) const { return model_.nodes[index(i)]; }
  std::string name(int value) const { return in_quotes(model_.values[index(value)]); }

  std::string giver_name(int giver) const {
    return giver >= 0 ? node(giver).label : "an input or a constant of the graph";
  }

  void give(int value, int giver) {
    int& known = giver_[index(value)];
    if (known != kNothing)
      malformed(giver_name(giver), "value " + name(value) + " is defined twice",
                "a name of its own", "one that belongs to " + giver_name(known));
    known = giver;
  }

  void find_givers() {
    std::vector<bool> default_allowed(model_.values.size());
    for (const InputPort& input : model_.inputs) {
      give(input.value, kGiven);
      default_allowed[index(input.value)] = input.has_default;
    }
    for (const Constant& constant : model_.constants) {
      if (default_allowed[index(constant.value)])
        default_allowed[index(constant.value)] = false;  // once
      else
        give(constant.value, kGiven);
    }
    for (int i = 0; i < count(); ++i)
      for (int value : node(i).outputs)
        if (value != kAbsent) give(value, i);
  }

  void count_waits() {
    waits_.assign(model_.nodes.size(), 0);
    for (int i = 0; i < count(); ++i) {
      for (int value : node(i).inputs) {
        if (value == kAbsent) continue;
        const int giver = giver_[index(value)];
        if (giver == kNothing)
          malformed(full_label(node(i)), "input " + name(value) + " is given by nothing",
                    "an input or a constant of the graph, or the output of a node");
        if (giver == kGiven) continue;
        ++waits_[index(i)];
        readers_[index(value)].push_back(i);
      }
    }
    for (const OutputPort& output : model_.outputs)
      if (giver_[index(output.value)] == kNothing)
        malformed("output '" + shortened(output.port.name) + "'",
                  "value " + name(output.value) + " is given by nothing",
                  "an input or a constant of the graph, or the output of a node");
  }

  // From a node that waits, back along what it waits for, until a node comes round again.
  [[noreturn]] void report_cycle() const {
    int at = 0;
    while (waits_[index(at)] == 0) ++at;
    std::vector<bool> seen(model_.nodes.size());
    for (;;) {
      seen[index(at)] = true;
      for (int value : node(at).inputs) {
        const int giver = value == kAbsent ? kGiven : giver_[index(value)];
        if (giver < 0 || waits_[index(giver)] == 0) continue;
        if (seen[index(giver)])
          malformed(
              full_label(node(at)), "the nodes form a cycle", "an order of the nodes",
              "input " + name(value) + " of " + giver_name(giver) + ", which needs this node");
        at = giver;
        break;
      }
    }
  }

  const Model& model_;
  std::vector<int> giver_;                 // by value: a node, kGiven or kNothing
  std::vector<std::vector<int>> readers_;  // by value: nodes, once for each use
  std::vector<int> waits_;                 // by node: inputs not given yet
};

}  // namespace

std::vector<int> schedule(const Model& model) { return Scheduler(model).order(); }

std::string full_label(const Node& node) { return node.label + " " + shortened(node.op); }

}  // namespace tenfold::graph
