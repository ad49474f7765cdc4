#include <algorithm>
#include <climits>
#include <utility>

#include "graph/contraction.hpp"
#include "graph/glue.hpp"
#include "graph/operation.hpp"
#include "graph/reduction.hpp"

namespace tenfold::graph {
namespace {

std::string version_word(Dialect dialect, int version) {
  return (dialect == Dialect::kOnnx ? "opset " : "opset") + std::to_string(version);
}

// A row of either table by name: the newest that is not newer than the node's operator set.
template <class Row>
struct Found {
  const Row* row = nullptr;
  int first_version = 0;  // of the operator; 0 when the table does not have it at all
};

template <class Row>
Found<Row> find_row(std::span<const Row> rows, const Node& node) {
  Found<Row> found;
  for (const Row& row : rows) {
    if (row.dialect != node.dialect || row.name != node.op) continue;
    if (found.first_version == 0 || row.since_version < found.first_version)
      found.first_version = row.since_version;
    if (row.since_version <= node.version &&
        (found.row == nullptr || row.since_version > found.row->since_version))
      found.row = &row;
  }
  return found;
}

std::string operator_label(const Node& node) {
  return shortened(node.op) + "-" + std::to_string(node.version);
}

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

void check_output(const Node& node, const std::string& where) {
  if (node.outputs.size() != 1 || node.outputs[0] == kAbsent)
    malformed(where, "wrong number of outputs", "1", std::to_string(node.outputs.size()));
}

constexpr int kAnyNumber = INT_MAX;

void check_inputs(const Node& node, const std::string& where, int least, int most) {
  const int got = static_cast<int>(std::min<std::size_t>(node.inputs.size(), INT_MAX));
  const std::string expected = least == most ? std::to_string(least)
                               : most == kAnyNumber
                                   ? std::to_string(least) + " or more"
                                   : std::to_string(least) + " to " + std::to_string(most);
  if (got < least || got > most)
    malformed(where, "wrong number of inputs", expected, std::to_string(node.inputs.size()));
  for (int i = 0; i < least; ++i)
    if (node.inputs[static_cast<std::size_t>(i)] == kAbsent)
      malformed(where, "input " + std::to_string(i) + " is left out", expected + " inputs");
}

const AttributeRule* rule_for(std::span<const AttributeRule> rules, std::string_view name) {
  for (const AttributeRule& rule : rules)
    if (rule.name == name) return &rule;
  return nullptr;
}

void check_attributes(const Node& node, const std::string& where,
                      std::span<const AttributeRule> rules) {
  std::vector<std::string_view> known;
  for (const AttributeRule& rule : rules) known.push_back(rule.name);
  for (std::size_t i = 0; i < node.attributes.size(); ++i) {
    const Attribute& attribute = node.attributes[i];
    const std::string quoted = in_quotes(attribute.name);
    const AttributeRule* rule = rule_for(rules, attribute.name);
    if (rule == nullptr)
      throw Error(ErrorCode::kAttributeUnknown, where, "unknown attribute",
                  known.empty() ? "no attributes" : "one of " + joined(known), quoted);
    const auto kind = static_cast<AttributeKind>(attribute.value->index());
    if (kind != rule->kind)
      throw Error(ErrorCode::kAttributeValue, where, "attribute " + quoted + " has a wrong type",
                  std::string(name_of(rule->kind)),
                  kind == AttributeKind::kOpaque ? std::get<Opaque>(*attribute.value).kind
                                                 : std::string(name_of(kind)));
    for (std::size_t j = 0; j < i; ++j)  // few: each is one of the rules, and none stands twice
      if (node.attributes[j].name == attribute.name)
        malformed(where, "attribute " + quoted + " is given twice");
  }
  for (const AttributeRule& rule : rules)
    if (rule.required && std::none_of(node.attributes.begin(), node.attributes.end(),
                                      [&](const Attribute& a) { return a.name == rule.name; }))
      throw Error(ErrorCode::kAttributeValue, where,
                  "attribute '" + std::string(rule.name) + "' is missing",
                  std::string(name_of(rule.kind)));
}

class GlueOperation : public Operation {
 public:
  GlueOperation(const Node& node, const GlueRow& row) : node_(node), row_(row) {}

  Held run(HeldInputs inputs, const RunOptions& options, std::string* detail) const override {
    const GlueCall call{node_, row_, inputs, options};
    if (call.has(0) && !row_.types.contains(call.view(0).dtype))
      call.fail(ErrorCode::kTypeNotAllowed, "type not allowed", type_list(),
                std::string(numpy_name_of(call.view(0).dtype)));
    Held out = row_.run(call);
    if (detail != nullptr)
      *detail = call.has(0) && out.view.data == call.view(0).data ? "a view, nothing copied" : "";
    return out;
  }
  std::string label() const override { return label_of(row_); }

 private:
  std::string type_list() const {
    std::vector<std::string_view> names;
    for (int i = 0; i < kDTypeCount; ++i)
      if (row_.types.contains(static_cast<DType>(i)))
        names.push_back(numpy_name_of(static_cast<DType>(i)));
    return joined(names);
  }

