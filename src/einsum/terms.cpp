#include "einsum/terms.hpp"

#include <algorithm>
#include <utility>

#include "einsum/equation_errors.hpp"
#include "einsum/labels.hpp"
#include "einsum/scanner.hpp"

namespace tenfold::einsum_detail {
namespace {

constexpr std::size_t kUsualRank = 8;

class TextReader {
 public:
  TextReader(const EinsumSpec& spec, std::span<const Dims> shapes)
      : spec_(spec), shapes_(shapes), scanner_(spec) {
    terms_.inputs.reserve(std::max<std::size_t>(shapes.size(), 1));
    terms_.output.reserve(kUsualRank);
    begin_input();
  }

  Terms read() {
    for (Token token = scanner_.next(); token.kind != TokenKind::kEnd; token = scanner_.next())
      take(token);
    if (!terms_.explicit_output) terms_.input_labels = ids_.count();
    terms_.keys = ids_.take_keys();
    return std::move(terms_);
  }

 private:
  void take(const Token& token) {
    switch (token.kind) {
      case TokenKind::kLabel:
        term_->push_back(ids_.id_of(static_cast<int>(token.label)));
        return;
      case TokenKind::kEllipsis:
        if (std::exchange(term_has_ellipsis_, true))
          EquationErrors(spec_, shapes_).two_ellipses(place_of_term());
        term_->push_back(kEllipsis);
        terms_.has_ellipsis |= !terms_.explicit_output;
        return;
      case TokenKind::kComma:
        if (terms_.explicit_output)
          throw_syntax_error(spec_, "the output has two terms", "one term after '->'", {},
                             {mark_at(token.begin, token.end, "the output is one array")});
        begin_input();
        return;
      case TokenKind::kArrow:
        if (terms_.explicit_output)
          throw_syntax_error(spec_, "two arrows", "at most one '->'", {},
                             {mark_at(arrow_.begin, arrow_.end, "the first"),
                              mark_at(token.begin, token.end, "the second")});
        begin_output(token);
        return;
      case TokenKind::kEnd:
        return;
    }
  }

  // The term being read, as the errors count: the output is -1.
  int place_of_term() const {
    return terms_.explicit_output ? kOutputTerm : static_cast<int>(terms_.inputs.size()) - 1;
  }

  void begin_input() {
    const std::size_t operand = terms_.inputs.size();
    term_ = &terms_.inputs.emplace_back();
    if (operand < shapes_.size()) term_->reserve(static_cast<std::size_t>(shapes_[operand].size()));
    term_has_ellipsis_ = false;
  }

  void begin_output(const Token& arrow) {
    terms_.explicit_output = true;
    terms_.input_labels = ids_.count();
    arrow_ = arrow;
    term_ = &terms_.output;
    term_has_ellipsis_ = false;
  }

  const EinsumSpec& spec_;
  std::span<const Dims> shapes_;
  Scanner scanner_;
  LabelIds ids_;
  Terms terms_;
  std::vector<int>* term_ = nullptr;  // the one being read
  bool term_has_ellipsis_ = false;
  Token arrow_ = {};
};

// The labels as they are, or where some are so large that a table of them would be, their places
// among all labels in ascending order.
class ListReader {
 public:
  explicit ListReader(const EinsumSpec& spec) : spec_(spec) {
    std::size_t total = 0;
    int largest = 0;
    for_each_list([&](const std::vector<int>& list) {
      total += list.size();
      for (const int label : list) largest = std::max(largest, label);
    });
    // No more entries of the table than a few for each label.
    if (static_cast<std::size_t>(largest) <= 1024 + 4 * total) return;
    for_each_list([&](const std::vector<int>& list) {
      for (const int label : list)
        if (label >= 0) ascending_.push_back(label);
    });
    std::ranges::sort(ascending_);
    ascending_.erase(std::ranges::unique(ascending_).begin(), ascending_.end());
  }

  Terms read() {
    for (const std::vector<int>& list : *spec_.labels) {
      const int term = static_cast<int>(terms_.inputs.size());
      terms_.has_ellipsis |= read_list(list, term, terms_.inputs.emplace_back());
    }
    terms_.input_labels = ids_.count();
    terms_.explicit_output = spec_.output_labels.has_value();
    if (spec_.output_labels) read_list(*spec_.output_labels, kOutputTerm, terms_.output);
    terms_.keys = ids_.take_keys();
    if (!ascending_.empty())
      for (int& key : terms_.keys) key = ascending_[static_cast<std::size_t>(key)];
    return std::move(terms_);
  }

 private:
  template <class F>
  void for_each_list(F&& f) const {
    for (const std::vector<int>& list : *spec_.labels) f(list);
    if (spec_.output_labels) f(*spec_.output_labels);
  }

  // Whether there is an ellipsis.
  bool read_list(const std::vector<int>& list, int term, std::vector<int>& out) {
    bool has_ellipsis = false;
    out.reserve(list.size());
    for (const int label : list) {
      if (label == kEllipsis) {
        if (std::exchange(has_ellipsis, true)) EquationErrors(spec_, {}).two_ellipses(term);
        out.push_back(kEllipsis);
      } else {
        if (label < 0) EquationErrors(spec_, {}).negative_label(term, static_cast<int>(out.size()));
        out.push_back(ids_.id_of(key_of(label)));
      }
    }
    return has_ellipsis;
  }

  int key_of(int label) const {
    if (ascending_.empty()) return label;
    return static_cast<int>(std::ranges::lower_bound(ascending_, label) - ascending_.begin());
  }

  const EinsumSpec& spec_;
  std::vector<int> ascending_;
  LabelIds ids_;
  Terms terms_;
};

}  // namespace

Terms read_terms(const EinsumSpec& spec, std::span<const Dims> shapes) {
  return spec.labels ? ListReader(spec).read() : TextReader(spec, shapes).read();
}

}  // namespace tenfold::einsum_detail
