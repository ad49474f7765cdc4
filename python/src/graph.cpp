// Model files: loaded from a path, from bytes, run on a dict of arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>

#include "arrays.hpp"
#include "tenfold/error.hpp"
#include "tenfold/graph.hpp"

namespace tenfold::python {
namespace {

nb::list ports_of(const std::vector<Port>& ports) {
  nb::list list;
  for (const Port& port : ports) {
    nb::object shape = nb::none();
    if (port.shape) {
      nb::list extents;
      for (const Port::Extent& extent : *port.shape) {
        if (extent.value >= 0)
          extents.append(extent.value);
        else if (extent.symbol.empty())
          extents.append(nb::none());
        else
          extents.append(text_of(extent.symbol));
      }
      shape = nb::tuple(extents);
    }
    const nb::object dtype = port.dtype ? dtype_object(*port.dtype) : nb::object(nb::none());
    list.append(nb::make_tuple(text_of(port.name), dtype, shape));
  }
  return list;
}

std::span<const std::byte> bytes_of(const nb::bytes& data) {
  return {reinterpret_cast<const std::byte*>(data.c_str()), data.size()};
}

nb::object as_array(Tensor& tensor) {
  Result result(tensor.dtype(), tensor.shape());
  std::memcpy(result.view.mutable_data(), tensor.data(), static_cast<std::size_t>(tensor.bytes()));
  return result.take();
}

class Model {
 public:
  explicit Model(Graph graph) : graph_(std::move(graph)) {}

  nb::dict run(const nb::dict& inputs, nb::handle threads) const {
    const RunOptions options = run_options(threads, "run");
    std::deque<Operand> held;
    Graph::Inputs views;
    for (auto [name, array] : inputs) {
      std::string key;
      if (!nb::try_cast(name, key)) throw nb::type_error("the names of inputs must be strings");
      held.emplace_back(array, key.c_str(), -1);
      views.emplace(key, held.back().view());
    }
    Graph::Outputs outputs;
    {
      const nb::gil_scoped_release free;
      outputs = graph_.run(views, options);
    }
    nb::dict arrays;
    for (const Port& port : graph_.outputs()) {
      const auto found = outputs.find(port.name);
      if (found != outputs.end()) arrays[text_of(port.name)] = as_array(found->second);
    }
    return arrays;
  }
  nb::list inputs() const { return ports_of(graph_.inputs()); }
  nb::list outputs() const { return ports_of(graph_.outputs()); }
  nb::str explain() const { return text_of(graph_.explain()); }

 private:
  Graph graph_;
};

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<Model>(m, "Model")
      .def("run", &Model::run, nb::arg("inputs"), nb::arg("threads").none())
      .def("explain", &Model::explain)
      .def_prop_ro("inputs", &Model::inputs)
      .def_prop_ro("outputs", &Model::outputs);
  m.def("load_file", [](const std::string& path) { return new Model(Graph::load(path)); });
  m.def("load_onnx", [](const nb::bytes& data, const std::string& folder) {
    return new Model(Graph::load_onnx(bytes_of(data), folder));
  });
  m.def("load_openvino", [](const nb::bytes& xml, const nb::bytes& weights) {
    return new Model(Graph::load_openvino(std::string(xml.c_str(), xml.size()), bytes_of(weights)));
  });
}

}  // namespace tenfold::python
