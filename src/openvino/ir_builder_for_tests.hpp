// Builds OpenVINO IRs as text, right and wrong ones. Used by unit tests only.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tenfold/graph.hpp"

namespace tenfold::openvino::testing {

inline constexpr auto kMalformed = ErrorCode::kMalformedModel;

// Layers have the ids 0, 1, … in the order they are added; port ids count inputs, then outputs.
class IrBuilder {
 public:
  // Any layer; `data` is the inside of its <data>, `version` of the attribute (none when empty).
  IrBuilder& layer(const std::string& name, const std::string& type, const std::string& version,
                   const std::string& data, int inputs, int outputs,
                   const std::string& output_names = {}) {
    std::string text = "<layer id=\"" + std::to_string(count_++) + "\" name=\"" + name +
                       "\" type=\"" + type + "\"";
    if (!version.empty()) text += " version=\"" + version + "\"";
    text += "><data " + data + "/><input>";
    for (int i = 0; i < inputs; ++i) text += "<port id=\"" + std::to_string(i) + "\"/>";
    text += "</input><output>";
    for (int i = inputs; i < inputs + outputs; ++i)
      text += "<port id=\"" + std::to_string(i) + "\" names=\"" + output_names + "\"/>";
    return xml(text + "</output></layer>");
  }
  IrBuilder& xml(const std::string& layer) {
    layers_ += layer + "\n";
    return *this;
  }
  IrBuilder& parameter(const std::string& name, const std::string& shape,
                       const std::string& type = "f32") {
    return layer(name, "Parameter", "opset1",
                 "shape=\"" + shape + "\" element_type=\"" + type + "\"", 0, 1);
  }
  template <class T>
  IrBuilder& constant(const std::string& name, const std::string& shape, const std::string& type,
                      const std::vector<T>& values) {
    const std::size_t offset = weights_.size(), size = values.size() * sizeof(T);
    weights_.resize(offset + size);
    if (size > 0) std::memcpy(weights_.data() + offset, values.data(), size);
    return layer(name, "Const", "opset1",
                 "element_type=\"" + type + "\" shape=\"" + shape + "\" offset=\"" +
                     std::to_string(offset) + "\" size=\"" + std::to_string(size) + "\"",
                 0, 1);
  }
  IrBuilder& result(const std::string& name = "result") {
    return layer(name, "Result", "opset1", "", 1, 0);
  }
  IrBuilder& edge(int from, int from_port, int to, int to_port) {
    edges_ += "<edge from-layer=\"" + std::to_string(from) + "\" from-port=\"" +
              std::to_string(from_port) + "\" to-layer=\"" + std::to_string(to) + "\" to-port=\"" +
              std::to_string(to_port) + "\"/>\n";
    return *this;
  }
  IrBuilder& ir_version(const std::string& version) {
    version_ = version;
    return *this;
  }

  std::string xml() const {
    return "<?xml version=\"1.0\"?>\n<net name=\"model\" version=\"" + version_ +
           "\">\n<layers>\n" + layers_ + "</layers>\n<edges>\n" + edges_ + "</edges>\n</net>\n";
  }
  const std::vector<std::byte>& weights() const { return weights_; }
  Graph load() const { return Graph::load_openvino(xml(), weights_); }

 private:
  std::string layers_, edges_, version_ = "11";
  std::vector<std::byte> weights_;
  int count_ = 0;
};

}  // namespace tenfold::openvino::testing
