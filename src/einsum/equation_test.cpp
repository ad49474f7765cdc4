#include "einsum/equation.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <map>
#include <random>

#include "core/utf8.hpp"
#include "einsum/labels.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

using Shapes = std::vector<Dims>;

Equation parse(const std::string& equation, const Shapes& shapes,
               Dialect dialect = Dialect::kNumpy) {
  return parse_equation({.equation = equation, .dialect = dialect}, shapes);
}

// The extents of the output.
Dims output_shape(const Equation& equation) {
  Dims shape;
  for (const int label : equation.output)
    shape.push_back(equation.sizes[static_cast<std::size_t>(label)]);
  return shape;
}

// What the equation says and what it gives.
void expect_equation(const Equation& equation, const std::string& text, const Dims& shape) {
  EXPECT_EQ(equation.text(), text);
  EXPECT_EQ(to_string(output_shape(equation)), to_string(shape)) << text;
  EXPECT_EQ(equation.sizes.size(), equation.names.size());
}

constexpr Dialect kAllDialects[] = {Dialect::kOnnx, Dialect::kOpenVino, Dialect::kNumpy};

TEST(Equation, NumbersLabelsAsTheyAppear) {
  const Equation equation = parse("bq,kq->kb", {{2, 3}, {4, 3}});
  EXPECT_EQ(equation.inputs, (std::vector<std::vector<int>>{{0, 1}, {2, 1}}));
  EXPECT_EQ(equation.output, (std::vector<int>{2, 0}));
  EXPECT_EQ(equation.sizes, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(equation.names, (std::vector<std::string>{"b", "q", "k"}));
}

TEST(Equation, HasOneMeaningInAllDialects) {
  for (const Dialect dialect : kAllDialects) {
    const auto check = [&](const char* equation, const Shapes& shapes, const char* text,
                           const Dims& shape) {
      expect_equation(parse(equation, shapes, dialect), text, shape);
    };
    // Explicit and implicit output.
    check("ij,jk->ik", {{2, 3}, {3, 4}}, "ij,jk->ik", {2, 4});
    check("ij,jk", {{2, 3}, {3, 4}}, "ij,jk->ik", {2, 4});
    check("ij,jh", {{2, 3}, {3, 4}}, "ij,jh->hi", {4, 2});
    check("ba", {{2, 3}}, "ba->ab", {3, 2});
    check("aZ", {{2, 3}}, "aZ->Za", {3, 2});
    check("aA,Ab->ab", {{2, 3}, {3, 4}}, "aA,Ab->ab", {2, 4});
    check("ij->", {{2, 3}}, "ij->", {});
    check("i,i", {{3}, {3}}, "i,i->", {});
    // Blanks fall out first, wherever they are.
    check("  i j , j k - > i k ", {{2, 3}, {3, 4}}, "ij,jk->ik", {2, 4});
    check(". ..i->.. . ", {{2, 3}}, "...i->...", {2});
    check(" ", {{}}, "->", {});
    // Diagonals and traces.
    check("ii->i", {{3, 3}}, "ii->i", {3});
    check("ii", {{3, 3}}, "ii->", {});
    check("iji->ji", {{2, 3, 2}}, "iji->ji", {3, 2});
    check("...ii->...i", {{4, 3, 3}}, "...ii->...i", {4, 3});
    // Scalars and empty arrays.
    check("", {{}}, "->", {});
    check("->", {{}}, "->", {});
    check(",,", {{}, {}, {}}, ",,->", {});
    check(",ij->ji", {{}, {2, 3}}, ",ij->ji", {3, 2});
    check("ij,jk->ik", {{2, 0}, {0, 3}}, "ij,jk->ik", {2, 3});
    check("ij->j", {{0, 3}}, "ij->j", {3});
    // Extents of 1 stretch, also to 0, in any order of the operands.
    check("i,i->i", {{1}, {3}}, "i,i->i", {3});
    check("i,i->i", {{3}, {1}}, "i,i->i", {3});
    check("i,i->i", {{1}, {0}}, "i,i->i", {0});
    check("i,i,i->i", {{1}, {3}, {1}}, "i,i,i->i", {3});
    check("i,i->i", {{1}, {1}}, "i,i->i", {1});
    check("ii,i->i", {{1, 1}, {4}}, "ii,i->i", {4});
    // The ellipsis.
    check("...i,...i->...", {{2, 1, 5}, {1, 3, 5}}, "...i,...i->...", {2, 3});
    check("i...j->j...i", {{2, 3, 4, 5}}, "i...j->j...i", {5, 3, 4, 2});
    check("j...i", {{2, 4, 3}}, "j...i->...ij", {4, 3, 2});
    check("...", {{2, 3}}, "...->...", {2, 3});
    check("...i->i", {{2, 3, 4}}, "...i->i", {4});
    check("ij->...ij", {{2, 3}}, "ij->ij", {2, 3});
    check("i...->i...", {{2}}, "i->i", {2});
    check("...,i->i...", {{2, 3}, {4}}, "...,i->i...", {4, 2, 3});
  }
}

TEST(Equation, EllipsisMayDifferExceptInOnnx) {
  for (const Dialect dialect : {Dialect::kOpenVino, Dialect::kNumpy}) {
    const Equation equation = parse("...ij,...jk->...ik", {{4, 5, 2, 3}, {1, 3, 6}}, dialect);
    expect_equation(equation, "...ij,...jk->...ik", {4, 5, 2, 6});
    EXPECT_EQ(equation.names, (std::vector<std::string>{"i", "j", "k", "…1", "…2"}));
    EXPECT_EQ(equation.inputs, (std::vector<std::vector<int>>{{3, 4, 0, 1}, {4, 1, 2}}));
    expect_equation(parse("...,...", {{}, {2, 3}}, dialect), ",...->...", {2, 3});
  }
  EXPECT_THROW(parse("...,...", {{}, {2, 3}}, Dialect::kOnnx), Error);
}

TEST(Equation, NumpyTakesLettersOfAnyScript) {
  expect_equation(parse("αβ,βж->αж", {{2, 3}, {3, 4}}), "αβ,βж->αж", {2, 4});
  expect_equation(parse("漢z,é𝒶", {{2, 3}, {4, 5}}), "漢z,é𝒶->zé漢𝒶",
                  {3, 4, 2, 5});  // by code point
  for (const Dialect dialect : {Dialect::kOnnx, Dialect::kOpenVino})
    EXPECT_THROW(parse("α", {{2}}, dialect), Error);
}

TEST(Equation, InterleavedFormIsTheSame) {
  const auto lists = [](std::vector<std::vector<int>> labels,
                        std::optional<std::vector<int>> output, const Shapes& shapes) {
    return parse_equation(
        {.equation = "ignored; really", .labels = labels, .output_labels = output}, shapes);
  };
  expect_equation(lists({{0, 1}, {1, 2}}, {{0, 2}}, {{2, 3}, {3, 4}}), "ab,bc->ac", {2, 4});
  expect_equation(lists({{0, 1}, {1, 2}}, {}, {{2, 3}, {3, 4}}), "ab,bc->ac", {2, 4});
  expect_equation(lists({{7, 3}}, {}, {{2, 3}}), "hd->dh", {3, 2});
  expect_equation(lists({{}}, {}, {{}}), "->", {});
  expect_equation(lists({{0}, {}}, {{}}, {{2}, {}}), "a,->", {});
  expect_equation(lists({{kEllipsis, 0}, {0, kEllipsis}}, {}, {{2, 3}, {3, 2}}), "...a,a...->...",
                  {2});
  expect_equation(lists({{kEllipsis, 0}}, {{0, kEllipsis}}, {{4, 5, 3}}), "...a->a...", {3, 4, 5});
  // Sorted as integers: 26 is written "A", and comes after 0.
  expect_equation(lists({{26, 0}}, {}, {{2, 3}}), "Aa->aA", {3, 2});
  // Any integer.
  expect_equation(lists({{2147483647, 5}, {5, 2000000000}}, {}, {{2, 3}, {3, 4}}),
                  "{2147483647}f,f{2000000000}->{2000000000}{2147483647}", {4, 2});
  expect_equation(lists({{100000, 1}, {1, 1}}, {{100000, 1}}, {{2, 3}, {3, 3}}),
                  "{100000}b,bb->{100000}b", {2, 3});
}

TEST(Equation, TakesThousandsOfOperandsAndLabels) {
  constexpr int kOperands = 5000;
  std::string text;
  std::vector<std::vector<int>> lists;
  for (int i = 0; i < kOperands; ++i) {
    if (i > 0) text += ',';
    text += symbol_of(i) + symbol_of(i + 1);
    lists.push_back({i, i + 1});
  }
  const Shapes shapes(kOperands, Dims{2, 2});
  const Equation from_text = parse(text, shapes);
  EXPECT_EQ(from_text.sizes.size(), kOperands + 1u);
  EXPECT_EQ(output_shape(from_text), (Dims{2, 2}));
  const Equation from_lists = parse_equation({.labels = lists}, shapes);
  EXPECT_EQ(from_lists.text(), from_text.text());
  EXPECT_EQ(from_lists.inputs, from_text.inputs);
  EXPECT_EQ(from_text.text(), text + "->" + symbol_of(0) + symbol_of(kOperands));
}

TEST(Equation, TakesRank64) {
  Dims shape;
  std::string term;
  std::vector<int> list;
  for (int i = 0; i < kMaxRank; ++i) {
    shape.push_back(i == 20 ? 3 : 1);
    term += symbol_of(i);
    list.push_back(i);
  }
  EXPECT_EQ(output_shape(parse(term + "->" + term, {shape})), shape);
  EXPECT_EQ(output_shape(parse("...", {shape})), shape);
  EXPECT_EQ(parse("...->", {shape}).sizes.size(), 64u);
  EXPECT_EQ(output_shape(parse_equation({.labels = {{list}}}, Shapes{shape})), shape);
}

TEST(Equation, TextOfPartsOfAnEllipsisNamesItsAxes) {
  Equation equation = parse("...ij->...ji", {{4, 5, 2, 3}});
  equation.output = {2};
  EXPECT_EQ(equation.text(), "...ij->…1");
  equation.output = {3};
  EXPECT_EQ(equation.text(), "...ij->...");  // the last axes are what an ellipsis of one axis is
  equation.output = {3, 2};
  EXPECT_EQ(equation.text(), "...ij->...…1");
}

TEST(OperatorName, IsThatOfTheDialect) {
  EXPECT_EQ(operator_name({.dialect = Dialect::kNumpy}), "einsum");
  EXPECT_EQ(operator_name({.dialect = Dialect::kOpenVino}), "Einsum-7");
  EXPECT_EQ(operator_name({.dialect = Dialect::kOnnx, .version = 12}), "Einsum-12");
  EXPECT_EQ(operator_name({.dialect = Dialect::kOnnx, .version = 27}), "Einsum-12");
  EXPECT_EQ(operator_name({.dialect = Dialect::kOnnx, .version = 28}), "Einsum-28");
  EXPECT_EQ(operator_name({.dialect = Dialect::kOnnx}), "Einsum-28");
  EXPECT_EQ(operator_name({.dialect = Dialect::kOnnx, .label = "node 'n'"}), "node 'n'");
}

// Random equations, put together from their meaning: what is parsed must be what was meant.

struct Meant {
  std::string text;
  Shapes shapes;
  Dialect dialect;
  Dims output;
  std::vector<std::string> terms;  // the labels of each operand, "…" for the axes of the ellipsis
};

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  Meant make() {
    Meant m;
    m.dialect = kAllDialects[pick(3)];
    for (char c = 'a'; c < 'a' + 6; ++c) sizes_[c] = pick(4);
    const int ellipsis = pick(3);
    std::vector<std::int64_t> middle(static_cast<std::size_t>(ellipsis));
    for (std::int64_t& extent : middle) extent = pick(4);
    const bool with_ellipsis = pick(2) == 0;
    std::map<char, int> uses;
    std::map<char, bool> stretched;
    const int operands = 1 + pick(4);
    std::vector<bool> full(middle.size(), false);
    for (int i = 0; i < operands; ++i) {
      std::string term;
      for (int n = pick(4); n > 0; --n) term += static_cast<char>('a' + pick(6));
      Dims shape;
      std::map<char, std::int64_t> here;
      const std::size_t dots = static_cast<std::size_t>(pick(static_cast<int>(term.size()) + 1));
      const bool has = with_ellipsis && pick(3) > 0;
      std::string shown;
      for (std::size_t j = 0; j <= term.size(); ++j) {
        if (has && j == dots) {
          put(m, "...");
          // Not in ONNX: fewer axes, lined up from the right.
          const std::size_t skip =
              m.dialect == Dialect::kOnnx ? 0 : static_cast<std::size_t>(pick(ellipsis + 1));
          for (std::size_t k = skip; k < middle.size(); ++k) {
            const bool one = pick(3) == 0;
            shape.push_back(one ? 1 : middle[k]);
            if (!one) full[k] = true;
            shown += "…";
          }
        }
        if (j == term.size()) break;
        const char c = term[j];
        put(m, std::string(1, c));
        shown += c;
        ++uses[c];
        if (!here.contains(c)) here[c] = pick(4) == 0 ? 1 : sizes_[c];
        shape.push_back(here[c]);
        if (here[c] != 1) stretched[c] = true;
      }
      m.terms.push_back(shown);
      m.shapes.push_back(shape);
      if (i + 1 < operands) put(m, ",");
    }
    finish(m, middle, full, uses, stretched);
    return m;
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint32_t>(count)); }
  void put(Meant& m, const std::string& part) {
    for (const char c : part) {
      while (pick(8) == 0) m.text += ' ';
      m.text += c;
    }
  }

  void finish(Meant& m, const std::vector<std::int64_t>& middle, const std::vector<bool>& full,
              const std::map<char, int>& uses, std::map<char, bool>& stretched) {
    // The extents of the ellipsis that any operand has, after broadcasting.
    std::size_t longest = 0;
    for (const std::string& term : m.terms) {
      std::size_t axes = 0;
      for (const char c : term) axes += c == "…"[0] ? 1 : 0;
      longest = std::max(longest, axes);
    }
    const auto put_ellipsis = [&] {
      for (std::size_t k = middle.size() - longest; k < middle.size(); ++k)
        m.output.push_back(full[k] ? middle[k] : 1);
    };
    const auto put_label = [&](char c) { m.output.push_back(stretched[c] ? sizes_[c] : 1); };
    if (pick(3) == 0) {  // implicit
      put_ellipsis();
      for (const auto& [c, count] : uses)
        if (count == 1) put_label(c);
      return;
    }
    put(m, "->");
    std::string labels;
    for (const auto& [c, count] : uses)
      if (pick(2) == 0) labels += c;
    std::shuffle(labels.begin(), labels.end(), random_);
    const std::size_t dots = static_cast<std::size_t>(pick(static_cast<int>(labels.size()) + 2));
    for (std::size_t j = 0; j <= labels.size(); ++j) {
      if (j == dots) {
        put(m, "...");
        put_ellipsis();
      }
      if (j == labels.size()) break;
      put(m, std::string(1, labels[j]));
      put_label(labels[j]);
    }
  }

  std::mt19937 random_;
  std::map<char, std::int64_t> sizes_;
};

