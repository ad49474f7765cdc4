// An equation as it was written: the labels of each term, before any shape is looked at.
// Read from the text or from the interleaved form; used by parse_equation.
#pragma once

#include <span>
#include <vector>

#include "tenfold/einsum.hpp"

namespace tenfold::einsum_detail {

struct Terms {
  // Ids, numbered in the order of appearance; kEllipsis where one stands, at most once in a term.
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
  bool explicit_output = false;
  bool has_ellipsis = false;  // in an input
  int input_labels = 0;       // ids from here on stand in the output only
  std::vector<int> keys;      // by id: the code point, or the integer of the interleaved form
};

// Throws Error(kEquationSyntax). The shapes are only a hint of how long the terms will be.
Terms read_terms(const EinsumSpec& spec, std::span<const Dims> shapes);

}  // namespace tenfold::einsum_detail