  const Node& node_;
  const GlueRow& row_;
};

void check_constant(const Node& node, const std::string& where) {
  if (node.attributes.size() != 1)
    throw Error(ErrorCode::kAttributeValue, where, "a constant needs exactly one attribute",
                "one of value, value_int, value_ints, value_float, value_floats",
                std::to_string(node.attributes.size()));
  const std::string& name = node.attributes[0].name;
  if (name == "sparse_value" || name == "value_string" || name == "value_strings")
    throw Error(ErrorCode::kUnsupportedFeature, where, "this kind of constant is not supported",
                "value, value_int, value_ints, value_float or value_floats", name);
}

constexpr AttributeRule kReduceRules[] = {{"axes", AttributeKind::kInts},
                                          {"keepdims", AttributeKind::kInt},
                                          {"noop_with_empty_axes", AttributeKind::kInt}};
constexpr AttributeRule kArgRules[] = {{"axis", AttributeKind::kInt},
                                       {"keepdims", AttributeKind::kInt},
                                       {"select_last_index", AttributeKind::kInt}};
constexpr AttributeRule kOpenVinoRules[] = {{"keep_dims", AttributeKind::kInt}};

std::unique_ptr<Operation> bind_reduction(const Node& node, const OperatorRow& row) {
  const std::string where = std::string(row.name) + "-" + std::to_string(row.since_version);
  check_output(node, where);
  // A second input is allowed here in every version; whether the version has one is for `resolve`
  // to say, with the axes-place error of its own.
  check_inputs(node, where, row.axes_form == AxesForm::kRequiredInput ? 2 : 1, 2);
  if (node.dialect == Dialect::kOpenVino)
    check_attributes(node, where, kOpenVinoRules);
  else if (row.axes_form == AxesForm::kAxisAttribute)
    check_attributes(node, where, kArgRules);
  else
    check_attributes(node, where, kReduceRules);
  return std::make_unique<Reduction>(node, row);
}

constexpr AttributeRule kEquationRules[] = {{"equation", AttributeKind::kText, true}};
constexpr AttributeRule kGemmRules[] = {{"alpha", AttributeKind::kFloat},
                                        {"beta", AttributeKind::kFloat},
                                        {"transA", AttributeKind::kInt},
                                        {"transB", AttributeKind::kInt}};
constexpr AttributeRule kOldGemmRules[] = {{"alpha", AttributeKind::kFloat},
                                           {"beta", AttributeKind::kFloat},
                                           {"broadcast", AttributeKind::kInt},
                                           {"transA", AttributeKind::kInt},
                                           {"transB", AttributeKind::kInt}};
constexpr AttributeRule kTransposeRules[] = {{"transpose_a", AttributeKind::kInt},
                                             {"transpose_b", AttributeKind::kInt}};

std::span<const AttributeRule> rules_of(const ContractionRow& row) {
  if (row.form == ContractionForm::kEquation) return kEquationRules;
  if (row.form == ContractionForm::kAffine)
    return row.addend == AddendForm::kFlagged ? std::span<const AttributeRule>(kOldGemmRules)
                                              : kGemmRules;
  if (row.dialect == Dialect::kOpenVino) return kTransposeRules;
  return {};
}

std::unique_ptr<Operation> bind_contraction(const Node& node, const ContractionRow& row) {
  const std::string where = std::string(row.name) + "-" + std::to_string(row.since_version);
  check_output(node, where);
  if (row.form == ContractionForm::kEquation) {
    // None may be left out.
    const auto given = static_cast<int>(std::min<std::size_t>(node.inputs.size(), INT_MAX));
    check_inputs(node, where, std::max(given, 1), kAnyNumber);
  } else if (row.form == ContractionForm::kAffine) {
    check_inputs(node, where, row.addend == AddendForm::kOptional ? 2 : 3, 3);
  } else {
    check_inputs(node, where, 2, 2);
  }
  check_attributes(node, where, rules_of(row));
  return std::make_unique<Contraction>(node, row);
}

std::unique_ptr<Operation> bind_glue(const Node& node, const GlueRow& row) {
  const std::string where = label_of(row);
  check_output(node, where);
  check_inputs(node, where, row.min_inputs, row.max_inputs);
  check_attributes(node, where, row.attributes);
  if (row.name == "Constant") check_constant(node, where);
  return std::make_unique<GlueOperation>(node, row);
}

}  // namespace

std::vector<std::string_view> supported_operators(Dialect dialect) {
  std::vector<std::string_view> names;
  for (const OperatorRow& row : operator_rows())
    if (row.dialect == dialect) names.push_back(row.name);
  for (const ContractionRow& row : contraction_rows())
    if (row.dialect == dialect) names.push_back(row.name);
  for (const GlueRow& row : glue_rows())
    if (row.dialect == dialect) names.push_back(row.name);
  if (dialect == Dialect::kOpenVino) names.insert(names.end(), {"Const", "Parameter", "Result"});
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::unique_ptr<Operation> bind(const Node& node) {
  const Found<OperatorRow> reduction = find_row(operator_rows(), node);
  if (reduction.row != nullptr) return bind_reduction(node, *reduction.row);
  const Found<ContractionRow> contraction = find_row(contraction_rows(), node);
  if (contraction.row != nullptr) return bind_contraction(node, *contraction.row);
  const Found<GlueRow> glue = find_row(glue_rows(), node);
  if (glue.row != nullptr) return bind_glue(node, *glue.row);

  const int first =
      std::max({reduction.first_version, contraction.first_version, glue.first_version});
  if (first != 0)
    throw Error(ErrorCode::kUnsupportedVersion, operator_label(node),
                "the operator is not in this operator set",
                version_word(node.dialect, first) + " or later",
                version_word(node.dialect, node.version));
  std::string got = in_quotes(node.op);
  for (const Attribute& attribute : node.attributes)
    if (const auto* opaque = std::get_if<Opaque>(attribute.value.get()))
      got += ", which holds " + opaque->kind;
  throw Error(ErrorCode::kUnsupportedOperator, operator_label(node), "operator not supported",
              "one of " + joined(supported_operators(node.dialect)), got);
}

}  // namespace tenfold::graph
