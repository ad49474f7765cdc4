// Reductions: the NumPy face (axis, keepdims, promotion) and the standards' face (a node's
// arguments).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "tenfold/error.hpp"
#include "tenfold/reduce.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::python {
namespace {

// The type that NumPy computes and returns: sums of small integers and of bools in 64 bits, means
// of integers in f64. Nothing: that of the operand.
std::optional<DType> promoted(ReduceOp op, DType dtype) {
  if (is_float(dtype) || is_complex(dtype)) return std::nullopt;
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kProd:
    case ReduceOp::kL1:
    case ReduceOp::kSumSquare:
      return is_integer(dtype) && !is_signed(dtype) ? DType::kU64 : DType::kI64;
    case ReduceOp::kMean:
    case ReduceOp::kL2:
    case ReduceOp::kLogSum:
    case ReduceOp::kLogSumExp:
      return DType::kF64;
    case ReduceOp::kAll:
    case ReduceOp::kAny:
      return DType::kBool;
    default:
      return std::nullopt;
  }
}

nb::object run(const ReduceSpec& spec, const Operand& x, nb::handle out, nb::handle threads) {
  const RunOptions options = run_options(threads, spec.label.c_str());
  const ReducePlan plan = [&] {
    if (out.is_none()) return ReducePlan(spec, x.view());
    const Output target(out, spec.label.c_str());
    return ReducePlan(spec, x.view(), target.view().strides);
  }();
  const std::int64_t elements = element_count(x.view().shape);
  if (!out.is_none()) {
    const Output target(out, spec.label.c_str());
    const WithoutGil free(elements);
    plan.run(x.view(), target.view(), options);
  }
  if (!out.is_none()) return nb::borrow(out);
  Result result(plan.output_dtype(), plan.output_shape());
  {
    const WithoutGil free(elements);
    plan.run(x.view(), result.view, options);
  }
  return result.take();
}

// NumPy's rules: an axis of an empty extent has no maximum, a dtype converts first.
nb::object reduce_numpy(int op_number, nb::handle array, nb::handle axis, bool keepdims,
                        nb::handle out, nb::handle dtype, nb::handle threads) {
  const auto op = static_cast<ReduceOp>(op_number);
  const std::string_view name = name_of(op);
  const Operand x(array, name.data(), -1);
  ReduceSpec spec;
  spec.op = op;
  spec.axes = axes_of(axis, name.data());
  spec.keepdims = keepdims;
  spec.empty_is_error = true;
  spec.dtype = dtype.is_none() ? promoted(op, x.view().dtype) : dtype_of_object(dtype, name.data());
  spec.label = std::string(name);
  return run(spec, x, out, threads);
}

// argmax and argmin: without an axis the index into the flattened array.
nb::object arg_numpy(bool largest, nb::handle array, nb::handle axis, bool keepdims, nb::handle out,
                     bool last, nb::handle threads) {
  const char* name = largest ? "argmax" : "argmin";
  const Operand x(array, name, -1);
  ReduceSpec spec;
  spec.op = largest ? ReduceOp::kArgMax : ReduceOp::kArgMin;
  spec.keepdims = keepdims;
  spec.select_last_index = last;
  spec.label = name;
  spec.axes = axes_of(axis, name);
  return run(spec, x, out, threads);
}

nb::object reduce_standard(nb::handle array, nb::handle name_text, nb::handle axes,
                           nb::handle keepdims, nb::handle noop, nb::handle select_last,
                           nb::handle dialect_text, nb::handle out, nb::handle threads) {
  const std::string name = text_argument(name_text, "reduce", "op");
  const auto [dialect, version] = parse_dialect(text_argument(dialect_text, "reduce", "dialect"));
  const OperatorRow& row = find_operator(dialect, name, version);
  const Operand x(array, name.c_str(), -1);
  const auto number = [](nb::handle value) -> std::optional<std::int64_t> {
    if (value.is_none()) return std::nullopt;
    return nb::cast<std::int64_t>(nb::int_(value));
  };
  ReduceCall call;
  call.keepdims = number(keepdims);
  call.noop_with_empty_axes = number(noop);
  call.select_last_index = number(select_last);
  const std::optional<Dims> list = axes_of(axes, name.c_str());
  const bool attribute = row.axes_form == AxesForm::kAttribute ||
                         row.axes_form == AxesForm::kAxisAttribute ||
                         row.axes_form == AxesForm::kArgument;
  if (list && attribute) call.axes_attribute.emplace(list->begin(), list->end());
  if (list && !attribute) call.axes_input = TensorView(list->begin(), Dims{list->size()});
  ReduceSpec spec = resolve(row, call, x.view());
  if (spec.label.empty()) spec.label = name;
  return run(spec, x, out, threads);
}

std::string explain_reduce(int op, nb::handle array, nb::handle axis, bool keepdims) {
  const Operand x(array, "explain", -1);
  ReduceSpec spec;
  spec.op = static_cast<ReduceOp>(op);
  spec.axes = axes_of(axis, "explain");
  spec.keepdims = keepdims;
  return ReducePlan(spec, x.view()).explain();
}

}  // namespace

void bind_reduce(nb::module_& m) {
  const auto maybe = [](const char* name) { return nb::arg(name).none(); };
  m.def("reduce_numpy", &reduce_numpy, nb::arg("op"), maybe("x"), maybe("axis"),
        nb::arg("keepdims"), maybe("out"), maybe("dtype"), maybe("threads"));
  m.def("arg_numpy", &arg_numpy, nb::arg("largest"), maybe("x"), maybe("axis"), nb::arg("keepdims"),
        maybe("out"), nb::arg("last"), maybe("threads"));
  m.def("reduce_standard", &reduce_standard, maybe("x"), maybe("name"), maybe("axes"),
        maybe("keepdims"), maybe("noop"), maybe("select_last"), maybe("dialect"), maybe("out"),
        maybe("threads"));
  m.def("explain_reduce", &explain_reduce, nb::arg("op"), maybe("x"), maybe("axis"),
        nb::arg("keepdims"));
  nb::dict ops;
  for (const auto& [op, name] : {
#define X(id, name) std::pair{ReduceOp::id, name},
           TENFOLD_REDUCE_OPS(X)
#undef X
       })
    ops[name] = static_cast<int>(op);
  m.attr("OPS") = ops;
}

}  // namespace tenfold::python
