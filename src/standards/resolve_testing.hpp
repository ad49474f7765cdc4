// One call of an operator in the words of the standards, for the tests of resolve().
// Included by resolve_test.cpp and resolve_error_test.cpp only.
#pragma once

#include <cstdint>
#include <vector>

#include "tenfold/standards.hpp"

namespace tenfold::testing {

using Axes = std::vector<std::int64_t>;

// One call of `name` in words of the standards; the axes go where the version wants them unless a
// test says otherwise.
struct Node {
  Dialect dialect = Dialect::kOnnx;
  const char* name = "ReduceMax";
  int version = 18;
  Dims shape = {2, 3};
  DType dtype = DType::kF32;
  ReduceCall call = {};

  ReduceSpec resolve() const {
    return tenfold::resolve(find_operator(dialect, name, version), call,
                            TensorView(nullptr, dtype, shape));
  }
};

inline TensorView input_of(const Axes& axes) {
  return TensorView(axes.data(), Dims{static_cast<std::int64_t>(axes.size())});
}

inline Node arg_node(const char* name = "ArgMax", int version = 13) {
  return Node{.name = name, .version = version};
}

}  // namespace tenfold::testing
