#include <map>
#include <utility>

#include "graph/program.hpp"

namespace tenfold::graph {
namespace {

struct Bound {
  std::int64_t extent;
  std::string input;
};
using Symbols = std::map<std::string, Bound, std::less<>>;

std::string declared(const std::vector<Port::Extent>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    if (shape[i].value >= 0)
      text += std::to_string(shape[i].value);
    else
      text += shape[i].symbol.empty() ? "?" : shortened(shape[i].symbol);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

const InputPort* find_input(const Model& model, std::string_view name) {
  for (const InputPort& input : model.inputs)
    if (input.port.name == name) return &input;
  for (const InputPort& input : model.inputs)
    for (const std::string& alias : input.aliases)
      if (alias == name) return &input;
  return nullptr;
}

void check_view(const TensorView& view, const std::string& where) {
  if (view.shape.size() != view.strides.size())
    throw Error(ErrorCode::kShapeMismatch, where, "shape and strides differ in length",
                std::to_string(view.shape.size()) + " strides",
                std::to_string(view.strides.size()));
  if (element_count(view.shape) > 0 && view.data == nullptr)
    throw Error(ErrorCode::kNullData, where, "the data pointer is null",
                "data of shape " + to_string(view.shape));
}

void check_extents(const InputPort& input, const TensorView& view, const std::string& where,
                   Symbols& symbols) {
  const std::vector<Port::Extent>& shape = *input.port.shape;
  bool fits = shape.size() == static_cast<std::size_t>(view.rank());
  for (int i = 0; fits && i < view.rank(); ++i) {
    const Port::Extent& extent = shape[static_cast<std::size_t>(i)];
    fits = extent.value < 0 || extent.value == view.shape[i];
  }
  if (!fits)
    throw Error(ErrorCode::kShapeMismatch, where, "shape differs from the model's declaration",
                declared(shape), to_string(view.shape));
  for (int i = 0; i < view.rank(); ++i) {
    const std::string axis = "axis " + std::to_string(i);
    const std::int64_t got = view.shape[i];
    if (!input.bounds.empty()) {
      const Bounds& bounds = input.bounds[static_cast<std::size_t>(i)];
      if (got < bounds.low || got > bounds.high)
        throw Error(ErrorCode::kShapeMismatch, where, axis + " is outside its declared range",
                    std::to_string(bounds.low) + " .. " + std::to_string(bounds.high),
                    std::to_string(got));
    }
    const std::string& symbol = shape[static_cast<std::size_t>(i)].symbol;
    if (symbol.empty()) continue;
    const auto [known, fresh] = symbols.emplace(symbol, Bound{got, input.port.name});
    if (!fresh && known->second.extent != got)
      throw Error(
          ErrorCode::kShapeMismatch, where,
          axis + " differs from another axis of the same symbol '" + shortened(symbol) + "'",
          std::to_string(known->second.extent) + " as in input '" + shortened(known->second.input) +
              "'",
          std::to_string(got));
  }
}

void check_input(const InputPort& input, const TensorView& view, Symbols& symbols) {
  const std::string where = "input '" + shortened(input.port.name) + "'";
  check_view(view, where);
  if (input.port.dtype && *input.port.dtype != view.dtype)
    throw Error(ErrorCode::kTypeMismatch, where, "type differs from the model's declaration",
                std::string(numpy_name_of(*input.port.dtype)),
                std::string(numpy_name_of(view.dtype)));
  if (input.port.shape) check_extents(input, view, where, symbols);
}

[[noreturn]] void unknown_input(const Model& model, const std::string& name) {
  std::vector<std::string_view> names;
  std::string list;
  for (const InputPort& input : model.inputs) {
    names.push_back(input.port.name);
    if (names.size() <= 20) list += (list.empty() ? "'" : ", '") + shortened(names.back()) + "'";
  }
  const std::optional<std::string> nearest = nearest_name(name, names);
  throw Error(ErrorCode::kUnknownName, "graph", "no such input",
              list.empty() ? "no inputs" : "one of " + list,
              in_quotes(name) + (nearest ? " (did you mean '" + shortened(*nearest) + "'?)" : ""));
}

}  // namespace

void place_inputs(const Model& model, const Graph::Inputs& inputs, std::vector<Held>& slots) {
  std::map<int, const TensorView*> given;
  for (const auto& [name, view] : inputs) {
    const InputPort* input = find_input(model, name);
    if (input == nullptr) unknown_input(model, name);
    if (!given.emplace(input->value, &view).second)
      throw Error(ErrorCode::kBadArgument, "input '" + shortened(input->port.name) + "'",
                  "given twice, under two of its names");
  }
  Symbols symbols;
  for (const InputPort& input : model.inputs) {
    const auto found = given.find(input.value);
    if (found == given.end()) {
      if (input.has_default) continue;
      throw Error(
          ErrorCode::kMissingInput, "input '" + shortened(input.port.name) + "'", "not given",
          input.port.shape ? "a tensor of shape " + declared(*input.port.shape) : "a tensor");
    }
    check_input(input, *found->second, symbols);
    slots[static_cast<std::size_t>(input.value)] = {*found->second, nullptr};
  }
}

}  // namespace tenfold::graph