TEST(Equation, RandomEquationsMeanWhatTheyWereMadeFrom) {
  for (std::uint32_t seed = 0; seed < 20000; ++seed) {
    const Meant meant = Maker(seed).make();
    SCOPED_TRACE(meant.text);
    const Equation equation = parse(meant.text, meant.shapes, meant.dialect);
    ASSERT_EQ(to_string(output_shape(equation)), to_string(meant.output));
    ASSERT_EQ(equation.inputs.size(), meant.terms.size());
    for (std::size_t i = 0; i < meant.terms.size(); ++i) {
      std::string shown;
      for (const int label : equation.inputs[i]) {
        const std::string& name = equation.names[static_cast<std::size_t>(label)];
        shown += name.starts_with("…") ? "…" : name;
      }
      ASSERT_EQ(shown, meant.terms[i]);
    }
    // Written out, it is read as the same.
    const Equation again = parse(equation.text(), meant.shapes);
    ASSERT_EQ(again.text(), equation.text());
    ASSERT_EQ(to_string(output_shape(again)), to_string(meant.output));
  }
}

// Seconds of this thread.
double seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

TEST(Equation, TakesLinearTime) {
  // A million of anything, right or wrong. What takes time by the square would take an hour.
  constexpr std::size_t kMany = 1 << 20;
  const auto repeat = [](const std::string& part) {
    std::string text;
    while (text.size() < kMany) text += part;
    return text;
  };
  std::string letters;
  for (std::uint32_t i = 0; i < kMany / 4; ++i) utf8::append(letters, 0x20000 + i % 0x1FFFE);
  for (const std::string& part :
       {std::string("a"), std::string(","), std::string("a,"), std::string("..."),
        std::string("...,"), std::string(" "), std::string("."), std::string("->"),
        std::string("-"), std::string("ab...c,"), std::string("\xFF"), letters}) {
    const std::string text = repeat(part);
    for (const std::string& equation : {text, text + "->", "->" + text, text + "->" + text}) {
      for (const Shapes& shapes : {Shapes{{}}, Shapes{{2, 2}, {2}}}) {
        const double begin = seconds();
        try {
          parse(equation, shapes);
        } catch (const Error& error) {
          EXPECT_LT(std::string_view(error.what()).size(), 1500u);
        }
        EXPECT_LT(seconds() - begin, 5) << part.substr(0, 8);
      }
    }
  }
  // Integers that a table or a hash would be slow for.
  std::vector<std::vector<int>> lists(20000, std::vector<int>(20));
  std::mt19937 random(1);
  for (auto& list : lists)
    for (int& label : list) label = static_cast<int>(random() >> 10 << 9);
  const Shapes shapes(lists.size(), [] {
    Dims shape;
    shape.resize(20, 1);
    return shape;
  }());
  const double begin = seconds();
  const Equation equation =
      parse_equation({.labels = lists, .output_labels = {{lists[0][0]}}}, shapes);
  EXPECT_GT(equation.sizes.size(), 300000u);
  EXPECT_LT(seconds() - begin, 5);
}

}  // namespace
}  // namespace tenfold::einsum_detail
