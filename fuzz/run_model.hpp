// Runs a loaded model on small inputs of the declared form. Included by the fuzz targets of the
// model loaders.
#pragma once

#include <algorithm>
#include <list>
#include <string_view>

#include "property.hpp"
#include "tenfold/graph.hpp"

namespace tenfold::fuzz {

// A shape as declared, 2 for what is open; nothing when it has too many elements to run.
inline std::optional<Dims> small_shape(const Port& port) {
  constexpr std::int64_t kMost = 256;
  if (!port.shape) return Dims{2, 2};
  Dims shape;
  std::int64_t count = 1;
  for (const Port::Extent& extent : *port.shape) {
    const std::int64_t n = extent.value < 0 ? 2 : extent.value;
    if (n > kMost || count * n > kMost) return std::nullopt;
    count *= n;
    shape.push_back(n);
  }
  return shape;
}

// Every product of two operands can square the number of elements, so a model with two of them may
// ask for any amount of memory, and rightly. Those are loaded only. `plan`: lines such as
// "n: Einsum-12(x, y, z) -> t".
inline bool may_grow(std::string_view plan) {
  int products = 0;
  for (std::string_view op : {": Mul-", ": MatMul-", ": Gemm-", ": Einsum-"})
    for (std::size_t at = plan.find(op); at != plan.npos; at = plan.find(op, at + 1)) {
      const std::string_view operands = plan.substr(at, plan.find('\n', at) - at);
      const auto commas = std::count(operands.begin(), operands.end(), ',');
      products += op == ": Einsum-" ? static_cast<int>(std::min<std::ptrdiff_t>(commas, 2)) : 1;
    }
  return products > 1;
}

inline void run_model(const Graph& graph) {
  if (may_grow(graph.explain())) return;
  std::list<Tensor> tensors;
  Graph::Inputs inputs;
  for (const Port& port : graph.inputs()) {
    const auto shape = small_shape(port);
    if (!shape) return;
    tensors.push_back(Tensor::zeros(port.dtype.value_or(DType::kF32), *shape));
    inputs.emplace(port.name, std::as_const(tensors.back()).view());
  }
  const auto run = [&] { return graph.run(inputs, {.threads = 1}); };
  const auto outputs = accepted(run);
  if (!outputs) return;
  TENFOLD_PROPERTY(outputs->size() == graph.outputs().size());
  const auto again = run();
  for (const auto& [name, tensor] : *outputs) TENFOLD_PROPERTY(same(again.at(name), tensor));
}

}  // namespace tenfold::fuzz
