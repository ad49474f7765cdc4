// `tenfold ops`: every operator, its versions and types.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "render.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kOpsExamples = R"(
Examples:
  tenfold ops
  tenfold ops --dialect onnx:13     what holds at one opset
  tenfold ops ReduceMax             one operator
  tenfold ops --json
)";

struct OpsArguments {
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

std::string_view name_of_form(AddendForm form) {
  switch (form) {
    case AddendForm::kNone:
      return "none";
    case AddendForm::kFlagged:
      return "stretched-by-attribute";
    case AddendForm::kRequired:
      return "required";
    case AddendForm::kOptional:
      return "optional";
  }
  __builtin_unreachable();
}

// A row of either table.
struct Listed {
  Dialect dialect;
  std::string_view name, op, axes;
  int since_version;
  DTypeSet types;
  const OperatorRow* reduction;
  const ContractionRow* contraction;
};

// Both tables, dialect by dialect, versions ascending.
std::vector<Listed> all_rows() {
  std::vector<Listed> rows;
  for (Dialect dialect : {Dialect::kOnnx, Dialect::kOpenVino, Dialect::kNumpy}) {
    for (const OperatorRow& row : operator_rows()) {
      if (row.dialect != dialect) continue;
      rows.push_back({dialect, row.name, name_of(row.op), name_of_form(row.axes_form),
                      row.since_version, row.types, &row, nullptr});
    }
    for (const ContractionRow& row : contraction_rows()) {
      if (row.dialect != dialect) continue;
      rows.push_back(
          {dialect, row.name, name_of(row.form), "-", row.since_version, row.types, nullptr, &row});
    }
  }
  return rows;
}

std::vector<Listed> choose_rows(const OpsArguments& arguments) {
  std::optional<DialectVersion> dialect;
  if (!arguments.dialect.empty()) dialect = parse_dialect_option(arguments.dialect);
  const bool one_version = arguments.dialect.find(':') != std::string::npos;

  std::vector<Listed> rows;
  std::vector<std::string_view> names;
  for (const Listed& row : all_rows()) {
    if (dialect && row.dialect != dialect->dialect) continue;
    if (one_version && row.since_version > dialect->version) continue;
    names.push_back(row.name);
    names.push_back(row.op);
    const bool wanted =
        arguments.name.empty() || row.name == arguments.name || row.op == arguments.name;
    if (!wanted) continue;
    // At one version the newest row that has begun holds; rows of a name ascend.
    if (one_version && !rows.empty() && rows.back().name == row.name) rows.pop_back();
    rows.push_back(row);
  }
  if (rows.empty() && !arguments.name.empty()) {
    throw Error(
        ErrorCode::kUnknownOperator, "ops",
        fmt::format("unknown operator '{}'{}", arguments.name, suggestion(arguments.name, names)));
  }
  return rows;
}

void print_table(const std::vector<Listed>& rows) {
  std::size_t width = 0;
  for (const Listed& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:<8}  {:<{}}  {:>5}  {:<9}  {:<14}  {}\n", "dialect", "operator",
                                 width, "since", "op", "axes", "types");
  for (const Listed& row : rows) {
    const std::string since =
        row.dialect == Dialect::kNumpy ? std::string("-") : std::to_string(row.since_version);
    text += fmt::format("{:<8}  {:<{}}  {:>5}  {:<9}  {:<14}  {}\n", name_of(row.dialect), row.name,
                        width, since, row.op, row.axes, fmt::join(type_names(row.types), " "));
  }
  print(text);
}

void print_json(const std::vector<Listed>& rows) {
  Json list = Json::array();
  for (const Listed& row : rows) {
    Json object;
    object["dialect"] = name_of(row.dialect);
    object["operator"] = row.name;
    object["since_version"] = row.since_version;
    object["op"] = row.op;
    object["types"] = type_names(row.types);
    if (row.reduction != nullptr) {
      object["axes"] = row.axes;
      object["noop_with_empty_axes"] = row.reduction->has_noop;
      object["select_last_index"] = row.reduction->has_select_last;
      object["keepdims_default"] = row.reduction->keepdims_default;
    } else if (row.contraction->form == ContractionForm::kAffine) {
      object["c"] = name_of_form(row.contraction->addend);
    }
    list.push_back(object);
  }
  Json document;
  document["operators"] = list;
  print(dump(document));
}

}  // namespace

Command add_ops(CLI::App& app) {
  const auto arguments = std::make_shared<OpsArguments>();
  CLI::App* sub = add_subcommand(app, "ops", "List the operators, their versions and types",
                                 kOpsExamples, arguments->common);
  sub->add_option("OP", arguments->name, "Only this operator: ReduceMax or max")->type_name("");
  sub->add_option("--dialect", arguments->dialect,
                  "Only this one: onnx, onnx:OPSET (what holds there), openvino, numpy")
      ->type_name("NAME");
  sub->add_flag("--json", arguments->common.json, "Print as JSON");
  return {sub, [arguments] {
            const auto rows = choose_rows(*arguments);
            arguments->common.json ? print_json(rows) : print_table(rows);
          }};
}

}  // namespace tenfold::cli
