// A contraction whose products are not summed but folded by another operator: max, min, prod,
// logsumexp.
//
//   every label is kept (it is in the output) or folded. Both are cut into pieces; a block is one
//   piece of each:
//
//     [ kept … | folded … | one kept label, where operands are nearest to contiguous along it ]
//
//   Its products are written into scratch and folded to a partial result for each of its kept
//   positions. Where the folded labels have several pieces, the partial results of a kept piece are
//   folded once more.
//
// The pieces of the folded labels follow from the extents alone, so that neither threads nor
// strides change a bit. Called by einsum_fold().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenfold/einsum.hpp"

namespace tenfold::einsum_detail {

struct Equation;

// A block's products, between the plan that writes them and the one that folds them: they stay in
// the L2 cache.
inline constexpr std::int64_t kFoldBlockBytes = 256 * 1024;

class FoldedProducts {
 public:
  // Throws Error as EinsumPlan, and for an operator that is none of the four and types that it does
  // not take.
  FoldedProducts(const EinsumSpec& spec, ReduceOp op, std::span<const TensorView> operands);

  DType output_dtype() const { return element_; }
  const Dims& output_shape() const { return shape_; }
  void run(const MutableTensorView& output, const RunOptions& options);

  // What the tests look at.
  std::int64_t block_elements() const { return kept_block_ * folded_block_; }
  std::int64_t kept_pieces() const { return kept_pieces_; }
  std::int64_t folded_pieces() const { return folded_pieces_; }

 private:
  // A label of more than one position.
  struct Axis {
    std::int64_t size = 1, block = 1;
    std::vector<std::int64_t> step;  // by operand, in elements
    std::vector<bool> in;            // by operand: does it have the label?
    std::int64_t reach = 0;          // bytes from one position to the next, over all operands
    int output_axis = -1;
    std::int64_t pieces() const { return (size + block - 1) / block; }
  };
  // One piece of the kept or of the folded axes: how long it is along each, and where it begins.
  struct Piece {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> offsets;  // by operand
    std::int64_t output_offset = 0;
    bool is_tail = false;  // shorter than the others along the one axis that is cut
  };
  // Of blocks of one shape.
  struct BlockPlans {
    std::shared_ptr<const EinsumPlan> product;
    std::optional<ReducePlan> fold;
  };
  // Of kept pieces of one shape: partial results to results, and their way into the output.
  struct PiecePlans {
    std::int64_t count = 1;  // positions
    Dims shape, output_strides;
    std::optional<ReducePlan> combine;
    std::shared_ptr<const EinsumPlan> convert;
  };

  void choose_types(const EinsumSpec& spec);
  void make_axes(const Equation& equation);
  void choose_pieces();
  void check_output(const MutableTensorView& output) const;
  void run_blocks(const MutableTensorView& output, const RunOptions& options);
  void make_plans(const MutableTensorView& output);
  Piece piece(const std::vector<Axis>& axes, std::int64_t number,
              const MutableTensorView* output) const;
  EinsumSpec product_spec(const Piece& kept, const Piece& folded,
                          std::vector<TensorView>& views) const;
  void fold_block(std::int64_t kept_number, std::int64_t folded_number, std::byte* partial,
                  const MutableTensorView& output) const;
  void settle(std::int64_t kept_number, const std::byte* partials,
              const MutableTensorView& output) const;
  // Nothing lies between the fold of a block and the output.
  bool direct() const { return folded_pieces_ == 1 && compute_ == element_; }
  ReduceSpec fold_spec(std::int64_t axis) const;

  std::string label_;
  ReduceOp op_;
  std::span<const TensorView> operands_;
  DType element_ = DType::kF32;  // of the operands once converted, and of the output
  DType compute_ = DType::kF32;  // of products and partial results
  Dims shape_;
  bool empty_is_error_ = false;
  bool empty_set_ = false;  // a folded label of extent 0
  double terms_ = 1;        // products, each of all operands
  bool inner_ = false;      // the last kept axis lies inside of the folded ones
  std::vector<Axis> kept_, folded_;
  std::int64_t kept_block_ = 1, folded_block_ = 1, kept_pieces_ = 1, folded_pieces_ = 1;
  BlockPlans blocks_[2][2];  // [kept is tail][folded is tail]
  PiecePlans settles_[2];
};

}  // namespace tenfold::einsum_detail
