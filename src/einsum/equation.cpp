#include "einsum/equation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/utf8.hpp"
#include "einsum/equation_errors.hpp"
#include "einsum/labels.hpp"
#include "einsum/terms.hpp"

namespace tenfold::einsum_detail {
namespace {

constexpr std::string_view kEllipsisName = "…";  // of its axes: then their number

struct LabelState {
  int uses = 0;                      // axes of all operands that have the label
  int operand = -1;                  // the last of these operands
  std::int64_t extent_in_operand{};  // and the extent of the label there
  bool in_output = false;
};

class Checker {
 public:
  Checker(const EinsumSpec& spec, std::span<const Dims> shapes)
      : spec_(spec), shapes_(shapes), errors_(spec, shapes), terms_(read_terms(spec, shapes)) {}

  Equation check() {
    check_ranks();
    equation_.inputs = std::move(terms_.inputs);
    if (terms_.has_ellipsis)
      for (std::size_t i = 0; i < shapes_.size(); ++i)
        expand_ellipsis(equation_.inputs[i], shapes_[i].size());
    const std::size_t labels =
        static_cast<std::size_t>(terms_.input_labels) + static_cast<std::size_t>(ellipsis_rank_);
    if (labels > few_states_.size()) many_states_.resize(labels);
    states_ = many_states_.empty() ? few_states_.data() : many_states_.data();
    equation_.sizes.assign(labels, 1);
    for (std::size_t i = 0; i < shapes_.size(); ++i) check_sizes(static_cast<int>(i));
    if (terms_.explicit_output)
      take_output();
    else
      make_output();
    check_output_size();
    make_names();
    return std::move(equation_);
  }

 private:
  // Terms against operands; finds the number of ellipsis axes after broadcasting.
  void check_ranks() {
    if (terms_.inputs.size() != shapes_.size()) errors_.operands();
    int first = -1, first_rank = 0;  // the first operand with an ellipsis, and its axes there
    for (int i = 0; i < static_cast<int>(shapes_.size()); ++i) {
      const std::vector<int>& term = terms_.inputs[static_cast<std::size_t>(i)];
      const auto axes = static_cast<std::size_t>(shapes_[static_cast<std::size_t>(i)].size());
      if (!terms_.has_ellipsis || std::ranges::find(term, kEllipsis) == term.end()) {
        if (term.size() != axes) errors_.rank(i);
        continue;
      }
      if (term.size() > axes + 1) errors_.rank(i);
      const int rank = static_cast<int>(axes + 1 - term.size());
      if (first < 0) {
        first = i;
        first_rank = rank;
      } else if (spec_.dialect == Dialect::kOnnx && rank != first_rank) {
        errors_.ellipsis_ranks(first, i);
      }
      ellipsis_rank_ = std::max(ellipsis_rank_, rank);
    }
  }

  // Puts labels in the place of the ellipsis, as many as make `rank`: the last ones there are.
  void expand_ellipsis(std::vector<int>& term, int rank) const {
    const auto ellipsis = std::ranges::find(term, kEllipsis);
    if (ellipsis == term.end()) return;
    const int count = rank + 1 - static_cast<int>(term.size());
    const int first = terms_.input_labels + ellipsis_rank_ - count;
    const auto at = term.insert(term.erase(ellipsis), static_cast<std::size_t>(count), 0);
    for (int i = 0; i < count; ++i) at[i] = first + i;
  }

  // Extents along one label: equal within an operand; equal or 1 across operands.
  void check_sizes(int operand) {
    const std::vector<int>& term = equation_.inputs[static_cast<std::size_t>(operand)];
    const Dims& shape = shapes_[static_cast<std::size_t>(operand)];
    for (int axis = 0; axis < shape.size(); ++axis) {
      const int label = term[static_cast<std::size_t>(axis)];
      const std::int64_t extent = shape[axis];
      if (extent < 0) errors_.negative_extent(operand, axis);
      LabelState& state = states_[label];
      ++state.uses;
      if (state.operand == operand) {
        if (state.extent_in_operand != extent) errors_.diagonal(equation_, operand, axis);
        continue;
      }
      state.operand = operand;
      state.extent_in_operand = extent;
      std::int64_t& size = equation_.sizes[static_cast<std::size_t>(label)];
      if (size == 1)
        size = extent;
      else if (extent != 1 && extent != size)
        errors_.sizes(equation_, operand, axis);
    }
  }

