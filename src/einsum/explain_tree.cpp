// The tree of an einsum plan as a picture: steps are boxes, their operands stand below them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "einsum/explain.hpp"

namespace tenfold::einsum_detail {
namespace {

struct Node {
  std::string title, detail;
  std::vector<int> children;
  double x = 0;
  int depth = 0;
};

// Steps that only prepare (sums, conversions) are nodes like all others; what a slot holds is the
// last step that wrote it.
struct Tree {
  std::vector<Node> nodes;
  int root = -1;
};

Tree tree_of(const EinsumPlan::Impl& plan) {
  Tree tree;
  std::map<int, int> holder;  // slot -> node
  const auto constant = static_cast<int>(plan.operands.size()) + 1;
  const auto node_of = [&](int slot) {
    const auto found = holder.find(slot);
    if (found != holder.end()) return found->second;
    Node leaf;
    leaf.title = slot_name(plan, slot);
    if (slot < static_cast<int>(plan.operands.size())) {
      const auto& o = plan.operands[static_cast<std::size_t>(slot)];
      leaf.detail = std::string(name_of(o.dtype)) + " " + to_string(o.shape);
    }
    tree.nodes.push_back(leaf);
    return holder[slot] = static_cast<int>(tree.nodes.size()) - 1;
  };
  for (const Step& step : plan.steps) {
    Node node;
    node.title = step.equation;
    node.detail =
        step_kind(step) + ", " + with_unit(step.flops, "flop") + ", " + with_unit(step.bytes, "B");
    for (int slot : {step.a, step.b})
      if (slot >= 0 && slot != constant) node.children.push_back(node_of(slot));
    const auto written =
        holder.find(step.c);  // a slot written in parts keeps its earlier parts below
    if (written != holder.end()) node.children.push_back(written->second);
    tree.nodes.push_back(node);
    tree.root = holder[step.c] = static_cast<int>(tree.nodes.size()) - 1;
  }
  return tree;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Leaves take columns from left to right; a step stands over the middle of its operands.
void lay_out(Tree& tree) {
  struct Visit {
    int node;
    bool done;
  };
  double column = 0;
  std::vector<Visit> stack{{tree.root, false}};
  std::vector<char> placed(tree.nodes.size());
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    Node& node = tree.nodes[static_cast<std::size_t>(visit.node)];
    if (visit.done) {
      double sum = 0;
      for (int child : node.children) sum += tree.nodes[static_cast<std::size_t>(child)].x;
      node.x = node.children.empty() ? column++ : sum / static_cast<double>(node.children.size());
      continue;
    }
    if (placed[static_cast<std::size_t>(visit.node)]++) continue;
    stack.push_back({visit.node, true});
    for (std::size_t i = node.children.size(); i-- > 0;) {
      Node& child = tree.nodes[static_cast<std::size_t>(node.children[i])];
      child.depth = std::max(child.depth, node.depth + 1);
      stack.push_back({node.children[i], false});
    }
  }
}

}  // namespace

std::string tree_as_dot(const EinsumPlan::Impl& plan) {
  const Tree tree = tree_of(plan);
  std::string text =
      "digraph einsum {\n  rankdir=BT;\n  node [shape=box, fontname=\"monospace\"];\n";
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    text += fmt::format("  n{} [label=\"{}\\n{}\"];\n", i, node.title, node.detail);
    for (int child : node.children) text += fmt::format("  n{} -> n{};\n", child, i);
  }
  return text + "}\n";
}

std::string tree_as_svg(const EinsumPlan::Impl& plan) {
  constexpr double kColumn = 230, kRow = 84, kWidth = 214, kHeight = 46, kMargin = 12;
  Tree tree = tree_of(plan);
  if (tree.root < 0) {
    tree.nodes.push_back({plan.equation.text(), "nothing to compute", {}, 0, 0});
    tree.root = 0;
  }
  lay_out(tree);
  double columns = 1;
  int depth = 0;
  for (const Node& node : tree.nodes) {
    columns = std::max(columns, node.x + 1);
    depth = std::max(depth, node.depth);
  }
  const double width = columns * kColumn + 2 * kMargin, height = (depth + 1) * kRow + 2 * kMargin;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"monospace\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  const auto left = [&](const Node& node) { return kMargin + node.x * kColumn; };
  const auto top = [&](const Node& node) { return kMargin + node.depth * kRow; };
  for (const Node& node : tree.nodes)
    for (int c : node.children) {
      const Node& child = tree.nodes[static_cast<std::size_t>(c)];
      text += fmt::format(
          "<line x1=\"{:.0f}\" y1=\"{:.0f}\" x2=\"{:.0f}\" y2=\"{:.0f}\" stroke=\"#888\"/>\n",
          left(node) + kWidth / 2, top(node) + kHeight, left(child) + kWidth / 2, top(child));
    }
  for (const Node& node : tree.nodes) {
    text += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"4\" fill=\"{}\" "
        "stroke=\"#555\"/>\n",
        left(node), top(node), kWidth, kHeight, node.children.empty() ? "#eef3fa" : "#fdf3e3");
    const auto line = [&](const std::string& words, double down) {
      text += fmt::format(
          "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\"{}>{}</text>\n",
          left(node) + kWidth / 2, top(node) + down,
          words.size() > 28
              ? fmt::format(" textLength=\"{:.0f}\" lengthAdjust=\"spacingAndGlyphs\"", kWidth - 10)
              : "",
          escaped(words));
    };
    line(node.title, 19);
    line(node.detail, 36);
  }
  return text + "</svg>\n";
}

}  // namespace tenfold::einsum_detail
