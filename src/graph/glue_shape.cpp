#include <algorithm>
#include <optional>
#include <vector>

#include "graph/glue.hpp"

namespace tenfold::graph {
namespace {

using Integers = std::vector<std::int64_t>;

// An input that carries axes or extents: ONNX wants a list of int64, OpenVINO any integers and
// takes a single one for a list of one.
Integers integers_of(const GlueCall& call, int input, const std::string& what) {
  const TensorView& x = call.view(input);
  const bool onnx = call.row.dialect == Dialect::kOnnx;
  if (onnx ? x.dtype != DType::kI64 : !is_integer(x.dtype))
    call.fail(ErrorCode::kTypeMismatch, what + " has a wrong type",
              onnx ? "int64" : "an integer type", std::string(numpy_name_of(x.dtype)));
  if (x.rank() != 1 && (onnx || x.rank() != 0))
    call.fail(ErrorCode::kAxesRank, what + " has a wrong rank", onnx ? "1" : "0 or 1",
              std::to_string(x.rank()));
  const std::int64_t count = element_count(x.shape);
  if (count > kMaxRank)
    call.fail(ErrorCode::kRankTooLarge, what + " has too many entries",
              "at most " + std::to_string(kMaxRank), std::to_string(count));
  const Held list = converted(x, DType::kI64, call.options);  // row-major, whatever the strides
  const auto* first = static_cast<const std::int64_t*>(list.view.data);
  Integers values(first, first + count);
  if (x.dtype == DType::kU64)  // beyond int64: out of range in every use
    for (std::int64_t& v : values)
      if (v < 0) v = INT64_MAX;
  return values;
}

// Axes counted from 0, each once, from `axes` that may count from the end.
Dims checked_axes(const GlueCall& call, const Integers& axes, int rank, bool negative_allowed) {
  Dims out;
  std::uint64_t seen = 0;
  for (std::int64_t axis : axes) {
    if (axis >= rank || axis < (negative_allowed ? -rank : 0))
      call.fail(ErrorCode::kAxisOutOfRange, "axis out of range",
                std::to_string(negative_allowed ? -rank : 0) + " .. " + std::to_string(rank - 1) +
                    " (rank " + std::to_string(rank) + ")",
                std::to_string(axis));
    const std::int64_t from_start = axis < 0 ? axis + rank : axis;
    if (seen >> from_start & 1)
      call.fail(ErrorCode::kDuplicateAxis, "axis given twice", "each axis once",
                std::to_string(axis));
    seen |= std::uint64_t{1} << from_start;
    out.push_back(from_start);
  }
  return out;
}

bool contains(const Dims& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::int64_t integer_or(const GlueCall& call, std::string_view name, std::int64_t otherwise) {
  const auto* value = find_attribute<std::int64_t>(call.node, name);
  return value != nullptr ? *value : otherwise;
}

// The input under another shape of as many elements: a view where the memory allows it.
Held with_shape(const GlueCall& call, const Dims& shape) {
  const Held& x = call.input(0);
  if (is_contiguous(x.view)) return {TensorView(x.view.data, x.view.dtype, shape), x.owner};
  return Held::of(Tensor::copy_of(x.view).reshaped(shape));
}

Integers target_shape(const GlueCall& call) {
  if (call.node.inputs.size() > 1) return integers_of(call, 1, "the shape");
  const auto* shape = find_attribute<Integers>(call.node, "shape");
  if (shape == nullptr) return {};
  if (shape->size() > kMaxRank)
    call.fail(ErrorCode::kRankTooLarge, "the shape has too many entries",
              "at most " + std::to_string(kMaxRank), std::to_string(shape->size()));
  return *shape;
}

// ONNX: negative axes came with version 11, axes as an input with 13. OpenVINO always has both.
std::optional<Integers> axes_of(const GlueCall& call) {
  if (const auto* axes = find_attribute<Integers>(call.node, "axes")) {
    if (axes->size() > kMaxRank)
      call.fail(ErrorCode::kRankTooLarge, "too many axes", "at most " + std::to_string(kMaxRank),
                std::to_string(axes->size()));
    return *axes;
  }
  if (call.has(1)) return integers_of(call, 1, "axes");
  return std::nullopt;
}

bool negative_axes_allowed(const GlueCall& call) {
  return call.row.dialect == Dialect::kOpenVino || call.row.since_version >= 11;
}

Held without_axes(const GlueCall& call, const Dims& axes) {
  const Held& x = call.input(0);
  Held out{TensorView(x.view.data, x.view.dtype, {}, {}), x.owner};
  for (int axis = 0; axis < x.view.rank(); ++axis) {
    if (contains(axes, axis)) continue;
    out.view.shape.push_back(x.view.shape[axis]);
    out.view.strides.push_back(x.view.strides[axis]);
  }
  return out;
}

}  // namespace

Held run_identity(const GlueCall& call) { return call.input(0); }

Held run_constant(const GlueCall& call) {
  const AttributeValue& value = *call.node.attributes[0].value;
  if (const auto* tensor = std::get_if<Tensor>(&value)) return {tensor->view(), nullptr};
  if (const auto* i = std::get_if<std::int64_t>(&value)) return Held::of(Tensor::of({*i}, {}));
  if (const auto* f = std::get_if<float>(&value)) return Held::of(Tensor::of({*f}, {}));
  const auto listed = [](const auto& list) {
    using T = std::decay_t<decltype(list[0])>;
    Tensor t(dtype_of<T>, {static_cast<std::int64_t>(list.size())});
    std::copy(list.begin(), list.end(), t.values<T>().begin());
    return Held::of(std::move(t));
  };
  if (const auto* ints = std::get_if<Integers>(&value)) return listed(*ints);
  return listed(std::get<std::vector<float>>(value));
}

Held run_reshape(const GlueCall& call) {
  const TensorView& x = call.view(0);
  const bool copy_zero = call.row.dialect == Dialect::kOpenVino
                             ? integer_or(call, "special_zero", 0) != 0
                             : integer_or(call, "allowzero", 0) == 0;
  const Dims asked{std::span<const std::int64_t>(target_shape(call))};
  const std::string both = "from " + to_string(x.shape) + " to " + to_string(asked);
  Dims shape = asked;
  int unknown = -1;
  bool has_zero = false;
  for (int i = 0; i < shape.size(); ++i) {
    if (asked[i] < -1)
      call.fail(ErrorCode::kShapeMismatch, "negative extent", "extents of 0 or more, or one -1",
                to_string(asked));
    if (asked[i] == -1) {
      if (unknown >= 0)
        call.fail(ErrorCode::kShapeMismatch, "more than one unknown extent", "at most one -1",
                  to_string(asked));
      unknown = i;
      shape[i] = 1;
    } else if (asked[i] == 0 && copy_zero) {
      if (i >= x.rank())
        call.fail(ErrorCode::kShapeMismatch, "0 copies an extent that the input does not have",
                  "0 only among the first " + std::to_string(x.rank()) + " extents",
                  to_string(asked));
      shape[i] = x.shape[i];
    } else {
      has_zero |= asked[i] == 0;
    }
  }
  if (unknown >= 0 && has_zero)
    call.fail(ErrorCode::kShapeMismatch, "-1 cannot be told beside an extent of 0",
              "no 0 beside -1", to_string(asked));
  const std::int64_t have = element_count(x.shape), known = element_count(shape);
  if (unknown >= 0) {
    if (known == 0 || have % known != 0)
      call.fail(ErrorCode::kShapeMismatch, "the elements do not fill the shape",
                "a multiple of " + std::to_string(known) + " elements", both);
    shape[unknown] = have / known;
  } else if (have != known) {
    call.fail(ErrorCode::kShapeMismatch, "another number of elements",
              std::to_string(have) + " elements", both);
  }
  return with_shape(call, shape);
}

Held run_transpose(const GlueCall& call) {
  const Held& x = call.input(0);
  std::optional<Integers> perm;
  if (const auto* attribute = find_attribute<Integers>(call.node, "perm")) perm = *attribute;
  if (call.has(1)) {
    perm = integers_of(call, 1, "the order");
    if (perm->empty()) perm.reset();  // OpenVINO: an empty order reverses
  }
  Dims axes;
  if (!perm) {
    for (int axis = x.view.rank() - 1; axis >= 0; --axis) axes.push_back(axis);
  } else {
    if (perm->size() != static_cast<std::size_t>(x.view.rank()))
      call.fail(ErrorCode::kShapeMismatch, "the permutation has another rank than the input",
                std::to_string(x.view.rank()) + " axes", std::to_string(perm->size()));
    axes = checked_axes(call, *perm, x.view.rank(), false);
  }
  return {permuted(x.view, axes), x.owner};
}

Held run_squeeze(const GlueCall& call) {
  const TensorView& x = call.view(0);
  const std::optional<Integers> given = axes_of(call);
  const bool openvino = call.row.dialect == Dialect::kOpenVino;
  Dims axes;
  if (!given || (openvino && given->empty())) {
    for (int axis = 0; axis < x.rank(); ++axis)
      if (x.shape[axis] == 1) axes.push_back(axis);
    return without_axes(call, axes);
  }
  for (std::int64_t axis : checked_axes(call, *given, x.rank(), negative_axes_allowed(call))) {
    if (x.shape[static_cast<int>(axis)] == 1) {
      axes.push_back(axis);
    } else if (!openvino) {  // OpenVINO leaves such an axis as it is
      call.fail(ErrorCode::kShapeMismatch, "axis " + std::to_string(axis) + " cannot be squeezed",
                "extent 1", std::to_string(x.shape[static_cast<int>(axis)]));
    }
  }
  return without_axes(call, axes);
}

Held run_unsqueeze(const GlueCall& call) {
  const Held& x = call.input(0);
  const Integers given = *axes_of(call);
  const std::size_t rank = given.size() + static_cast<std::size_t>(x.view.rank());
  if (rank > kMaxRank)
    call.fail(ErrorCode::kRankTooLarge, "the result has too many axes",
              "at most " + std::to_string(kMaxRank), std::to_string(rank));
  const Dims axes = checked_axes(call, given, static_cast<int>(rank), negative_axes_allowed(call));
  Held out{TensorView(x.view.data, x.view.dtype, {}, {}), x.owner};
  int from = 0;
  for (int axis = 0; axis < static_cast<int>(rank); ++axis) {
    const bool added = contains(axes, axis);
    out.view.shape.push_back(added ? 1 : x.view.shape[from]);
    out.view.strides.push_back(added ? 1 : x.view.strides[from]);
    if (!added) ++from;
  }
  return out;
}

Held run_flatten(const GlueCall& call) {
  const TensorView& x = call.view(0);
  const std::int64_t rank = x.rank(), axis = integer_or(call, "axis", 1);
  const std::int64_t low = negative_axes_allowed(call) ? -rank : 0;
  if (axis < low || axis > rank)
    call.fail(ErrorCode::kAxisOutOfRange, "axis out of range",
              std::to_string(low) + " .. " + std::to_string(rank), std::to_string(axis));
  const std::int64_t split = axis < 0 ? axis + rank : axis;
  const std::span<const std::int64_t> all = x.shape;
  const auto at = static_cast<std::size_t>(split);
  return with_shape(
      call, {element_count(Dims(all.subspan(0, at))), element_count(Dims(all.subspan(at)))});
}

}  // namespace tenfold::graph
