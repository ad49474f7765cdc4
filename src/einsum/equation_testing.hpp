// Helpers for the tests of equations: specs of each dialect, and errors word for word.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "einsum/equation.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail::testing {

using Shapes = std::vector<Dims>;
using Lists = std::vector<std::vector<int>>;

inline std::optional<Error> error_of(const EinsumSpec& spec, const Shapes& shapes) {
  try {
    const Equation equation = parse_equation(spec, shapes);
    ADD_FAILURE() << spec.equation << " is accepted as " << equation.text();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

inline void expect_error(const EinsumSpec& spec, const Shapes& shapes, ErrorCode code,
                         const std::string& text) {
  const auto error = error_of(spec, shapes);
  if (!error) return;
  EXPECT_EQ(name_of(error->code()), name_of(code)) << error->what();
  EXPECT_EQ(error->what(), text);
  EXPECT_NE(error->place(), nullptr);
}

inline EinsumSpec numpy(std::string equation) { return {.equation = std::move(equation)}; }
inline EinsumSpec onnx(std::string equation, int opset = 12) {
  return {.equation = std::move(equation), .dialect = Dialect::kOnnx, .version = opset};
}
inline EinsumSpec openvino(std::string equation) {
  return {.equation = std::move(equation), .dialect = Dialect::kOpenVino};
}
inline EinsumSpec lists(Lists labels, std::optional<std::vector<int>> output = {}) {
  return {.labels = std::move(labels), .output_labels = std::move(output)};
}

}  // namespace tenfold::einsum_detail::testing
