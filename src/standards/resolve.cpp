// From what a node or a call says to a ReduceSpec: every check of the standards that needs no
// element of the data. The rules are in docs/semantics.md.
#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "standards/row_checks.hpp"
#include "tenfold/error.hpp"
#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

using Axes = std::vector<std::int64_t>;

bool is_arg(const OperatorRow& row) {
  return row.op == ReduceOp::kArgMax || row.op == ReduceOp::kArgMin;
}

[[noreturn]] void fail(ErrorCode code, const OperatorRow& row, std::string what,
                       std::string expected, std::string got) {
  throw Error(code, label_of(row), std::move(what), std::move(expected), std::move(got));
}

// An attribute that this version does not have, with the version that brought it if there is one.
template <class Predicate>
[[noreturn]] void fail_unknown_attribute(const OperatorRow& row, std::string_view name,
                                         std::int64_t value, Predicate has) {
  const OperatorRow* first = first_version_where(operator_rows(), row, has);
  fail(ErrorCode::kAttributeUnknown, row, fmt::format("no attribute {}", name),
       first ? fmt::format("{} {} or later for it", version_word(row), first->since_version)
             : "this operator without it",
       fmt::format("{} = {}", name, value));
}

bool flag(const OperatorRow& row, std::string_view name, std::int64_t value) {
  if (value == 0 || value == 1) return value == 1;
  fail(ErrorCode::kAttributeValue, row, fmt::format("bad value of {}", name), "0 or 1",
       std::to_string(value));
}

std::string list(const Axes& axes) { return fmt::format("[{}]", fmt::join(axes, ", ")); }

// One element of an axes input. Values past int64 stay past every rank.
template <class T>
std::int64_t as_axis(T value) {
  if constexpr (std::is_integral_v<T>) {
    if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
    return std::numeric_limits<std::int64_t>::max();
  } else {
    return 0;  // not reached: the type has been checked
  }
}

// The axes input, or a scalar in its place. At most one more entry than there are axes is read:
// any longer list must repeat one or leave the range, and either is found in what was read.
Axes read_axes(const OperatorRow& row, const TensorView& input, int rank) {
  if (row.dialect == Dialect::kOnnx && input.dtype != DType::kI64)
    fail(ErrorCode::kAxesType, row, "axes of the wrong type", "int64",
         std::string(numpy_name_of(input.dtype)));
  if (!is_integer(input.dtype))
    fail(ErrorCode::kAxesType, row, "axes are not integers", "an integer type",
         std::string(numpy_name_of(input.dtype)));
  if (input.rank() == 0 && row.dialect == Dialect::kOnnx)
    fail(ErrorCode::kAxesRank, row, "axes are a scalar", "a list: rank 1", "rank 0");
  if (input.rank() > 1)
    fail(ErrorCode::kAxesRank, row, "axes have too many dimensions",
         row.dialect == Dialect::kOnnx ? "a list: rank 1" : "a list or a scalar: rank 1 or 0",
         fmt::format("rank {}, shape {}", input.rank(), to_string(input.shape)));
  const std::int64_t given = element_count(input.shape);
  if (given > 0 && input.data == nullptr)
    fail(ErrorCode::kNullData, row, "axes without data", fmt::format("{} integers", given),
         "a null pointer");
  const std::int64_t step = input.rank() == 0 ? 0 : input.strides[0];
  Axes axes;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(given, rank + 1); ++i)
    axes.push_back(visit_real_dtype(input.dtype, [&]<class T>() {
      return as_axis(static_cast<const T*>(input.data)[i * step]);
    }));
  return axes;
}

// The axes as given, from the place where this version has them; nullopt when absent.
std::optional<Axes> take_axes(const OperatorRow& row, const ReduceCall& call, int rank) {
  const bool from_input =
      row.axes_form == AxesForm::kOptionalInput || row.axes_form == AxesForm::kRequiredInput;
  const bool one = row.axes_form == AxesForm::kAxisAttribute;
  const std::string_view name = one ? "axis" : "axes";
  if (!from_input && call.axes_input) {
    const auto takes_input = [](const OperatorRow& r) {
      return r.axes_form == AxesForm::kOptionalInput;
    };
    const OperatorRow* later = first_version_where(operator_rows(), row, takes_input);
    fail(ErrorCode::kAxesPlace, row, fmt::format("{} given as an input", name),
         later ? fmt::format("the attribute axes (an input from opset {} on)", later->since_version)
         : row.axes_form == AxesForm::kArgument ? "the argument axes"
                                                : fmt::format("the attribute {}", name),
         "a second input");
  }
  if (from_input && call.axes_attribute)
    fail(ErrorCode::kAxesPlace, row, "axes given as an attribute",
         row.dialect == Dialect::kOnnx
             ? fmt::format("a second input (an attribute before opset {})",
                           first_version_where(
                               operator_rows(), row,
                               [&](const OperatorRow& r) { return r.axes_form == row.axes_form; })
                               ->since_version)
             : "a second input",
         "axes = " + list(*call.axes_attribute));
  if (row.axes_form == AxesForm::kRequiredInput && !call.axes_input)
    fail(ErrorCode::kAxesPlace, row, "axes missing", "a second input with the axes", "none");
  if (from_input) {
    if (!call.axes_input) return std::nullopt;
    return read_axes(row, *call.axes_input, rank);
  }
  return call.axes_attribute;
}

