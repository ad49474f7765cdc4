// Builds ONNX models in memory, field by field, right and wrong ones. Used by unit tests only.
//
//     ModelBuilder model(18);
//     model.input("x", DType::kF32, {"N", 3});
//     model.node("r1", "ReduceMax", {"x", "axes"}, {"y"}, {integer("keepdims", 0)});
//     model.output("y");
//     Graph graph = model.load();
#pragma once

#include <filesystem>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/tensor_proto.hpp"
#include "tenfold/graph.hpp"
#include "tenfold/io.hpp"

namespace tenfold::onnx::testing {

using Bytes = std::string;  // a serialised message
using Texts = std::vector<std::string>;
using Extent = std::variant<int, std::string>;  // fixed or a symbol; "" for neither

inline std::string_view view_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// AttributeProto: field numbers of the values, and AttributeProto.type in field 20.
template <class F>
Bytes attribute(std::string_view name, int type, F write) {
  Bytes bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(1, name.data(), name.size());
  write(writer);
  if (type != 0) writer.add_int32(20, type);
  return bytes;
}
inline Bytes integer(std::string_view name, std::int64_t value) {
  return attribute(name, 2, [&](auto& w) { w.add_int64(3, value); });
}
inline Bytes integers(std::string_view name, const std::vector<std::int64_t>& values) {
  return attribute(name, 7, [&](auto& w) {
    for (std::int64_t value : values) w.add_int64(8, value);
  });
}
inline Bytes packed_integers(std::string_view name, const std::vector<std::int64_t>& values) {
  return attribute(name, 0, [&](auto& w) { w.add_packed_int64(8, values.begin(), values.end()); });
}
inline Bytes number(std::string_view name, float value) {
  return attribute(name, 1, [&](auto& w) { w.add_float(2, value); });
}
inline Bytes numbers(std::string_view name, const std::vector<float>& values) {
  return attribute(name, 6, [&](auto& w) {
    for (float value : values) w.add_float(7, value);
  });
}
inline Bytes text(std::string_view name, std::string_view value) {
  return attribute(name, 3, [&](auto& w) { w.add_bytes(4, value.data(), value.size()); });
}
inline Bytes tensor(std::string_view name, const TensorView& value) {
  const std::vector<std::byte> message = io::write_tensor_proto(value);
  return attribute(name, 4,
                   [&](auto& w) { w.add_message(5, view_of(message).data(), message.size()); });
}
inline Bytes subgraph(std::string_view name) {
  return attribute(name, 5, [&](auto& w) { w.add_message(6, std::string()); });
}
// The attribute `outer` of the enclosing function.
inline Bytes reference(std::string_view name, std::string_view outer, int type = 0) {
  return attribute(name, type, [&](auto& w) { w.add_string(21, outer.data(), outer.size()); });
}

struct NodeExtra {
  std::string domain, overload;
};

inline Bytes node(std::string_view name, std::string_view op, const Texts& inputs,
                  const Texts& outputs, const std::vector<Bytes>& attributes = {},
                  const NodeExtra& extra = {}) {
  Bytes bytes;
  protozero::pbf_writer writer(bytes);
  for (const std::string& input : inputs) writer.add_string(1, input);
  for (const std::string& output : outputs) writer.add_string(2, output);
  if (!name.empty()) writer.add_string(3, name.data(), name.size());
  writer.add_string(4, op.data(), op.size());
  for (const Bytes& each : attributes) writer.add_message(5, each);
  if (!extra.domain.empty()) writer.add_string(7, extra.domain);
  if (!extra.overload.empty()) writer.add_string(8, extra.overload);
  return bytes;
}

inline Bytes opset_id(std::string_view domain, std::int64_t version) {
  Bytes bytes;
  protozero::pbf_writer writer(bytes);
  if (!domain.empty()) writer.add_string(1, domain.data(), domain.size());
  writer.add_int64(2, version);
  return bytes;
}

inline Bytes value_info(std::string_view name, int data_type, const std::vector<Extent>& shape) {
  Bytes bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(1, name.data(), name.size());
  protozero::pbf_writer type(writer, 2);
  protozero::pbf_writer of_tensor(type, 1);
  of_tensor.add_int32(1, data_type);
  protozero::pbf_writer dims(of_tensor, 2);
  for (const Extent& extent : shape) {
    Bytes dim;  // written by itself: a nested writer would leave an empty message out
    protozero::pbf_writer writes(dim);
    if (const int* fixed = std::get_if<int>(&extent))
      writes.add_int64(1, *fixed);
    else if (!std::get<std::string>(extent).empty())
      writes.add_string(2, std::get<std::string>(extent));
    dims.add_message(1, dim);
  }
  return bytes;
}

class FunctionBuilder {
 public:
  FunctionBuilder(std::string_view domain, std::string_view name, const Texts& inputs,
                  const Texts& outputs, const Texts& attributes = {}) {
    writer().add_string(1, name.data(), name.size());
    writer().add_string(10, domain.data(), domain.size());
    for (const std::string& input : inputs) writer().add_string(4, input);
    for (const std::string& output : outputs) writer().add_string(5, output);
    for (const std::string& each : attributes) writer().add_string(6, each);
  }
  FunctionBuilder& node(std::string_view name, std::string_view op, const Texts& inputs,
                        const Texts& outputs, const std::vector<Bytes>& attributes = {},
                        const NodeExtra& extra = {}) {
    writer().add_message(7, testing::node(name, op, inputs, outputs, attributes, extra));
    return *this;
  }
  FunctionBuilder& fallback(const Bytes& attribute) {  // an attribute with its default
    writer().add_message(11, attribute);
    return *this;
  }
  FunctionBuilder& opset(std::int64_t version, std::string_view domain = {}) {
    writer().add_message(9, opset_id(domain, version));
    return *this;
  }
  FunctionBuilder& overload(std::string_view name) {
    writer().add_string(13, name.data(), name.size());
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  protozero::pbf_writer writer() { return protozero::pbf_writer(bytes_); }

  Bytes bytes_;
};

class ModelBuilder {
 public:
  // opset 0: no opset_import.
  explicit ModelBuilder(std::int64_t opset = 18, std::int64_t ir_version = 8) {
    outer().add_int64(1, ir_version);
    if (opset != 0) outer().add_message(8, opset_id("", opset));
  }
  ModelBuilder& input(std::string_view name, DType dtype, const std::vector<Extent>& shape) {
    graph().add_message(11, value_info(name, io::onnx_data_type(dtype), shape));
    return *this;
  }
  ModelBuilder& output(std::string_view name) {
    Bytes bytes;
    protozero::pbf_writer(bytes).add_string(1, name.data(), name.size());
    return graph_field(12, bytes);
  }
  ModelBuilder& output(std::string_view name, DType dtype, const std::vector<Extent>& shape) {
    return graph_field(12, value_info(name, io::onnx_data_type(dtype), shape));
  }
  ModelBuilder& node(std::string_view name, std::string_view op, const Texts& inputs,
                     const Texts& outputs, const std::vector<Bytes>& attributes = {},
                     const NodeExtra& extra = {}) {
    return graph_field(1, testing::node(name, op, inputs, outputs, attributes, extra));
  }
  ModelBuilder& initialiser(std::string_view name, const TensorView& value) {
    return graph_field(5, Bytes(view_of(io::write_tensor_proto(value, name))));
  }
  ModelBuilder& axes(std::string_view name, const std::vector<std::int64_t>& values) {
    const Dims shape{static_cast<std::int64_t>(values.size())};
    return initialiser(name, TensorView(values.data(), DType::kI64, shape));
  }
  ModelBuilder& function(const FunctionBuilder& function) {
    outer().add_message(25, function.bytes());
    return *this;
  }
  // A field of GraphProto or of ModelProto, whatever it is.
  ModelBuilder& graph_field(std::uint32_t tag, const Bytes& message) {
    graph().add_message(tag, message);
    return *this;
  }
  ModelBuilder& model_field(std::uint32_t tag, const Bytes& message) {
    outer().add_message(tag, message);
    return *this;
  }

  Bytes bytes() const {
    Bytes all = outer_bytes_;
    protozero::pbf_writer(all).add_message(7, graph_bytes_);
    return all;
  }
  Graph load(const std::filesystem::path& folder = {}) const {
    const Bytes all = bytes();
    return Graph::load_onnx(std::as_bytes(std::span(all.data(), all.size())), folder);
  }

 private:
  // Made anew for each field, so that builders can be copied.
  protozero::pbf_writer outer() { return protozero::pbf_writer(outer_bytes_); }
  protozero::pbf_writer graph() { return protozero::pbf_writer(graph_bytes_); }

  Bytes outer_bytes_, graph_bytes_;
};

}  // namespace tenfold::onnx::testing
