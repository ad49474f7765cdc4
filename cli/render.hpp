// Tensors and shapes as text for people and as JSON for programs.
// Called by the subcommands that print values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tenfold/tensor.hpp"

namespace tenfold::cli {

using Json = nlohmann::ordered_json;

// Nested brackets; the shortest digits that read back as the same element; the middle of an axis
// is left out when the tensor has more than 1000 elements.
std::string to_text(const Tensor& tensor);

// {"dtype": "float32", "shape": [2], "data": [1.0, "nan"]}: all elements, nested like the shape. An
// empty tensor has "data": []. JSON has no NaN and no infinities: they are the strings "nan",
// "inf" and "-inf".
Json to_json(const Tensor& tensor);
Json to_json(const Dims& shape);

// "float32 (2, 3)".
std::string describe(const TensorView& tensor);

// JSON as it is printed: indented, but a list of numbers stands on one line.
std::string dump(const Json& value);

}  // namespace tenfold::cli
