// The mistakes that an equation can have, each with its place: all texts of errors about equations
// stand here and in scanner.cpp. Thrown while equations are read and checked.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tenfold/einsum.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {

struct Equation;

// "1 dot", "2 dots".
std::string plural(std::size_t count, const std::string& noun);
// Bytes begin … end - 1 of the equation.
ErrorMark mark_at(int begin, int end, std::string note);
// Throws kEquationSyntax at parts of the text.
[[noreturn]] void throw_syntax_error(const EinsumSpec& spec, std::string what, std::string expected,
                                     std::string got, std::vector<ErrorMark> marks);

// In place of the number of an input's term.
inline constexpr int kOutputTerm = -1;

// Finds the places by reading the equation again: whoever makes no mistake pays nothing. Operands,
// terms, axes and positions (labels and ellipses in a term) count from 0. Every function throws.
class EquationErrors {
 public:
  EquationErrors(const EinsumSpec& spec, std::span<const Dims> shapes)
      : spec_(spec), shapes_(shapes) {}

  // Of the writing.
  [[noreturn]] void two_ellipses(int term) const;
  [[noreturn]] void negative_label(int term, int position) const;

  // Of terms against operands.
  [[noreturn]] void operands() const;
  [[noreturn]] void rank(int operand) const;
  [[noreturn]] void ellipsis_ranks(int first, int second) const;
  [[noreturn]] void negative_extent(int operand, int axis) const;
  // The axis has another size than the one before it along the same label in the operand.
  [[noreturn]] void diagonal(const Equation& equation, int operand, int axis) const;
  // The axis has another size than its label has in the operands before.
  [[noreturn]] void sizes(const Equation& equation, int operand, int axis) const;

  // Of the output.
  [[noreturn]] void unknown_output(int position) const;
  [[noreturn]] void repeated_output(int position) const;
  [[noreturn]] void output_rank(std::size_t rank) const;
  [[noreturn]] void output_elements(const Dims& shape) const;

 private:
  const EinsumSpec& spec_;
  std::span<const Dims> shapes_;
};

}  // namespace tenfold::einsum_detail
