// Checked access to the fields of a protobuf message: a field of the wrong wire type is an error
// here, where the plain reader would take one for the other. Used by the ONNX reader.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "graph/model.hpp"

namespace tenfold::onnx {

class Fields {
 public:
  // `message` names the kind of message in errors.
  Fields(std::string_view bytes, const char* message)
      : reader_(bytes.data(), bytes.size()), message_(message) {}

  bool next() { return reader_.next(); }
  std::uint32_t tag() const { return reader_.tag(); }
  void skip() { reader_.skip(); }

  std::int64_t integer() {
    expect(protozero::pbf_wire_type::varint);
    return reader_.get_int64();
  }
  float number() {
    expect(protozero::pbf_wire_type::fixed32);
    return reader_.get_float();
  }
  // Text, bytes or the bytes of an inner message; a view of the model's memory.
  std::string_view bytes() {
    expect(protozero::pbf_wire_type::length_delimited);
    const protozero::data_view view = reader_.get_view();
    return {view.data(), view.size()};
  }
  // Repeated fields, packed or one by one.
  void append(std::vector<std::int64_t>& list) {
    if (reader_.wire_type() == protozero::pbf_wire_type::varint) {
      list.push_back(integer());
      return;
    }
    expect(protozero::pbf_wire_type::length_delimited);
    for (std::int64_t value : reader_.get_packed_int64()) list.push_back(value);
  }
  void append(std::vector<float>& list) {
    if (reader_.wire_type() == protozero::pbf_wire_type::fixed32) {
      list.push_back(number());
      return;
    }
    expect(protozero::pbf_wire_type::length_delimited);
    for (float value : reader_.get_packed_float()) list.push_back(value);
  }

 private:
  void expect(protozero::pbf_wire_type type) const {
    if (reader_.wire_type() != type)
      graph::malformed(
          "ONNX model",
          "field " + std::to_string(tag()) + " of " + message_ + " has a wrong wire type",
          std::to_string(static_cast<int>(type)),
          std::to_string(static_cast<int>(reader_.wire_type())));
  }

  protozero::pbf_reader reader_;
  const char* message_;
};

}  // namespace tenfold::onnx
