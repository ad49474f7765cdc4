// What the graph tests share: values of a tensor, one node run by itself, and errors as they are
// expected. Used by unit tests only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "onnx/model_builder_for_tests.hpp"
#include "tenfold/error.hpp"
#include "tenfold/graph.hpp"

namespace tenfold::graph::testing {

template <class T>
std::vector<T> values(const Tensor& tensor) {
  EXPECT_EQ(tensor.dtype(), dtype_of<T>);
  const auto span = tensor.values<T>();
  return {span.begin(), span.end()};
}

inline std::vector<std::int64_t> shape(const Tensor& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

// One ONNX node with inputs "in0", "in1", … and output "out", fed at run time.
inline Tensor run_node(int opset, const std::string& op, const std::vector<TensorView>& inputs,
                       const std::vector<std::string>& attributes = {}) {
  onnx::testing::ModelBuilder model(opset);
  std::vector<std::string> names;
  Graph::Inputs given;
  for (const TensorView& input : inputs) {
    names.push_back("in" + std::to_string(names.size()));
    std::vector<onnx::testing::Extent> any(static_cast<std::size_t>(input.rank()), "");
    model.input(names.back(), input.dtype, any);
    given.emplace(names.back(), input);
  }
  model.node("n", op, names, {"out"}, attributes).output("out");
  Graph::Outputs outputs = model.load().run(given);
  return std::move(outputs.at("out"));
}

// Runs `action`, which must throw Error with `code`; every one of `parts` must be in its message.
template <class F>
void expect_error(ErrorCode code, const std::vector<std::string>& parts, F action) {
  try {
    action();
    ADD_FAILURE() << "no error; expected " << name_of(code);
  } catch (const Error& error) {
    EXPECT_EQ(name_of(error.code()), name_of(code)) << error.what();
    for (const std::string& part : parts)
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
          << "no '" << part << "' in: " << error.what();
  }
}

}  // namespace tenfold::graph::testing
