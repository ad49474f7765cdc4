// Einsum: one call with a cached plan, and plans that are kept.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "arrays.hpp"
#include "tenfold/einsum.hpp"
#include "tenfold/error.hpp"

namespace tenfold::python {
namespace {

// The equation, or the lists of labels of the interleaved form (`labels` and `output` are then
// lists of integers, -1 for the ellipsis).
struct Request {
  EinsumSpec spec;

  Request(nb::handle equation, nb::handle labels, nb::handle output, nb::handle dtype,
          nb::handle dialect) {
    const DialectVersion rules = parse_dialect(text_argument(dialect, "einsum", "dialect"));
    spec.dialect = rules.dialect;
    spec.version = rules.version;
    if (!equation.is_none() && !nb::try_cast(equation, spec.equation))
      throw Error(ErrorCode::kEquationSyntax, "einsum", "the equation is no text", "a str of UTF-8",
                  nb::cast<std::string>(nb::repr(equation)));
    if (!labels.is_none()) spec.labels = nb::cast<std::vector<std::vector<int>>>(labels);
    if (!output.is_none()) spec.output_labels = nb::cast<std::vector<int>>(output);
    spec.dtype = dtype_of_object(dtype, "einsum");
  }
  Request(nb::handle equation, nb::handle labels, nb::handle output, nb::handle dtype,
          nb::handle path, nb::handle memory_limit, nb::handle dialect, nb::handle method)
      : Request(equation, labels, output, dtype, dialect) {
    if (!path.is_none() && !nb::try_cast(path, spec.path.emplace()))
      throw Error(ErrorCode::kBadArgument, "path", "no list of steps",
                  "lists of positions of operands", nb::cast<std::string>(nb::repr(path)));
    spec.memory_limit = whole_number_of(memory_limit, "einsum", "memory_limit");
    if (spec.memory_limit < 0)
      throw Error(ErrorCode::kBadArgument, "memory_limit", "a negative number of bytes",
                  "0 (no limit) or more", std::to_string(spec.memory_limit));
    spec.method = text_argument(method, "einsum", "method");
  }
};

class Operands {
 public:
  Operands(nb::handle sequence, const char* who) {
    PyObject* items = sequence.ptr();
    const bool is_tuple = PyTuple_Check(items) != 0;  // else a list
    const Py_ssize_t count = is_tuple ? PyTuple_Size(items) : PyList_Size(items);
    if (count < 0) throw nb::python_error();
    held_.reserve(static_cast<std::size_t>(count));
    views_.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = is_tuple ? PyTuple_GetItem(items, i) : PyList_GetItem(items, i);
      if (item == nullptr) throw nb::python_error();
      held_.emplace_back(item, who, static_cast<int>(i));
      views_.push_back(held_.back().view());
      elements_ += element_count(views_.back().shape);
    }
  }
  std::span<const TensorView> views() const { return views_; }
  std::int64_t elements() const { return elements_; }

 private:
  std::vector<Operand> held_;
  std::vector<TensorView> views_;
  std::int64_t elements_ = 0;
};

nb::object run_plan(const EinsumPlan& plan, const Operands& x, const RunOptions& options) {
  Result result(plan.output_dtype(), plan.output_shape());
  {
    const WithoutGil free(x.elements());
    plan.run(x.views(), result.view, options);
  }
  return result.take();
}

nb::object einsum_call(nb::handle equation, nb::handle operands, nb::handle labels,
                       nb::handle output, nb::handle out, nb::handle dtype, nb::handle path,
                       nb::handle memory_limit, nb::handle dialect, nb::handle method,
                       nb::handle threads) {
  const Operands x(operands, "einsum");
  const RunOptions options = run_options(threads, "einsum");
  const Request request(equation, labels, output, dtype, path, memory_limit, dialect, method);
  if (!out.is_none()) {
    const Output target(out, "einsum");
    {
      const WithoutGil free(x.elements());
      einsum_into(request.spec, x.views(), target.view(), options);
    }
    return nb::borrow(out);
  }
  const auto plan = einsum_plan(request.spec, x.views());
  return run_plan(*plan, x, options);
}

// einsum_call with nothing but an equation as text: the arguments that are not there would take as
// long as a small contraction.
nb::object einsum_plain(nb::handle equation, nb::handle operands) {
  static const EinsumSpec plain = [] {
    const DialectVersion rules = parse_dialect("numpy");
    EinsumSpec spec;
    spec.dialect = rules.dialect;
    spec.version = rules.version;
    return spec;
  }();
  const Operands x(operands, "einsum");
  EinsumSpec spec = plain;
  if (!nb::try_cast(equation, spec.equation)) {
    const nb::none no;
    Request(equation, no, no, no, nb::str("numpy"));  // raises the error, worded there
  }
  return run_plan(*einsum_plan(spec, x.views()), x, run_options());
}

// The products folded by another operator than the sum, by its short name.
nb::object einsum_fold_call(nb::handle op_text, nb::handle equation, nb::handle operands,
                            nb::handle labels, nb::handle output, nb::handle out, nb::handle dtype,
                            nb::handle dialect, nb::handle threads) {
  const Operands x(operands, "einsum");
  const RunOptions options = run_options(threads, "einsum");
  const Request request(equation, labels, output, dtype, dialect);
  const std::string op = text_argument(op_text, "einsum", "reduce");
  const std::optional<ReduceOp> folding = parse_reduce_op(op);
  if (!folding)
    throw Error(ErrorCode::kUnknownName, "einsum", "unknown reduce",
                "sum, max, min, prod or logsumexp", op);
  if (!out.is_none()) {
    const Output target(out, "einsum");
    const WithoutGil free(x.elements());
    einsum_fold_into(request.spec, *folding, x.views(), target.view(), options);
  }
  if (!out.is_none()) return nb::borrow(out);
  Tensor folded;
  {
    const WithoutGil free(x.elements());
    folded = einsum_fold(request.spec, *folding, x.views(), options);
  }
  Result result(folded.dtype(), folded.shape());
  if (folded.bytes() > 0)
    std::memcpy(result.view.mutable_data(), folded.data(),
                static_cast<std::size_t>(folded.bytes()));
  return result.take();
}

// A plan for one set of layouts.
class Plan {
 public:
  Plan(nb::handle operands, const Request& request)
      : x_(operands, "compile"), plan_(request.spec, x_.views()) {}

