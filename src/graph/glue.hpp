// Glue: the operators around reductions in real models. A glue operator is one row of the table
// (glue_table.cpp) and one function (glue_shape.cpp, glue_cast.cpp, glue_math.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/operation.hpp"

namespace tenfold::graph {

struct GlueRow;

// What a glue function sees: the node, its row, and the inputs, whose number and whose types of the
// first were checked.
struct GlueCall {
  const Node& node;
  const GlueRow& row;
  HeldInputs inputs;
  const RunOptions& options;

  const Held& input(int i) const { return *inputs[static_cast<std::size_t>(i)]; }
  const TensorView& view(int i) const { return input(i).view; }
  bool has(int i) const {
    return static_cast<std::size_t>(i) < inputs.size() &&
           inputs[static_cast<std::size_t>(i)] != nullptr;
  }
  [[noreturn]] void fail(ErrorCode code, std::string what, std::string expected = {},
                         std::string got = {}) const;
};

struct AttributeRule {
  std::string_view name;
  AttributeKind kind;
  bool required = false;
};

struct GlueRow {
  Dialect dialect;
  std::string_view name;
  int since_version;  // ONNX: opset; OpenVINO: opset that brought this version of the operator
  int min_inputs, max_inputs;
  DTypeSet types;  // of the first input
  std::span<const AttributeRule> attributes;
  Held (*run)(const GlueCall&);
};

std::span<const GlueRow> glue_rows();
std::string label_of(const GlueRow& row);  // "Reshape-14"

// The functions of the rows.
Held run_identity(const GlueCall& call);
Held run_constant(const GlueCall& call);
Held run_reshape(const GlueCall& call);
Held run_transpose(const GlueCall& call);
Held run_squeeze(const GlueCall& call);
Held run_unsqueeze(const GlueCall& call);
Held run_flatten(const GlueCall& call);
Held run_cast(const GlueCall& call);
Held run_cast_like(const GlueCall& call);
Held run_abs(const GlueCall& call);
Held run_exp(const GlueCall& call);
Held run_log(const GlueCall& call);
Held run_sqrt(const GlueCall& call);
Held run_mul(const GlueCall& call);

// A row-major copy converted to `dtype`: float to integer truncates and saturates, NaN gives 0,
// integer to integer wraps, anything but zero is true.
Held converted(const TensorView& x, DType dtype, const RunOptions& options);

}  // namespace tenfold::graph
