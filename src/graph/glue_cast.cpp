#include "core/convert.hpp"
#include "graph/elementwise.hpp"
#include "graph/glue.hpp"

namespace tenfold::graph {

Held converted(const TensorView& x, DType dtype, const RunOptions& options) {
  Held out = Held::of(Tensor(dtype, x.shape));
  const auto* const from = static_cast<const std::byte*>(x.data);
  auto* const to = static_cast<std::byte*>(out.owner->data());
  const auto from_size = static_cast<std::int64_t>(size_of(x.dtype));
  const auto to_size = static_cast<std::int64_t>(size_of(dtype));
  const ConvertFn convert = find_convert(x.dtype, dtype);
  for_each_run<1>(x.shape, {x.strides}, options,
                  [=](std::int64_t index, const auto& at, const auto& step, std::int64_t count) {
                    convert(from + at[0] * from_size, step[0], count, to + index * to_size);
                  });
  return out;
}

Held run_cast(const GlueCall& call) {
  const bool onnx = call.row.dialect == Dialect::kOnnx;
  const DType to = *find_attribute<DType>(call.node, onnx ? "to" : "destination_type");
  if (!call.row.types.contains(to))
    call.fail(ErrorCode::kTypeNotAllowed, "type not allowed", "a type that this version casts to",
              std::string(numpy_name_of(to)));
  return to == call.view(0).dtype ? call.input(0) : converted(call.view(0), to, call.options);
}

Held run_cast_like(const GlueCall& call) {
  const DType to = call.view(1).dtype;
  if (!call.row.types.contains(to))
    call.fail(ErrorCode::kTypeNotAllowed, "type not allowed", "a type that this version casts to",
              std::string(numpy_name_of(to)));
  return to == call.view(0).dtype ? call.input(0) : converted(call.view(0), to, call.options);
}

}  // namespace tenfold::graph