  nb::object call(nb::handle operands, nb::handle out, nb::handle threads) const {
    const Operands x(operands, "plan");
    const RunOptions options = run_options(threads, "plan");
    if (out.is_none()) return run_plan(plan_, x, options);
    const Output target(out, "plan");
    {
      const WithoutGil free(x.elements());
      plan_.run(x.views(), target.view(), options);
    }
    return nb::borrow(out);
  }
  std::string explain(const std::string& format) const {
    if (format == "json") return plan_.explain(ExplainFormat::kJson);
    if (format == "dot") return plan_.explain(ExplainFormat::kDot);
    if (format == "svg") return plan_.explain(ExplainFormat::kSvg);
    return plan_.explain();
  }
  nb::tuple shape() const { return shape_tuple(plan_.output_shape()); }
  nb::object dtype() const { return dtype_object(plan_.output_dtype()); }
  EinsumPath path() const { return plan_.path(); }
  nb::dict cost() const {
    nb::dict cost;
    cost["flops"] = plan_.cost().flops;
    cost["bytes"] = plan_.cost().bytes;
    cost["largest_intermediate"] = plan_.cost().largest_intermediate;
    cost["peak_memory"] = plan_.cost().peak_memory;
    return cost;
  }

 private:
  Operands x_;  // the arrays it was made for: their layouts are the plan's
  EinsumPlan plan_;
};

}  // namespace

void bind_einsum(nb::module_& m) {
  const auto maybe = [](const char* name) { return nb::arg(name).none(); };
  m.def("einsum", &einsum_call, maybe("equation"), nb::arg("operands"), maybe("labels"),
        maybe("output"), maybe("out"), maybe("dtype"), maybe("path"), maybe("memory_limit"),
        maybe("dialect"), maybe("method"), maybe("threads"));
  m.def("einsum_plain", &einsum_plain, nb::arg("equation"), nb::arg("operands"));
  m.def("einsum_fold", &einsum_fold_call, maybe("op"), maybe("equation"), nb::arg("operands"),
        maybe("labels"), maybe("output"), maybe("out"), maybe("dtype"), maybe("dialect"),
        maybe("threads"));
  nb::class_<Plan>(m, "Plan")
      .def(
          "__init__",
          [](Plan* self, nb::handle equation, nb::handle operands, nb::handle labels,
             nb::handle output, nb::handle dtype, nb::handle path, nb::handle memory_limit,
             nb::handle dialect, nb::handle method) {
            new (self) Plan(operands, Request(equation, labels, output, dtype, path, memory_limit,
                                              dialect, method));
          },
          maybe("equation"), nb::arg("operands"), maybe("labels"), maybe("output"), maybe("dtype"),
          maybe("path"), maybe("memory_limit"), maybe("dialect"), maybe("method"))
      .def("call", &Plan::call, nb::arg("operands"), maybe("out"), maybe("threads"))
      .def("explain", &Plan::explain)
      .def_prop_ro("shape", &Plan::shape)
      .def_prop_ro("dtype", &Plan::dtype)
      .def_prop_ro("path", &Plan::path)
      .def_prop_ro("cost", &Plan::cost);
  nb::list methods;
  for (std::string_view name : path_methods()) methods.append(name);
  m.attr("PATH_METHODS") = methods;
}

}  // namespace tenfold::python
