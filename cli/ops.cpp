// `tenfold ops`: every operator, its versions and types.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "render.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  tenfold ops
  tenfold ops --dialect onnx:13     what holds at one opset
  tenfold ops ReduceMax             one operator
  tenfold ops --json
)";

struct Options {
  Common common;
  std::string name, dialect;
};

std::string_view name_of_form(AxesForm form) {
  switch (form) {
    case AxesForm::kAttribute:
      return "attribute";
    case AxesForm::kOptionalInput:
      return "optional-input";
    case AxesForm::kRequiredInput:
      return "required-input";
    case AxesForm::kAxisAttribute:
      return "axis-attribute";
    case AxesForm::kArgument:
      return "argument";
  }
  __builtin_unreachable();
}

std::vector<std::string_view> type_names(DTypeSet types) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (types.contains(static_cast<DType>(i))) names.push_back(name_of(static_cast<DType>(i)));
  }
  return names;
}

std::vector<const OperatorRow*> choose_rows(const Options& options) {
  std::optional<DialectVersion> dialect;
  if (!options.dialect.empty()) dialect = parse_dialect_option(options.dialect);
  const bool one_version = options.dialect.find(':') != std::string::npos;

  std::vector<const OperatorRow*> rows;
  std::vector<std::string_view> names;
  for (const OperatorRow& row : operator_rows()) {
    if (dialect && row.dialect != dialect->dialect) continue;
    if (one_version && row.since_version > dialect->version) continue;
    names.push_back(row.name);
    names.push_back(name_of(row.op));
    const bool wanted =
        options.name.empty() || row.name == options.name || name_of(row.op) == options.name;
    if (!wanted) continue;
    // At one version the newest row that has begun holds; rows of a name ascend.
    if (one_version && !rows.empty() && rows.back()->name == row.name) rows.pop_back();
    rows.push_back(&row);
  }
  if (rows.empty() && !options.name.empty()) {
    throw Error(
        ErrorCode::kUnknownOperator, "ops",
        fmt::format("unknown operator '{}'{}", options.name, suggestion(options.name, names)));
  }
  return rows;
}

void print_table(const std::vector<const OperatorRow*>& rows) {
  std::size_t width = 0;
  for (const OperatorRow* row : rows) width = std::max(width, row->name.size());
  std::string text = fmt::format("{:<8}  {:<{}}  {:>5}  {:<9}  {:<14}  {}\n", "dialect", "operator",
                                 width, "since", "op", "axes", "types");
  for (const OperatorRow* row : rows) {
    const std::string since =
        row->dialect == Dialect::kNumpy ? std::string("-") : std::to_string(row->since_version);
    text += fmt::format("{:<8}  {:<{}}  {:>5}  {:<9}  {:<14}  {}\n", name_of(row->dialect),
                        row->name, width, since, name_of(row->op), name_of_form(row->axes_form),
                        fmt::join(type_names(row->types), " "));
  }
  print(text);
}

void print_json(const std::vector<const OperatorRow*>& rows) {
  Json list = Json::array();
  for (const OperatorRow* row : rows) {
    Json object;
    object["dialect"] = name_of(row->dialect);
    object["operator"] = row->name;
    object["since_version"] = row->since_version;
    object["op"] = name_of(row->op);
    object["types"] = type_names(row->types);
    object["axes"] = name_of_form(row->axes_form);
    object["noop_with_empty_axes"] = row->has_noop;
    object["select_last_index"] = row->has_select_last;
    object["keepdims_default"] = row->keepdims_default;
    list.push_back(object);
  }
  Json document;
  document["operators"] = list;
  print(dump(document));
}

}  // namespace

Command add_ops(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = add_subcommand(app, "ops", "List the operators, their versions and types",
                                 kExamples, options->common);
  sub->add_option("OP", options->name, "Only this operator: ReduceMax or max")->type_name("");
  sub->add_option("--dialect", options->dialect,
                  "Only this one: onnx, onnx:OPSET (what holds there), openvino, numpy")
      ->type_name("NAME");
  sub->add_flag("--json", options->common.json, "Print as JSON");
  return {sub, [options] {
            const auto rows = choose_rows(*options);
            options->common.json ? print_json(rows) : print_table(rows);
          }};
}

}  // namespace tenfold::cli
