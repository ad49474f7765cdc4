// `tenfold explain`: what a plan folds or in which order it contracts, which kernels it takes, and
// why; for one operator on a layout, for an equation, or for every node of a model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "call.hpp"
#include "common.hpp"
#include "contraction.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kExplainExamples = R"(
With --perm the tensor lies in memory with --shape, and the operator sees its axes in this order;
--axes counts the axes that the operator sees. An equation needs --shapes, one for each operand; its
type is f32 and its dialect numpy unless --dtype and --dialect say otherwise.

Examples:
  tenfold explain ReduceMax --shape 32x256x56x56 --dtype f32 --axes 2,3
  tenfold explain sum --shape 8x128x64 --dtype bf16 --perm 2,0,1 --axes 0
  tenfold explain 'ab,bc,cd->ad' --shapes 10x20,20x30,30x5 --svg tree.svg
  tenfold explain 'bij,bjk->bik' --shapes 8x64x64,8x64x32 --dtype bf16 --json
  tenfold explain model.onnx
)";

struct ExplainArguments {
  Common common;
  CallOptions call;
  ContractionOptions contraction;
  std::string shape, shapes, perm, svg, dot;
  CLI::Option* dialect_given = nullptr;
};

void print_text(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  print(text);
}

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

void explain_operator(ExplainArguments arguments) {
  if (arguments.call.dtype.empty()) {
    throw usage_error("explain", "an operator needs the type of its data", "--dtype f32");
  }
  const DType dtype = parse_type("--dtype", std::exchange(arguments.call.dtype, {}));
  const Call call = parse_call(arguments.call);
  const Dims shape = parse_shape("--shape", arguments.shape);
  // A plan reads no element, so there is no data behind the view.
  TensorView view(nullptr, dtype, shape);
  if (!arguments.perm.empty())
    view = permuted(view, parse_permutation(arguments.perm, shape.size()));
  const ReduceSpec spec = resolve_call(call, view);
  print_text(ReducePlan(spec, view).explain());
}

std::vector<Dims> parse_shapes(std::string_view text) {
  std::vector<Dims> shapes;
  while (true) {
    const std::size_t end = text.find(',');
    shapes.push_back(parse_shape("--shapes", text.substr(0, end)));
    if (end == std::string_view::npos) return shapes;
    text.remove_prefix(end + 1);
  }
}

void write_picture(const std::string& file, const std::string& text) {
  if (file == "-") return print_text(text);
  io::write_file(file, std::as_bytes(std::span(text.data(), text.size())));
}

void explain_equation(const ExplainArguments& arguments) {
  const bool to_stdout = arguments.svg == "-" || arguments.dot == "-";
  if (to_stdout && (arguments.common.json || arguments.svg == arguments.dot)) {
    throw usage_error("explain", "two outputs want standard output");
  }
  ContractionOptions contraction = arguments.contraction;
  contraction.equation = arguments.call.op;
  if (arguments.dialect_given->count() > 0) contraction.dialect = arguments.call.dialect;
  const DType dtype =
      arguments.call.dtype.empty() ? DType::kF32 : parse_type("--dtype", arguments.call.dtype);
  std::vector<TensorView> operands;  // a plan reads no element: there is no data behind them
  for (const Dims& shape : parse_shapes(arguments.shapes))
    operands.emplace_back(nullptr, dtype, shape);
  const EinsumPlan plan(parse_contraction(contraction), operands);
  if (!arguments.svg.empty()) write_picture(arguments.svg, plan.explain(ExplainFormat::kSvg));
  if (!arguments.dot.empty()) write_picture(arguments.dot, plan.explain(ExplainFormat::kDot));
  if (to_stdout) return;
  print_text(plan.explain(arguments.common.json ? ExplainFormat::kJson : ExplainFormat::kText));
}

void explain_model(const std::string& path) { print_text(Graph::load(path).explain()); }

// What only an equation can have is not given.
void check_no_equation_options(const ExplainArguments& arguments) {
  const auto refuse = [](const char* option, bool given) {
    if (given) throw usage_error(option, "only for an equation", "--shapes too");
  };
  refuse("--svg", !arguments.svg.empty());
  refuse("--dot", !arguments.dot.empty());
  refuse("--json", arguments.common.json);
  refuse("--path", !arguments.contraction.path.empty());
  refuse("--memory-limit", !arguments.contraction.memory_limit.empty());
}

void explain(const ExplainArguments& arguments) {
  const std::string& target = arguments.call.op;
  if (!arguments.shapes.empty()) return explain_equation(arguments);
  std::error_code ignored;
  const bool is_file = arguments.shape.empty() && std::filesystem::exists(target, ignored);
  if (!is_file && target.find_first_of(",>") != std::string::npos) {
    throw usage_error("explain", "an equation needs the shapes of its operands",
                      "--shapes 10x20,20x30");
  }
  check_no_equation_options(arguments);
  if (!arguments.shape.empty()) return explain_operator(arguments);
  if (is_file) return explain_model(target);
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
  const DialectVersion dialect = parse_dialect_option(arguments.call.dialect);
  find_operator(dialect.dialect, target, dialect.version);  // throws, with the nearest name
}

}  // namespace

Command add_explain(CLI::App& app) {
  const auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* sub =
      add_subcommand(app, "explain", "Say how an operator, an equation or a model's nodes will run",
                     kExplainExamples, arguments->common);
  sub->add_option("OP|EQUATION|MODEL", arguments->call.op,
                  "An operator (--shape, --dtype), an equation (--shapes), or a model")
      ->required()
      ->type_name("");
  sub->add_option("--shape", arguments->shape, "Shape of the data in memory, for example 32x256")
      ->type_name("SHAPE");
  sub->add_option("--shapes", arguments->shapes, "Shapes of an equation's operands: 10x20,20x30")
      ->type_name("SHAPES");
  sub->add_option("--perm", arguments->perm, "The order in which the operator sees the axes")
      ->type_name("LIST");
  add_call_options(*sub, arguments->call);
  sub->get_option("--dtype")->description("Type of the data, for example f32");
  arguments->dialect_given = sub->get_option("--dialect");
  add_order_options(*sub, arguments->contraction);
  sub->add_option("--svg", arguments->svg, "Draw an equation's tree into this file; '-': print it")
      ->type_name("FILE");
  sub->add_option("--dot", arguments->dot, "Write an equation's tree for Graphviz; '-': print it")
      ->type_name("FILE");
  sub->add_flag("--json", arguments->common.json, "Print an equation's plan as JSON");
  return {sub, [arguments] { explain(*arguments); }};
}

}  // namespace tenfold::cli
