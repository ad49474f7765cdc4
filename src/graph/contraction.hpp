// A contraction node: Einsum, MatMul or Gemm. The node and the shapes of its operands make an
// equation, the plan does the rest; Gemm then scales the product and adds C. Made by `bind`.
#pragma once

#include <string>
#include <vector>

#include "graph/gemm.hpp"
#include "graph/operation.hpp"
#include "graph/plan_cache.hpp"
#include "tenfold/einsum.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::graph {

class Contraction : public Operation, public Contractible {
 public:
  Contraction(const Node& node, const ContractionRow& row);
  Held run(HeldInputs inputs, const RunOptions& options, std::string* detail) const override;
  std::string label() const override;
  std::string describe() const override;

  const Contractible* contractible() const override { return this; }
  int operand_count() const override { return operand_count_; }
  bool passes_through() const override { return affine_.is_identity(); }
  Contracted contracted(HeldInputs inputs) const override;
  Effort effort(HeldInputs inputs) const override;
  Held finish(Held sum, DType dtype, HeldInputs inputs, const RunOptions& options) const override;

 private:
  EinsumSpec spec_of(HeldInputs inputs) const;
  std::shared_ptr<const EinsumPlan> plan_for(HeldInputs inputs) const;

  const ContractionRow& row_;
  int operand_count_;
  std::string equation_;                            // Einsum
  bool transpose_a_ = false, transpose_b_ = false;  // MatMul of OpenVINO, Gemm
  Affine affine_;                                   // Gemm; the identity for the others
  mutable PlanCache<EinsumPlan> plans_;
};

// NumPy's matmul, of matrices that may be transposed first: the last two axes of each operand are a
// matrix, those before it batches that broadcast; a vector is a row on the left, a column on the
// right, and the result lacks its axis. Throws Error(kShapeMismatch).
einsum_detail::Equation matmul_equation(const std::string& where, const Dims& a, bool transpose_a,
                                        const Dims& b, bool transpose_b);

}  // namespace tenfold::graph
