// Model files: load an ONNX model or an OpenVINO IR whose nodes are reductions, contractions and
// their glue, and run it.
//
//     auto graph = tenfold::Graph::load("model.onnx");
//     auto results = graph.run({{"x", x_view}});
//
// Operators and versions: docs/semantics.md and `tenfold ops`. Anything else is refused at load
// with the node's name, its operator, and what is supported.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/executor.hpp"
#include "tenfold/tensor.hpp"

namespace tenfold {

// A graph input or output as the model declares it.
struct Port {
  std::string name;
  std::optional<DType> dtype;
  struct Extent {
    std::int64_t value = -1;
    std::string symbol;
  };                                         // value -1: dynamic
  std::optional<std::vector<Extent>> shape;  // nullopt: the rank is not declared
};

// Time of one node in one run, for --profile.
struct NodeTime {
  std::string node, op;
  double microseconds;
  std::string detail;
};

struct GraphOptions {
  // A contraction whose result only another contraction or a sum takes is computed together with
  // it, without a result of its own, where the whole is cheaper that way. The outputs may differ in
  // the last bits, since intermediate results are not rounded, or summed in another order.
  bool contract_through = true;
};

class TENFOLD_API Graph {
 public:
  // By content: ONNX protobuf, or OpenVINO XML with its weights in the .bin of the same stem.
  static Graph load(const std::filesystem::path& path, const GraphOptions& = {});
  // `folder`: where external data may lie; empty: external data is refused.
  static Graph load_onnx(std::span<const std::byte> model, const std::filesystem::path& folder = {},
                         const GraphOptions& = {});
  static Graph load_openvino(std::string_view xml, std::span<const std::byte> weights,
                             const GraphOptions& = {});

  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  const std::vector<Port>& inputs() const;  // without initialisers
  const std::vector<Port>& outputs() const;

  using Inputs = std::map<std::string, TensorView, std::less<>>;
  using Outputs = std::map<std::string, Tensor, std::less<>>;
  // Checks names, dtypes and shapes against the declarations; throws Error. Safe from many threads.
  Outputs run(const Inputs& inputs, const RunOptions& = {},
              std::vector<NodeTime>* profile = nullptr) const;

  // One line per node, in execution order.
  std::string explain() const;

  struct Impl;

 private:
  explicit Graph(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tenfold