  void take_output() {
    std::vector<int>& output = terms_.output;
    int rank = 0;
    for (int i = 0; i < static_cast<int>(output.size()); ++i) {
      const int label = output[static_cast<std::size_t>(i)];
      rank += label == kEllipsis ? ellipsis_rank_ : 1;
      if (label == kEllipsis) continue;
      if (label >= terms_.input_labels) errors_.unknown_output(i);
      if (std::exchange(states_[label].in_output, true)) errors_.repeated_output(i);
    }
    equation_.output = std::move(output);
    expand_ellipsis(equation_.output, rank);
  }

  // The implicit output: the axes of the ellipsis, then the labels that stand once, sorted.
  void make_output() {
    std::vector<int>& output = equation_.output;
    for (int i = 0; i < ellipsis_rank_; ++i) output.push_back(terms_.input_labels + i);
    const auto sorted = output.size();
    for (int label = 0; label < terms_.input_labels; ++label)
      if (states_[label].uses == 1) output.push_back(label);
    if (output.size() > kMaxRank) errors_.output_rank(output.size());
    std::sort(output.begin() + static_cast<std::ptrdiff_t>(sorted), output.end(),
              [&](int a, int b) { return key_of(a) < key_of(b); });
  }

  void check_output_size() const {
    const std::vector<int>& output = equation_.output;
    if (output.size() > kMaxRank) errors_.output_rank(output.size());
    Dims shape;
    std::int64_t elements = 1;
    bool overflow = false;
    for (const int label : output) {
      const std::int64_t extent = equation_.sizes[static_cast<std::size_t>(label)];
      shape.push_back(extent);
      // A zero extent excuses nothing: the strides of such a shape would not fit either.
      overflow |= __builtin_mul_overflow(elements, std::max<std::int64_t>(extent, 1), &elements);
    }
    if (overflow) errors_.output_elements(shape);
  }

  void make_names() {
    std::vector<std::string>& names = equation_.names;
    names.resize(equation_.sizes.size());
    for (int label = 0; label < static_cast<int>(names.size()); ++label) {
      std::string& name = names[static_cast<std::size_t>(label)];
      if (label >= terms_.input_labels)
        name = std::string(kEllipsisName) + std::to_string(label - terms_.input_labels + 1);
      else if (spec_.labels)
        name = symbol_of(key_of(label));
      else
        utf8::append(name, static_cast<char32_t>(key_of(label)));
    }
  }

  int key_of(int label) const { return terms_.keys[static_cast<std::size_t>(label)]; }

  const EinsumSpec& spec_;
  std::span<const Dims> shapes_;
  EquationErrors errors_;
  Terms terms_;
  Equation equation_;
  int ellipsis_rank_ = 0;
  // By label; few enough are kept in place.
  std::array<LabelState, 32> few_states_;
  std::vector<LabelState> many_states_;
  LabelState* states_ = nullptr;
};

bool is_ellipsis_axis(const std::string& name) { return name.starts_with(kEllipsisName); }

}  // namespace

Equation parse_equation(const EinsumSpec& spec, std::span<const Dims> shapes) {
  return Checker(spec, shapes).check();
}

std::string operator_name(const EinsumSpec& spec) {
  if (!spec.label.empty()) return spec.label;
  switch (spec.dialect) {
    case Dialect::kOnnx:
      return spec.version == 0 || spec.version >= 28 ? "Einsum-28" : "Einsum-12";
    case Dialect::kOpenVino:
      return "Einsum-7";
    case Dialect::kNumpy:
      return "einsum";
  }
  __builtin_unreachable();
}

std::string Equation::text() const {
  std::string out;
  const int labels = static_cast<int>(names.size());
  const auto put = [&](const std::vector<int>& term) {
    for (std::size_t i = 0; i < term.size(); ++i) {
      const std::string& name = names[static_cast<std::size_t>(term[i])];
      // The axes of an ellipsis, from one of them to the last label of all, are one ellipsis.
      std::size_t end = i;
      if (is_ellipsis_axis(name))
        while (end + 1 < term.size() && term[end + 1] == term[end] + 1) ++end;
      const bool whole = is_ellipsis_axis(name) && term[end] == labels - 1;
      out += whole ? "..." : name;
      if (whole) i = end;
    }
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i > 0) out += ',';
    put(inputs[i]);
  }
  out += "->";
  put(output);
  return out;
}

}  // namespace tenfold::einsum_detail
