// A plan in words: text for people, JSON for programs. The pictures are in explain_tree.cpp.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "einsum/explain.hpp"
#include "einsum/plan.hpp"

namespace tenfold {

using namespace einsum_detail;

namespace einsum_detail {

std::string slot_name(const EinsumPlan::Impl& plan, int slot) {
  const auto n = static_cast<int>(plan.operands.size());
  if (slot < n) return fmt::format("operand {}", slot);
  if (slot == n) return "output";
  if (slot == n + 1) return "constant";
  return fmt::format("t{}", slot - n - 2);
}

std::string step_kind(const Step& step) {
  return step.kind ? std::string(step.kind->name) : step.what;
}

std::string with_unit(double value, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  int prefix = 0;
  while (value >= 1000 && prefix < 6) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.3g} {}{}", value, kPrefixes[prefix], unit);
}

}  // namespace einsum_detail

namespace {

std::string extents(const PairAxes& axes) {
  if (axes.empty()) return "1";
  std::string text;
  for (const PairAxis& axis : axes) text += fmt::format("{}{}", text.empty() ? "" : "x", axis.size);
  return text;
}

// Sizes, the kernel's own words, and what the other kernels were expected to take.
std::string reason(const Step& step) {
  if (step.reduction) return step.reduction->explain();
  const Pair& pair = step.pair;
  std::string text = pair.has_b ? fmt::format("batch {}, m {}, n {}, k {}", extents(pair.batch),
                                              extents(pair.m), extents(pair.n), extents(pair.k))
                                : fmt::format("axes {}", extents(pair.m));
  const std::string how = step.kernel->describe();
  if (!how.empty()) text += "; " + how;
  text += "\nexpected";
  const Pair decides = priced(pair);
  for (const PairKind& kind : pair_kinds())
    if (kind.accepts(decides))
      text += fmt::format(" {} {:.3g} us,", kind.name, kind.cost(decides) / 1000);
  text.back() = ';';
  text += fmt::format(" {}: {}", step.kind->name, step.kind->for_what);
  return text;
}

std::string indented(std::string_view text) {
  std::string out = "      ";
  for (char c : text) {
    if (c == '\n') {
      out += "\n      ";
    } else {
      out += c;
    }
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
  return out + "\n";
}

std::string as_text(const EinsumPlan::Impl& plan) {
  std::string text =
      fmt::format("{} '{}' in {}\n", plan.label, plan.equation.text(), name_of(plan.common));
  for (std::size_t i = 0; i < plan.operands.size() && plan.operands.size() <= 64; ++i)
    text += fmt::format("  operand {}: {} {}, strides {}\n", i, name_of(plan.operands[i].dtype),
                        to_string(plan.operands[i].shape), to_string(plan.operands[i].strides));
  text += fmt::format("  output: {}, strides {}\n", to_string(plan.output.shape),
                      to_string(plan.output.strides));
  if (plan.work == EinsumPlan::Impl::Work::kNothing)
    return text + "  nothing to do: the output has no elements\n";
  if (plan.work == EinsumPlan::Impl::Work::kZeros) return text + "  zeros: every sum is empty\n";
  if (plan.operands.size() > 2) text += fmt::format("  order: {}\n", plan.method);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    std::string from = slot_name(plan, step.a);
    if (step.b >= 0) from += ", " + slot_name(plan, step.b);
    text +=
        fmt::format("  {}. {} = {}  ({})\n", i + 1, slot_name(plan, step.c), step.equation, from);
    text += fmt::format("      {} | {} | {}\n", step_kind(step), with_unit(step.flops, "flop"),
                        with_unit(step.bytes, "B"));
    text += indented(reason(step));
  }
  return text + fmt::format("  total {}, largest intermediate {} elements, peak memory {}\n",
                            with_unit(plan.cost.flops, "flop"), plan.cost.largest_intermediate,
                            with_unit(static_cast<double>(plan.cost.peak_memory), "B"));
}

std::string as_json(const EinsumPlan::Impl& plan) {
  using nlohmann::json;
  json steps = json::array();
  for (const Step& step : plan.steps) {
    json inputs = json::array({slot_name(plan, step.a)});
    if (step.b >= 0) inputs.push_back(slot_name(plan, step.b));
    steps.push_back({{"equation", step.equation},
                     {"inputs", inputs},
                     {"output", slot_name(plan, step.c)},
                     {"kernel", step_kind(step)},
                     {"reason", reason(step)},
                     {"flops", step.flops},
                     {"bytes", step.bytes}});
  }
  json operands = json::array();
  for (const EinsumPlan::Impl::Operand& o : plan.operands)
    operands.push_back(
        {{"dtype", name_of(o.dtype)},
         {"shape", std::vector<std::int64_t>(o.shape.begin(), o.shape.end())},
         {"strides", std::vector<std::int64_t>(o.strides.begin(), o.strides.end())}});
  const json whole = {
      {"operator", plan.label},
      {"equation", plan.equation.text()},
      {"dtype", name_of(plan.common)},
      {"operands", operands},
      {"output",
       {{"shape", std::vector<std::int64_t>(plan.output.shape.begin(), plan.output.shape.end())}}},
      {"method", plan.method},
      {"path", path_of(plan.order.steps, static_cast<int>(plan.operands.size()))},
      {"steps", steps},
      {"flops", plan.cost.flops},
      {"largest_intermediate", plan.cost.largest_intermediate},
      {"peak_memory", plan.cost.peak_memory}};
  return whole.dump(2) + "\n";
}

}  // namespace

std::string EinsumPlan::Impl::explain(ExplainFormat format) const {
  switch (format) {
    case ExplainFormat::kText:
      return as_text(*this);
    case ExplainFormat::kJson:
      return as_json(*this);
    case ExplainFormat::kDot:
      return tree_as_dot(*this);
    case ExplainFormat::kSvg:
      return tree_as_svg(*this);
  }
  return {};
}

}  // namespace tenfold
