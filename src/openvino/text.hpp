// What the attributes of an IR say: integers, booleans, element types, shapes. Every reader takes
// the place for its errors. Used by the IR reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/model.hpp"

namespace tenfold::openvino {

std::int64_t parse_integer(std::string_view text, const std::string& where, const char* what);
// true, True and 1; false, False and 0.
bool parse_boolean(std::string_view text, const std::string& where, std::string_view attribute);
// "f32", "boolean"; Error(kUnsupportedFeature) for the types that Tenfold does not have.
DType parse_element_type(std::string_view text, const std::string& where);
// "opset4" is 4.
int parse_opset(std::string_view text, const std::string& where);
// "1,3,224": fixed extents only.
Dims parse_fixed_shape(std::string_view text, const std::string& where);
// The same with unknown extents ("-1", "?"), ranges ("1..10", "2..", "..8") and "..." for an
// undeclared rank.
void parse_declared_shape(std::string_view text, const std::string& where, graph::InputPort& input);
// The first eight names in "a,b"; a comma within a name is written "\,".
std::vector<std::string> split_names(std::string_view text);

}  // namespace tenfold::openvino
