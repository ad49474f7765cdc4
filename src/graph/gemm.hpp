// What Gemm does to a product of matrices: alpha times it, plus beta times C.
// Held by contraction nodes.
#pragma once

#include <string>

#include "graph/operation.hpp"

namespace tenfold::graph {

struct Affine {
  float alpha = 1, beta = 1;
  bool has_c = false;
  bool stretches_c = true;  // else C must have the product's shape

  // C counts only where beta is not 0, as in BLAS: a NaN in it then does no harm.
  bool adds() const { return has_c && beta != 0; }
  bool is_identity() const { return alpha == 1 && !adds(); }
  // The type in which the product is wanted: 16-bit floats are rounded once, at the end.
  DType product_type(DType dtype) const;
  // C has the type `dtype`, and its shape stretches to the product's (rows, columns). Throws Error.
  void check_c(const std::string& where, const TensorView& c, DType dtype,
               const Dims& product) const;
  // alpha product + beta C of type `dtype`; `c` is nullptr without C.
  Held apply(Held product, const TensorView* c, DType dtype, const RunOptions& options) const;
};

}  // namespace tenfold::graph
