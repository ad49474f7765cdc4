// From labels to steps: sums of lone labels first, then the pairs of the order, each with the
// cheapest kernel. Called by plan.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "einsum/plan.hpp"

namespace tenfold::einsum_detail {

inline bool contains(const std::vector<int>& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}
// Stride of a label in a view, 0 where it is not there.
std::int64_t stride_of(const LabeledView& view, int label);
// May a kernel that computes in `to`'s accumulator read `from` as it lies, with the same result as
// a conversion to `to` first? (f32 to f16 would have to round first.)
bool reads_as(DType from, DType to);

class Lowering {
 public:
  // `common`: the type in which the equation is computed and that the output has.
  Lowering(const Equation& equation, DType common, int operands);

  DType stored_type() const;  // of an intermediate

  // Operand `slot` of this dtype and layout through its labels: diagonals, no extent of 1.
  LabeledView view_of(int slot, DType dtype, const Dims& shape, const Dims& strides,
                      const std::vector<int>& labels) const;

  // One operand: its sum over the labels that the output lacks, or a copy.
  void lower_single(const LabeledView& operand, const LabeledView& output);
  // Operands as the pairs see them: with the type of the contraction, lone labels summed.
  void prepare(std::vector<LabeledView> operands, const LabeledView& output);
  Network network() const;  // what find_path is asked about
  // The pairs of the order; the last one writes `output`.
  void contract(std::span<const PathStep> order, const LabeledView& output);

  std::vector<Step> steps;
  std::vector<Temporary> temporaries;

 private:
  // An operand that is converted or summed, or first the one, then the other, just before its step:
  // so it is held no longer than that.
  struct Preparation {
    int operand;
    LabeledView source;
    std::optional<LabeledView> converted;  // only if it is summed then
  };

  std::int64_t size_of_label(int label) const { return sizes_[static_cast<std::size_t>(label)]; }
  std::string names(const std::vector<int>& labels) const;
  int add_label(std::string name, std::int64_t size);
  // A temporary is laid out first, and taken when a step is to write it.
  LabeledView laid_out(DType dtype, std::vector<int> labels) const;
  std::int64_t elements_of(const LabeledView& temporary) const;
  void take(LabeledView& temporary);
  void prepare_for_step(int operand, LabeledView& view);
  std::vector<int> result_labels(const LabeledView& left, const LabeledView& right,
                                 const std::vector<int>& kept, const LabeledView* partner,
                                 const std::vector<int>& kept_after) const;

  // Single steps. Complex views are rewritten as real ones first.
  void emit_unary(const LabeledView& in, const LabeledView& out);
  void emit_real_unary(const LabeledView& in, const LabeledView& out);
  void emit_pair(const LabeledView& left, const LabeledView& right, const LabeledView& out);
  void emit_direct_pair(const LabeledView& left, const LabeledView& right, const LabeledView& out);
  void emit_complex_pair(const LabeledView& one, const LabeledView& other, const LabeledView& out);
  void add_step(Step step);

  std::vector<std::int64_t> sizes_;
  std::vector<std::string> names_;
  DType common_;
  int operand_count_, constant_slot_;
  std::vector<LabeledView> views_;  // of the operands, prepared
  std::vector<Preparation> preparations_;
  std::vector<int> output_labels_;
};

// The constants that steps may read: one element each, at these offsets in their slot.
enum class Constant { kZero, kMinusOne };
struct Constants {
  float f32[2] = {0.0f, -1.0f};
  double f64[2] = {0.0, -1.0};
};

}  // namespace tenfold::einsum_detail
