#include "einsum/equation_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/utf8.hpp"
#include "einsum/equation.hpp"
#include "einsum/scanner.hpp"

namespace tenfold::einsum_detail {
namespace {

constexpr int kMostOfName = 20;  // characters of a term in the first line

// Where something stands in the equation, in bytes.
struct Part {
  int begin, end;
};
struct Item : Part {
  bool is_ellipsis;
};
struct Term : Part {
  std::vector<Item> items;
};

// An equation with the place of everything in it; the interleaved form is written out.
struct Written {
  std::string text;
  std::vector<Term> inputs;
  Term output;
  bool has_output = false;

  const Term& term(int number) const {
    return number == kOutputTerm ? output : inputs[static_cast<std::size_t>(number)];
  }
  std::string text_of(Part part) const {
    const auto begin = static_cast<std::size_t>(part.begin);
    return utf8::printable(
        std::string_view(text).substr(begin, static_cast<std::size_t>(part.end) - begin),
        kMostOfName);
  }
};

// Up to a second arrow or output, which the reader has refused.
Written written_text(const EinsumSpec& spec) {
  Written written{spec.equation, {}, {}};
  Scanner scanner(spec);
  // An empty term stands where it would begin.
  const auto empty_term = [](int at) { return Term{{at, at}, {}}; };
  written.inputs.push_back(empty_term(0));
  Term* term = &written.inputs.back();
  for (Token token = scanner.next(); token.kind != TokenKind::kEnd; token = scanner.next()) {
    if (token.kind == TokenKind::kLabel || token.kind == TokenKind::kEllipsis) {
      if (term->items.empty()) term->begin = token.begin;
      term->end = token.end;
      term->items.push_back({{token.begin, token.end}, token.kind == TokenKind::kEllipsis});
      continue;
    }
    if (written.has_output) break;
    if (token.kind == TokenKind::kComma) {
      term = &written.inputs.emplace_back(empty_term(token.end));
    } else {
      written.has_output = true;
      written.output = empty_term(token.end);
      term = &written.output;
    }
  }
  return written;
}

Written written_lists(const EinsumSpec& spec) {
  Written written;
  std::string& text = written.text;
  const auto write = [&](const std::vector<int>& list) {
    Term term;
    term.begin = static_cast<int>(text.size());
    text += '[';
    for (const int label : list) {
      if (!term.items.empty()) text += ", ";
      const int begin = static_cast<int>(text.size());
      text += label == kEllipsis ? "..." : std::to_string(label);
      term.items.push_back({{begin, static_cast<int>(text.size())}, label == kEllipsis});
    }
    text += ']';
    term.end = static_cast<int>(text.size());
    return term;
  };
  for (const std::vector<int>& list : *spec.labels) {
    if (!written.inputs.empty()) text += ", ";
    written.inputs.push_back(write(list));
  }
  if (spec.output_labels) {
    written.has_output = true;
    text += text.empty() ? "-> " : " -> ";
    written.output = write(*spec.output_labels);
  }
  return written;
}

Written written(const EinsumSpec& spec) {
  return spec.labels ? written_lists(spec) : written_text(spec);
}

// The item of an operand's axis: an ellipsis stands for as many as the other items leave.
const Item& item_of_axis(const Term& term, int axis, int rank) {
  const int ellipsis = rank + 1 - static_cast<int>(term.items.size());
  int position = 0;
  for (const Item& item : term.items) {
    position += item.is_ellipsis ? ellipsis : 1;
    if (axis < position) return item;
  }
  return term.items.back();
}

// One error being put together.
struct Report {
  const EinsumSpec& spec;
  Written text;
  std::vector<ErrorMark> marks = {};
  std::string label = {};

  explicit Report(const EinsumSpec& s) : spec(s), text(written(s)) {}

