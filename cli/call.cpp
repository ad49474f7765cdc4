#include "call.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace tenfold::cli {

void add_call_options(CLI::App& sub, CallOptions& options) {
  options.axes_given = sub.add_option("--axes,--axis", options.axes,
                                      "0,2 or -1; 'none': an empty list; default: all")
                           ->type_name("LIST");
  sub.add_option("--keepdims", options.keepdims, "Reduced axes stay, with extent 1")
      ->type_name("0|1");
  sub.add_option("--dialect", options.dialect, "Rules: onnx, onnx:OPSET, openvino or numpy")
      ->type_name("NAME")
      ->capture_default_str();
  sub.add_option("--dtype", options.dtype, "numpy: compute and return in this type")
      ->type_name("TYPE");
  sub.add_flag("--noop-with-empty-axes", options.noop, "onnx: without axes, reduce nothing");
  sub.add_flag("--select-last-index", options.select_last,
               "onnx ArgMax, ArgMin: of equals, the last");
}

Call parse_call(const CallOptions& options) {
  const DialectVersion dialect = parse_dialect_option(options.dialect);
  Call call;
  call.row = &find_operator(dialect.dialect, options.op, dialect.version);
  call.axes = parse_axes(options.axes_given, options.axes);
  if (!options.keepdims.empty()) {
    call.keepdims = parse_zero_or_one("--keepdims", options.keepdims);
  }
  if (!options.noop.empty()) {
    call.noop = parse_zero_or_one("--noop-with-empty-axes", options.noop);
  }
  if (!options.select_last.empty()) {
    call.select_last = parse_zero_or_one("--select-last-index", options.select_last);
  }
  if (!options.dtype.empty()) {
    call.dtype = parse_type("--dtype", options.dtype);
    if (dialect.dialect != Dialect::kNumpy) {
      throw usage_error("--dtype",
                        fmt::format("{} keeps the type of the data; only the numpy dialect takes "
                                    "a type",
                                    name_of(dialect.dialect)));
    }
  }
  return call;
}

ReduceSpec resolve_call(const Call& call, const TensorView& data) {
  ReduceCall node;
  node.keepdims = call.keepdims;
  node.noop_with_empty_axes = call.noop;
  node.select_last_index = call.select_last;
  if (call.axes) {
    const bool is_input = call.row->axes_form == AxesForm::kOptionalInput ||
                          call.row->axes_form == AxesForm::kRequiredInput;
    if (is_input) {
      const auto count = static_cast<std::int64_t>(call.axes->size());
      static constexpr std::int64_t kNoAxis = 0;  // an empty list still has an address
      node.axes_input = TensorView(count == 0 ? &kNoAxis : call.axes->data(), Dims{count});
    } else {
      node.axes_attribute = call.axes;
    }
  }
  ReduceSpec spec = resolve(*call.row, node, data);
  if (call.dtype) spec.dtype = call.dtype;
  return spec;
}

}  // namespace tenfold::cli
