// What a planner and its reader ask about copies and products: what they cost, how they are done.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "einsum/cost.hpp"
#include "einsum/elementwise.hpp"

namespace tenfold::einsum_detail {

namespace {

// Of c's axes the two that step least.
struct NearAxes {
  const PairAxis *fastest = nullptr, *next = nullptr;
};
NearAxes near_axes(const Pair& pair) {
  NearAxes near;
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    for (const PairAxis& axis : *axes) {
      if (near.fastest == nullptr || std::abs(axis.c) <= std::abs(near.fastest->c)) {
        near.next = near.fastest;
        near.fastest = &axis;
      } else if (near.next == nullptr || std::abs(axis.c) <= std::abs(near.next->c)) {
        near.next = &axis;
      }
    }
  return near;
}

// To bring an operand's elements along the run, so many of them in all. `one`: both axes are it.
double bring_ns(const Pair& pair, const NearAxes& near, bool one, double elements,
                std::int64_t PairAxis::*stride) {
  // A piece of a run; an element that stands for one, and for so few that they are interleaved.
  constexpr double kPieceNs = 0.5, kSpreadNs = 0.6, kFewNs = 0.1;
  const std::int64_t step = near.fastest->*stride, size = near.fastest->size;
  const double pieces = elements / static_cast<double>(size);
  if (one && (step == 1 || step == 0)) {
    const std::int64_t next = near.next->*stride;
    if (next == step * size) return 0;
    // The same piece again and again is brought once for a tile.
    const bool again = next == 0 && distinct_bytes(pair, stride, DType::kI8) <= double(size);
    if (step == 1) return again ? 0 : pieces * kPieceNs;
    return pieces * (size <= 4 && next == 1 ? kFewNs : kSpreadNs);
  }
  if (step == 0 || step == 1) return 0;
  // A square of 16 x 16 takes 64 shuffles if there is an axis to transpose with; a gathered element
  // some scalar steps.
  const auto unit = [&](const PairAxis& axis) { return std::abs(axis.*stride) == 1; };
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    if (std::any_of(axes->begin(), axes->end(), unit)) return elements / 4 / kVectorOpsPerNs;
  return elements / kScalarOpsPerNs;
}

}  // namespace

double elementwise_cost(const Pair& pair) {
  const double elements = pair_terms(pair);
  double ns = kCallNs + level_ns(distinct_bytes(pair));
  ns += elements / lanes_of(acc_type(pair.c_type)) / kVectorOpsPerNs;
  const NearAxes near = near_axes(pair);
  if (near.fastest == nullptr) return ns;
  // Rows, and tiles of them; a short run goes on along the next axis.
  constexpr double kRowNs = 1.25, kTileNs = 22, kTileElements = 8192;
  constexpr std::int64_t kShortRunBytes = 64;
  const std::int64_t size = near.fastest->size;
  const bool one = near.next != nullptr && std::abs(near.fastest->c) == 1 &&
                   std::abs(near.next->c) == size &&
                   size * static_cast<std::int64_t>(size_of(pair.c_type)) < kShortRunBytes;
  const double next = near.next == nullptr ? 1 : static_cast<double>(near.next->size);
  const double run = static_cast<double>(size) * (one ? next : 1), rows = one ? 1 : next;
  const double in_tile = run * std::min(rows, std::max(4.0, kTileElements / run));
  ns += elements / run * kRowNs + std::max(elements / in_tile - 1, 0.0) * kTileNs;
  ns += bring_ns(pair, near, one, elements, &PairAxis::a);
  if (pair.has_b) ns += bring_ns(pair, near, one, elements, &PairAxis::b);
  if (std::abs(near.fastest->c) != 1) ns += elements / kScalarOpsPerNs;
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