  ErrorMark& mark(Part part, std::string note) {
    return marks.emplace_back(mark_at(part.begin, part.end, std::move(note)));
  }
  [[noreturn]] void raise(ErrorCode code, std::string what, std::string expected,
                          std::string got = {}) {
    throw Error(code, operator_name(spec), std::move(what), std::move(expected), std::move(got),
                ErrorPlace{std::move(text.text), std::move(marks), std::move(label)});
  }
};

// Points at an axis of an operand, and names its label.
void mark_axis(Report& report, std::span<const Dims> shapes, int operand, int axis) {
  const Dims& shape = shapes[static_cast<std::size_t>(operand)];
  const Item& item = item_of_axis(report.text.term(operand), axis, shape.size());
  ErrorMark& mark = report.mark(item, fmt::format("size {} in operand {}, axis {}, shape {}",
                                                  shape[axis], operand, axis, to_string(shape)));
  mark.operand = operand;
  mark.axis = axis;
  mark.size = shape[axis];
  report.label = item.is_ellipsis ? "..." : report.text.text_of(item);
}

// The term of the output, or behind everything where there is none.
Part output_part(const Written& text) {
  const int end = static_cast<int>(text.text.size());
  return text.has_output ? Part(text.output) : Part{end, end};
}

}  // namespace

std::string plural(std::size_t count, const std::string& noun) {
  if (count == 1) return "1 " + noun;
  return fmt::format("{} {}", count, noun == "axis" ? "axes" : noun + "s");
}

ErrorMark mark_at(int begin, int end, std::string note) {
  ErrorMark mark;
  mark.offset = begin;
  mark.length = end - begin;
  mark.note = std::move(note);
  return mark;
}

void throw_syntax_error(const EinsumSpec& spec, std::string what, std::string expected,
                        std::string got, std::vector<ErrorMark> marks) {
  throw Error(ErrorCode::kEquationSyntax, operator_name(spec), std::move(what), std::move(expected),
              std::move(got), ErrorPlace{spec.equation, std::move(marks)});
}

void EquationErrors::two_ellipses(int term) const {
  Report report(spec_);
  int count = 0;
  for (const Item& item : report.text.term(term).items)
    if (item.is_ellipsis && ++count <= 2)
      report.mark(item, count == 1 ? "the first" : "the second").operand = term;
  report.raise(ErrorCode::kEquationSyntax, "two ellipses in one term", "at most one");
}

void EquationErrors::negative_label(int term, int position) const {
  Report report(spec_);
  const Item item = report.text.term(term).items[static_cast<std::size_t>(position)];
  report.label = report.text.text_of(item);
  report.mark(item, "negative").operand = term;
  report.raise(ErrorCode::kEquationSyntax, "a label is negative",
               "0 or more, or -1 for an ellipsis", std::string(report.label));
}

void EquationErrors::operands() const {
  Report report(spec_);
  const std::vector<Term>& terms = report.text.inputs;
  const std::size_t operand = std::min(terms.size(), shapes_.size());
  if (terms.size() > shapes_.size()) {
    report.mark(terms[operand], fmt::format("there is no operand {}", operand));
  } else {
    const int end = terms.empty() ? 0 : terms.back().end;
    report.mark({end, end}, fmt::format("operand {}, shape {}, has no term", operand,
                                        to_string(shapes_[operand])));
  }
  report.marks.back().operand = static_cast<int>(operand);
  report.raise(
      ErrorCode::kEquationOperands,
      fmt::format("{} for {}", plural(terms.size(), "term"), plural(shapes_.size(), "operand")),
      "one term for each operand");
}

void EquationErrors::rank(int operand) const {
  Report report(spec_);
  const Term& term = report.text.term(operand);
  const Dims& shape = shapes_[static_cast<std::size_t>(operand)];
  const auto axes = static_cast<std::size_t>(shape.size());
  ErrorMark& mark = report.mark(
      term, fmt::format("operand {} has rank {}, shape {}", operand, axes, to_string(shape)));
  mark.operand = operand;
  mark.size = shape.size();
  if (term.items.empty()) {
    const bool alone = !spec_.labels && report.text.inputs.size() == 1 && !report.text.has_output;
    report.raise(
        ErrorCode::kEquationRank,
        alone ? "the equation is empty" : fmt::format("the term of operand {} is empty", operand),
        plural(axes, "label"), "none");
  }
  const bool has_ellipsis = std::ranges::any_of(term.items, &Item::is_ellipsis);
  const std::size_t labels = term.items.size() - (has_ellipsis ? 1 : 0);
  report.raise(ErrorCode::kEquationRank,
               fmt::format("term '{}' does not fit operand {}", report.text.text_of(term), operand),
               fmt::format("{}{}", has_ellipsis ? "at least " : "", plural(labels, "axis")),
               std::to_string(axes));
}

void EquationErrors::ellipsis_ranks(int first, int second) const {
  Report report(spec_);
  int ranks[2];
  for (int i = 0; i < 2; ++i) {
    const int operand = i == 0 ? first : second;
    const Term& term = report.text.term(operand);
    const Dims& shape = shapes_[static_cast<std::size_t>(operand)];
    ranks[i] = shape.size() + 1 - static_cast<int>(term.items.size());
    const Item& item = *std::ranges::find_if(term.items, &Item::is_ellipsis);
    ErrorMark& mark =
        report.mark(item, fmt::format("{} in operand {}, shape {}",
                                      plural(static_cast<std::size_t>(ranks[i]), "axis"), operand,
                                      to_string(shape)));
    mark.operand = operand;
    mark.size = ranks[i];
  }
  report.label = "...";
  report.raise(ErrorCode::kEquationRank, "the ellipsis stands for different numbers of axes",
               "the same number in every operand", fmt::format("{} and {}", ranks[0], ranks[1]));
}

void EquationErrors::negative_extent(int operand, int axis) const {
  Report report(spec_);
  mark_axis(report, shapes_, operand, axis);
  report.raise(ErrorCode::kSizeOverflow, "negative extent", "extents of 0 or more",
               std::to_string(report.marks.back().size));
}

void EquationErrors::diagonal(const Equation& equation, int operand, int axis) const {
  Report report(spec_);
  const std::vector<int>& labels = equation.inputs[static_cast<std::size_t>(operand)];
  const auto first = std::ranges::find(labels, labels[static_cast<std::size_t>(axis)]);
  mark_axis(report, shapes_, operand, static_cast<int>(first - labels.begin()));
  mark_axis(report, shapes_, operand, axis);
  report.raise(ErrorCode::kEquationSize,
               fmt::format("label '{}' has two sizes in one operand", report.label),
               "equal sizes along a diagonal",
               fmt::format("{} and {}", report.marks[0].size, report.marks[1].size));
}

void EquationErrors::sizes(const Equation& equation, int operand, int axis) const {
  Report report(spec_);
  const int label =
      equation.inputs[static_cast<std::size_t>(operand)][static_cast<std::size_t>(axis)];
  const std::int64_t size = equation.sizes[static_cast<std::size_t>(label)];
  // The first axis that gave the label its size.
  const auto mark_first = [&] {
    for (int i = 0;; ++i) {
      const std::vector<int>& labels = equation.inputs[static_cast<std::size_t>(i)];
      for (int j = 0; j < static_cast<int>(labels.size()); ++j)
        if (labels[static_cast<std::size_t>(j)] == label &&
            shapes_[static_cast<std::size_t>(i)][j] == size)
          return mark_axis(report, shapes_, i, j);
    }
  };
  mark_first();
  mark_axis(report, shapes_, operand, axis);
  // Axes of the ellipsis are lined up from the right.
  const int from_right = label - static_cast<int>(equation.sizes.size());
  report.raise(
      ErrorCode::kEquationSize,
      report.label == "..." ? fmt::format("axis {} of the ellipsis has two sizes", from_right)
                            : fmt::format("label '{}' has two sizes", report.label),
      "equal sizes, or 1", fmt::format("{} and {}", report.marks[0].size, report.marks[1].size));
}

void EquationErrors::unknown_output(int position) const {
  Report report(spec_);
  const Item item = report.text.output.items[static_cast<std::size_t>(position)];
  report.label = report.text.text_of(item);
  report.mark(item, "in no operand");
  report.raise(ErrorCode::kEquationOutput,
               fmt::format("output label '{}' is in no operand", report.label),
               "a label of an operand");
}

void EquationErrors::repeated_output(int position) const {
  Report report(spec_);
  const std::vector<Item>& items = report.text.output.items;
  const Item item = items[static_cast<std::size_t>(position)];
  const auto text_of = [&](const Item& i) {
    return std::string_view(report.text.text)
        .substr(static_cast<std::size_t>(i.begin), static_cast<std::size_t>(i.end - i.begin));
  };
  const auto first =
      std::ranges::find_if(items, [&](const Item& i) { return text_of(i) == text_of(item); });
  report.label = report.text.text_of(item);
  report.mark(*first, "the first");
  report.mark(item, "the second");
  report.raise(ErrorCode::kEquationOutput,
               fmt::format("output label '{}' stands twice", report.label),
               "each label at most once");
}

void EquationErrors::output_rank(std::size_t rank) const {
  Report report(spec_);
  ErrorMark& mark = report.mark(output_part(report.text), plural(rank, "axis"));
  mark.size = static_cast<std::int64_t>(rank);
  report.raise(ErrorCode::kRankTooLarge, "the output has too many axes",
               fmt::format("at most {}", kMaxRank), std::to_string(rank));
}

void EquationErrors::output_elements(const Dims& shape) const {
  Report report(spec_);
  report.mark(output_part(report.text), "shape " + to_string(shape));
  report.raise(ErrorCode::kSizeOverflow, "the output has too many elements",
               "a product of extents below 2^63", "shape " + to_string(shape));
}

}  // namespace tenfold::einsum_detail
