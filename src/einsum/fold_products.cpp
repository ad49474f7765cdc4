#include "einsum/fold_products.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/layout.hpp"
#include "core/promote.hpp"
#include "einsum/equation.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

// Kept positions of a block, where there are so many: enough to fill vectors along one of them.
constexpr std::int64_t kFewestKept = 64;
// NumPy's reductions of integers and bools: products in 64 bits, logarithms in f64.
DType promoted(ReduceOp op, DType dtype) {
  if (is_float(dtype) || is_complex(dtype)) return dtype;
  if (op == ReduceOp::kLogSumExp) return DType::kF64;
  if (op != ReduceOp::kProd) return dtype;
  return is_integer(dtype) && !is_signed(dtype) ? DType::kU64 : DType::kI64;
}

}  // namespace

FoldedProducts::FoldedProducts(const EinsumSpec& spec, ReduceOp op,
                               std::span<const TensorView> operands)
    : label_(operator_name(spec)), op_(op), operands_(operands) {
  if (op != ReduceOp::kMax && op != ReduceOp::kMin && op != ReduceOp::kProd &&
      op != ReduceOp::kLogSumExp)
    throw Error(ErrorCode::kBadArgument, label_, "products are not folded by this operator",
                "max, min, prod or logsumexp", std::string(name_of(op)));
  if (operands.empty())
    throw Error(ErrorCode::kBadArgument, label_, "no operands", "at least one operand", "none");
  std::vector<Dims> shapes;
  for (const TensorView& operand : operands) {
    element_count(operand.shape);
    check_strides(label_, "operand", operand.shape, operand.strides, operand.dtype);
    shapes.push_back(operand.shape);
  }
  choose_types(spec);
  empty_is_error_ = spec.dialect == Dialect::kNumpy;
  const Equation equation = parse_equation(spec, shapes);
  for (const int label : equation.output)
    shape_.push_back(equation.sizes[static_cast<std::size_t>(label)]);
  make_axes(equation);
  choose_pieces();
}

void FoldedProducts::choose_types(const EinsumSpec& spec) {
  if (spec.dialect != Dialect::kNumpy)
    check_operand_types(find_contraction(spec.dialect, "Einsum", spec.version), operands_);
  DType common = operands_[0].dtype;
  for (const TensorView& operand : operands_) common = promote(common, operand.dtype);
  element_ = spec.dtype.value_or(spec.dialect == Dialect::kNumpy ? promoted(op_, common) : common);
  if (is_complex(common) || is_complex(element_))
    throw Error(ErrorCode::kTypeNotAllowed, label_, "complex numbers are not reduced",
                "a real type", std::string(name_of(is_complex(common) ? common : element_)));
  // Halves are rounded once, at the end.
  const bool half = is_float(element_) && size_of(element_) == 2;
  compute_ = half ? DType::kF32 : element_;
}

void FoldedProducts::make_axes(const Equation& equation) {
  const std::size_t n = operands_.size();
  std::vector<Axis> all(equation.sizes.size());
  for (std::size_t label = 0; label < all.size(); ++label) {
    all[label].size = equation.sizes[label];
    all[label].step.assign(n, 0);
    all[label].in.assign(n, false);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (int axis = 0; axis < operands_[i].rank(); ++axis) {
      Axis& label =
          all[static_cast<std::size_t>(equation.inputs[i][static_cast<std::size_t>(axis)])];
      if (operands_[i].shape[axis] == 1) continue;  // stretches
      label.in[i] = true;
      label.step[i] += operands_[i].strides[axis];  // a label that stands twice: the diagonal
    }
  for (Axis& axis : all)
    for (std::size_t i = 0; i < n; ++i)
      axis.reach += std::abs(axis.step[i]) * static_cast<std::int64_t>(size_of(operands_[i].dtype));
  for (int i = 0; i < static_cast<int>(equation.output.size()); ++i) {
    Axis& axis = all[static_cast<std::size_t>(equation.output[static_cast<std::size_t>(i)])];
    axis.output_axis = i;
    if (axis.size != 1) kept_.push_back(axis);
  }
  for (const Axis& axis : all) {
    terms_ *= static_cast<double>(axis.size);
    if (axis.output_axis >= 0) continue;
    empty_set_ |= axis.size == 0;
    if (axis.size != 1) folded_.push_back(axis);
  }
}

void FoldedProducts::choose_pieces() {
  if (element_count(shape_) == 0 || empty_set_) return;
  const auto nearest =
      std::ranges::min_element(kept_, {}, [](const Axis& axis) { return axis.reach; });
  inner_ = nearest != kept_.end() && !folded_.empty() && nearest->reach < folded_.back().reach;
  if (inner_) std::rotate(nearest, nearest + 1, kept_.end());

  const std::int64_t room = kFoldBlockBytes / static_cast<std::int64_t>(size_of(compute_));
  const auto cut = [&](std::vector<Axis>& axes, std::int64_t most, std::int64_t& pieces) {
    std::int64_t block = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      axis->block = std::min(axis->size, most / block);
      block *= axis->block;
      if (__builtin_mul_overflow(pieces, axis->pieces(), &pieces))
        throw Error(ErrorCode::kSizeOverflow, label_, "too many products", "a number of 63 bits");
    }
    return block;
  };
  const std::int64_t fewest = std::min(kFewestKept, element_count(shape_));
  folded_block_ = cut(folded_, room / fewest, folded_pieces_);
  kept_block_ = cut(kept_, room / folded_block_, kept_pieces_);
}

