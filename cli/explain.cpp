// `tenfold explain`: what a plan folds, which kernel it takes, and why; for one operator on a
// layout, or for every node of a model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "call.hpp"
#include "common.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kExamples = R"(
With --perm the tensor lies in memory with --shape, and the operator sees its axes in this order;
--axes counts the axes that the operator sees.

Examples:
  tenfold explain ReduceMax --shape 32x256x56x56 --dtype f32 --axes 2,3
  tenfold explain sum --shape 8x128x64 --dtype bf16 --perm 2,0,1 --axes 0
  tenfold explain model.onnx
)";

struct Options {
  Common common;
  CallOptions call;
  std::string shape, perm;
};

Dims parse_permutation(const std::string& text, int rank) {
  const auto axes = parse_integers("--perm", text);
  std::vector<std::int64_t> sorted = axes;
  std::ranges::sort(sorted);
  bool is_permutation = axes.size() == static_cast<std::size_t>(rank);
  for (std::size_t i = 0; is_permutation && i < sorted.size(); ++i) {
    is_permutation = sorted[i] == static_cast<std::int64_t>(i);
  }
  if (!is_permutation) {
    throw usage_error("--perm", "not a permutation", fmt::format("each of 0 .. {} once", rank - 1),
                      "'" + text + "'");
  }
  return Dims{std::span<const std::int64_t>(axes)};
}

void explain_operator(Options options) {
  if (options.call.dtype.empty()) {
    throw usage_error("explain", "an operator needs the type of its data", "--dtype f32");
  }
  const DType dtype = parse_type("--dtype", std::exchange(options.call.dtype, {}));
  const Call call = parse_call(options.call);
  const Dims shape = parse_shape("--shape", options.shape);
  // A plan reads no element, so there is no data behind the view.
  TensorView view(nullptr, dtype, shape);
  if (!options.perm.empty()) view = permuted(view, parse_permutation(options.perm, shape.size()));
  const ReduceSpec spec = resolve_call(call, view);
  std::string text = ReducePlan(spec, view).explain();
  if (!text.ends_with('\n')) text += '\n';
  print(text);
}

void explain_model(const std::string& path) {
  std::string text = Graph::load(path).explain();
  if (!text.ends_with('\n')) text += '\n';
  print(text);
}

void explain(const Options& options) {
  const std::string& target = options.call.op;
  if (!options.shape.empty()) return explain_operator(options);
  std::error_code ignored;
  if (std::filesystem::exists(target, ignored)) return explain_model(target);
  const auto names_it = [&](const OperatorRow& row) {
    return row.name == target || name_of(row.op) == target;
  };
  if (std::ranges::any_of(operator_rows(), names_it)) {
    throw usage_error("explain", fmt::format("{} needs the shape of its data", target),
                      "--shape 32x256 --dtype f32");
  }
  if (target.find_first_of("./") != std::string::npos) {
    throw Error(ErrorCode::kFile, target, "no such file");
  }
  const DialectVersion dialect = parse_dialect_option(options.call.dialect);
  find_operator(dialect.dialect, target, dialect.version);  // throws, with the nearest name
}

}  // namespace

Command add_explain(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = add_subcommand(app, "explain",
                                 "Say how an operator on a layout, or a model's nodes, will run",
                                 kExamples, options->common);
  sub->add_option("OP|MODEL", options->call.op, "An operator (with --shape, --dtype) or a model")
      ->required()
      ->type_name("");
  sub->add_option("--shape", options->shape, "Shape of the data in memory, for example 32x256")
      ->type_name("SHAPE");
  sub->add_option("--perm", options->perm, "The order in which the operator sees the axes")
      ->type_name("LIST");
  add_call_options(*sub, options->call);
  sub->get_option("--dtype")->description("Type of the data, for example f32");
  return {sub, [options] { explain(*options); }};
}

}  // namespace tenfold::cli
