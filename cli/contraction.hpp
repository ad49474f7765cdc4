// A contraction as the command line spells it: an equation, the rules it follows, and how its order
// is chosen, turned into an EinsumSpec.
// Called by `tenfold einsum` and `tenfold explain`.
#pragma once

#include <string>

#include "common.hpp"
#include "tenfold/einsum.hpp"

namespace tenfold::cli {

// The texts of the options.
struct ContractionOptions {
  std::string equation, dialect = "numpy", dtype, path, memory_limit;
};

// --path and --memory-limit.
void add_order_options(CLI::App& sub, ContractionOptions& options);
EinsumSpec parse_contraction(const ContractionOptions& options);

}  // namespace tenfold::cli