void FoldedProducts::check_output(const MutableTensorView& output) const {
  if (output.dtype != element_)
    throw Error(ErrorCode::kTypeMismatch, label_, "output type does not fit",
                std::string(name_of(element_)), std::string(name_of(output.dtype)));
  if (!(output.shape == shape_))
    throw Error(ErrorCode::kShapeMismatch, label_, "output shape does not fit", to_string(shape_),
                to_string(output.shape));
  check_strides(label_, "output", output.shape, output.strides, output.dtype);
  if (element_count(shape_) == 0) return;
  for (int axis = 0; axis < shape_.size(); ++axis)
    if (shape_[axis] > 1 && output.strides[axis] == 0)
      throw Error(ErrorCode::kOverlap, label_, "output elements overlap each other",
                  "non-zero output strides", to_string(output.strides));
  if (output.data == nullptr)
    throw Error(ErrorCode::kNullData, label_, "output has no data", "a pointer to elements",
                "null");
  const ByteRange written = byte_range(element_, output.shape, output.strides);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const TensorView& operand = operands_[i];
    if (element_count(operand.shape) == 0) continue;
    if (operand.data == nullptr)
      throw Error(ErrorCode::kNullData, label_, "operand " + std::to_string(i) + " has no data",
                  "a pointer to elements", "null");
    const ByteRange read = byte_range(operand.dtype, operand.shape, operand.strides);
    if (ranges_meet(operand.data, read, output.data, written))
      throw Error(ErrorCode::kOverlap, label_, "output overlaps operand " + std::to_string(i),
                  "separate memory");
  }
}

void FoldedProducts::run(const MutableTensorView& output, const RunOptions& options) {
  check_output(output);
  if (element_count(shape_) == 0) return;
  const bool one = operands_.size() == 1;
  if (!one && !empty_set_) return run_blocks(output, options);
  // One operand is its own product, and an empty set has none: a reduction of the kept axes and the
  // folded ones.
  TensorView in(one ? operands_[0].data : nullptr, one ? operands_[0].dtype : element_, Dims{},
                Dims{});
  MutableTensorView out(output.mutable_data(), element_, Dims{}, Dims{});
  ReduceSpec spec = fold_spec(0);
  spec.axes = Dims{};
  spec.dtype = element_;
  for (const Axis& axis : kept_) {
    in.shape.push_back(axis.size);
    in.strides.push_back(one ? axis.step[0] : 0);
    out.shape.push_back(axis.size);
    out.strides.push_back(output.strides[axis.output_axis]);
  }
  if (empty_set_) {
    spec.axes->push_back(in.rank());
    in.shape.push_back(0);
    in.strides.push_back(1);
  } else {
    for (const Axis& axis : folded_) {
      spec.axes->push_back(in.rank());
      in.shape.push_back(axis.size);
      in.strides.push_back(axis.step[0]);
    }
  }
  reduce_into(in, spec, out, options);
}

}  // namespace tenfold::einsum_detail

namespace tenfold {

Tensor einsum_fold(const EinsumSpec& spec, ReduceOp op, std::span<const TensorView> operands,
                   const RunOptions& options) {
  if (op == ReduceOp::kSum) return einsum(spec, operands, options);
  einsum_detail::FoldedProducts products(spec, op, operands);
  Tensor output(products.output_dtype(), products.output_shape());
  products.run(output, options);
  return output;
}

void einsum_fold_into(const EinsumSpec& spec, ReduceOp op, std::span<const TensorView> operands,
                      const MutableTensorView& output, const RunOptions& options) {
  if (op == ReduceOp::kSum) return einsum_into(spec, operands, output, options);
  einsum_detail::FoldedProducts(spec, op, operands).run(output, options);
}

}  // namespace tenfold
