// An operator call as the command line spells it: operator, dialect, axes and attributes, turned
// into a ReduceSpec by the rules of the dialect's version.
// Called by `tenfold reduce` and `tenfold explain`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::cli {

// The texts of the options.
struct CallOptions {
  std::string op, axes, keepdims, noop, select_last, dtype;
  std::string dialect = "onnx:28";
  CLI::Option* axes_given = nullptr;
};

// The options checked one by one; what needs the data is checked by resolve_call.
struct Call {
  const OperatorRow* row = nullptr;
  std::optional<std::vector<std::int64_t>> axes;
  std::optional<std::int64_t> keepdims, noop, select_last;
  std::optional<DType> dtype;
};

void add_call_options(CLI::App& sub, CallOptions& options);
Call parse_call(const CallOptions& options);
// Puts the axes where the operator's version wants them, attribute or input, and resolves.
ReduceSpec resolve_call(const Call& call, const TensorView& data);

}  // namespace tenfold::cli