// Every axis in range and none twice; counted from the start.
Dims normalise(const OperatorRow& row, const Axes& axes, int rank) {
  const std::string range = rank == 0 ? "no axis at all (rank 0)"
                                      : fmt::format("{} .. {} (rank {})", -rank, rank - 1, rank);
  Dims out;
  Axes given_as(static_cast<std::size_t>(rank));
  std::uint64_t seen = 0;
  for (std::int64_t axis : axes) {
    if (axis >= rank)
      fail(ErrorCode::kAxisOutOfRange, row, "axis out of range, past the last", range,
           std::to_string(axis));
    if (axis < -rank)
      fail(ErrorCode::kAxisOutOfRange, row, "axis out of range, before the first", range,
           std::to_string(axis));
    const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
    std::int64_t& earlier = given_as[static_cast<std::size_t>(at)];
    if (seen >> at & 1)
      fail(ErrorCode::kDuplicateAxis, row,
           earlier == axis ? "axis given twice" : "the same axis given from both ends",
           "each axis once",
           earlier == axis ? fmt::format("{} twice", axis)
                           : fmt::format("{} and {}, both axis {} of {}", earlier, axis, at, rank));
    seen |= std::uint64_t{1} << at;
    earlier = axis;
    out.push_back(at);
  }
  return out;
}

// ArgMax, ArgMin: exactly one axis, with at least one element along it.
std::optional<Dims> resolve_arg_axis(const OperatorRow& row, const std::optional<Axes>& axes,
                                     const TensorView& data) {
  const bool numpy = row.dialect == Dialect::kNumpy;
  if (axes && axes->size() != 1)
    fail(ErrorCode::kAttributeValue, row, "axis is not one integer", "one integer", list(*axes));
  if (data.rank() == 0) {
    if (!numpy)
      fail(ErrorCode::kRankZero, row, "a scalar has no axis to search", "rank 1 or more", "rank 0");
    if (axes && (*axes)[0] != 0 && (*axes)[0] != -1) normalise(row, *axes, 0);  // throws
    return std::nullopt;  // NumPy: index 0 of the one element
  }
  if (!axes && numpy && data.rank() > 1)
    fail(ErrorCode::kUnsupportedFeature, row, "no axis given",
         "an axis, or data reshaped to one axis (NumPy would flatten it)",
         fmt::format("rank {}", data.rank()));
  const Dims axis = normalise(row, axes.value_or(Axes{0}), data.rank());
  if (data.shape[static_cast<int>(axis[0])] == 0)
    fail(ErrorCode::kEmptyAxis, row, "no element to point at",
         fmt::format("at least one element along axis {}", axis[0]),
         "shape " + to_string(data.shape));
  return axis;
}

void check_attributes(const OperatorRow& row, const ReduceCall& call) {
  if (call.noop_with_empty_axes && !row.has_noop)
    fail_unknown_attribute(row, "noop_with_empty_axes", *call.noop_with_empty_axes,
                           [](const OperatorRow& r) { return r.has_noop; });
  if (call.select_last_index && !row.has_select_last)
    fail_unknown_attribute(row, "select_last_index", *call.select_last_index,
                           [](const OperatorRow& r) { return r.has_select_last; });
}

// NumPy computes sums of integers in the platform integer and means of integers in float64.
std::optional<DType> numpy_dtype(ReduceOp op, DType dtype) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kProd:
    case ReduceOp::kL1:
    case ReduceOp::kSumSquare: {
      if (is_float(dtype)) return std::nullopt;
      const bool wide_unsigned = is_integer(dtype) && !is_signed(dtype);
      const DType wide = wide_unsigned ? DType::kU64 : DType::kI64;
      return dtype == wide ? std::nullopt : std::optional(wide);
    }
    case ReduceOp::kMean:
    case ReduceOp::kL2:
    case ReduceOp::kLogSum:
    case ReduceOp::kLogSumExp:
      return is_float(dtype) ? std::nullopt : std::optional(DType::kF64);
    case ReduceOp::kAll:
    case ReduceOp::kAny:
      return dtype == DType::kBool ? std::nullopt : std::optional(DType::kBool);
    default:
      return std::nullopt;
  }
}

}  // namespace

ReduceSpec resolve(const OperatorRow& row, const ReduceCall& call, const TensorView& data) {
  check_type(operator_rows(), row, data.dtype);
  check_attributes(row, call);
  const std::string_view keep_name = row.dialect == Dialect::kOpenVino ? "keep_dims" : "keepdims";
  ReduceSpec spec;
  spec.op = row.op;
  spec.label = label_of(row);
  spec.keepdims = call.keepdims ? flag(row, keep_name, *call.keepdims) : row.keepdims_default;
  const bool noop =
      call.noop_with_empty_axes && flag(row, "noop_with_empty_axes", *call.noop_with_empty_axes);
  // The document says which value selects the first index, not which selects the last: any other.
  spec.select_last_index = call.select_last_index.value_or(0) != 0;
  if (row.dialect == Dialect::kNumpy) {
    spec.dtype = numpy_dtype(row.op, data.dtype);
    spec.empty_is_error = row.op == ReduceOp::kMax || row.op == ReduceOp::kMin;
  }

  const std::optional<Axes> axes = take_axes(row, call, data.rank());
  if (is_arg(row)) {
    spec.axes = resolve_arg_axis(row, axes, data);
    return spec;
  }
  if (axes) spec.axes = normalise(row, *axes, data.rank());
  const bool none = !axes || axes->empty();
  if (none && row.dialect == Dialect::kOnnx) {
    if (noop)
      spec.axes = Dims{};  // no axis, but the element-wise parts of the operator
    else
      spec.axes = std::nullopt;  // an empty list says the same as none: all
  }
  if (none && row.dialect == Dialect::kOpenVino) {
    // An empty list makes the operator the identity, without even the absolute value of L1 and L2:
    // the sum (for bool the maximum) over no axis, which gives each element itself.
    spec.op = data.dtype == DType::kBool ? ReduceOp::kMax : ReduceOp::kSum;
  }
  return spec;
}

}  // namespace tenfold
