// What a planner and its reader ask about copies and products: what they cost, how they are done.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "einsum/cost.hpp"
#include "einsum/elementwise.hpp"

namespace tenfold::einsum_detail {

double elementwise_cost(const Pair& pair) {
  double elements = 1;
  std::array<double, 3> bytes{};  // at distinct addresses
  bytes[kA] = static_cast<double>(size_of(pair.a_type));
  bytes[kB] = pair.has_b ? static_cast<double>(size_of(pair.b_type)) : 0;
  bytes[kC] = static_cast<double>(size_of(pair.c_type));
  const PairAxis *fastest = nullptr, *next = nullptr;  // of c's axes
  bool a_unit = false, b_unit = false;                 // there is an axis to transpose with
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    for (const PairAxis& axis : *axes) {
      const auto size = static_cast<double>(axis.size);
      elements *= size;
      if (axis.a != 0) bytes[kA] *= size;
      if (axis.b != 0) bytes[kB] *= size;
      bytes[kC] *= size;
      if (fastest == nullptr || std::abs(axis.c) <= std::abs(fastest->c)) {
        next = fastest;
        fastest = &axis;
      } else if (next == nullptr || std::abs(axis.c) <= std::abs(next->c)) {
        next = &axis;
      }
      a_unit = a_unit || std::abs(axis.a) == 1;
      b_unit = b_unit || std::abs(axis.b) == 1;
    }
  double ns = kCallNs + level_ns(bytes[kA] + bytes[kB] + bytes[kC]);
  ns += elements / lanes_of(acc_type(pair.c_type)) / kVectorOpsPerNs;
  if (fastest == nullptr) return ns;
  // Rows, and tiles of them.
  constexpr double kRowNs = 1.25, kTileNs = 22, kTileElements = 8192;
  const auto run = static_cast<double>(fastest->size);
  const double rows = next == nullptr ? 1 : static_cast<double>(next->size);
  const double in_tile = run * std::min(rows, std::max(4.0, kTileElements / run));
  ns += elements / run * kRowNs + std::max(elements / in_tile - 1, 0.0) * kTileNs;
  const auto bring = [&](std::int64_t stride, bool unit) {
    if (stride == 0 || stride == 1) return 0.0;
    // A square of 16 x 16 takes 64 shuffles; a gathered element some scalar steps.
    return unit ? elements / 4 / kVectorOpsPerNs : elements / kScalarOpsPerNs;
  };
  ns += bring(fastest->a, a_unit);
  if (pair.has_b) ns += bring(fastest->b, b_unit);
  if (std::abs(fastest->c) != 1) ns += elements / kScalarOpsPerNs;
  return ns;
}

std::string ElementwisePlan::describe() const {
  static constexpr const char* kWords[] = {"in place",    "one element for each run",
                                           "in segments", "repeated",
                                           "backwards",   "interleaved",
                                           "interleaved", "transposed",
                                           "taken apart", "transposed by layers",
                                           "gathered"};
  std::string text = fmt::format("runs of {}", run_.size);
  if (run_.block < run_.size) text += fmt::format(" in windows of {}", run_.block);
  if (rows_.size > 1) text += fmt::format(", {} rows of them at a time", rows_.block);
  for (std::size_t side = 0; side < (has_b_ ? 2 : 1); ++side) {
    const ElementOperand& x = operands_[side];
    text += fmt::format("; {} {}", "ab"[side], kWords[static_cast<int>(x.bring)]);
    if (x.convert != nullptr) text += ", converted";
  }
  if (scatter_ != nullptr) text += "; output scattered";
  if (stream_) text += "; output streamed";
  return text;
}

}  // namespace tenfold::einsum_detail
