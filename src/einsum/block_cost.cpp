// What a block plan takes: the tiles' arithmetic, the packing, the output, each measured by itself
// on a machine with AVX-512 and added up, since they hardly overlap.
#include <algorithm>
#include <cmath>

#include "einsum/block_plan.hpp"
#include "einsum/cost.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::BlockType;
using kernels::PackWay;

constexpr double kTileNs = 12;          // beginning and ending a tile
constexpr double kVectorNs = 1.2;       // packing a vector, transposed or not
constexpr double kGatheredNs = 0.4;     // packing an element
constexpr double kPartOfTileNs = 12;    // more for a transpose that is not a whole square
constexpr double kTableNs = 0.5;        // a row or lane in the tables
constexpr double kNearBytesPerNs = 35;  // an operand in the L3 cache
constexpr double kNearOutputBytesPerNs = 90;
constexpr double kScatteredNs = 0.8;  // storing an element by itself
constexpr double kFixedNs = 80, kBatchNs = 40;

// Vectors that are multiplied and added in a nanosecond.
double steps_per_ns(BlockType type) {
  switch (type) {
    case BlockType::kF32:
    case BlockType::kF64:
    case BlockType::kBF16:
      return 8;
    case BlockType::kI32:
      return 6;
    case BlockType::kI64:
      return 5.5;
    case BlockType::kPairs:
      return 4;
  }
  return 1;
}

double ceil_div(double a, double b) { return std::ceil(a / b); }

// So many bytes from or to where they are, beyond the L2 cache.
double memory_ns(double bytes, double near = kNearBytesPerNs) {
  constexpr double kFarBytes = 32 << 20;
  return bytes <= static_cast<double>(kCacheBytes)
             ? 0
             : bytes / (bytes > kFarBytes ? kMemoryBytesPerNs : near);
}

double multiply_ns(const BlockPlan& plan, double k) {
  constexpr double kChains = 5;  // fewer sums at a time wait for each other
  const auto vectors = static_cast<double>(plan.vectors), m = static_cast<double>(plan.rows.extent);
  const auto panel = static_cast<double>(plan.kernel->rows);
  const double steps = kernels::is_pairs(plan.type) ? std::ceil(k / 2) : k;
  const double wait = std::max(1.0, kChains / (std::min(m, panel) * std::min(vectors, 2.0)));
  const double tiles =
      ceil_div(m, panel) * ceil_div(vectors, 2) * ceil_div(k, static_cast<double>(plan.kc));
  return m * vectors * steps / steps_per_ns(plan.type) * wait + tiles * kTileNs;
}

// `width`: slots that are packed at a time.
double pack_ns(const BlockPlan& plan, const BlockSide& side, double slots, double width, double k) {
  const auto lanes = static_cast<double>(plan.lanes());
  const double groups = ceil_div(slots, width) * ceil_div(width, lanes);
  switch (side.way) {
    case PackWay::kGather:
      return slots * k * kGatheredNs;
    case PackWay::kAlongK: {
      const auto run = static_cast<double>(side.k_run);
      const double parts = std::fmod(run, lanes) != 0 ? std::max(k / run, 1.0) : 0;
      return groups * (k * kVectorNs + parts * kPartOfTileNs);
    }
    default:
      return groups * k * kVectorNs;
  }
}

double output_ns(const BlockPlan& plan, double k) {
  const auto vectors = static_cast<double>(plan.vectors), m = static_cast<double>(plan.rows.extent);
  const auto lanes = static_cast<double>(plan.lanes());
  double ns = m * vectors * ceil_div(k, static_cast<double>(plan.kc)) / kVectorOpsPerNs;
  if (!plan.collected) return ns;
  const double elements = m * static_cast<double>(plan.columns.extent);
  return ns + elements * (plan.c_run >= plan.lanes() ? 2 / lanes : kScatteredNs);
}

}  // namespace

double block_cost_ns(const BlockPlan& plan) {
  const auto k = static_cast<double>(plan.k_extent), m = static_cast<double>(plan.rows.extent);
  const auto lanes = static_cast<double>(plan.lanes());
  const double slots = static_cast<double>(plan.vectors) * lanes;
  const auto batches = static_cast<double>(plan.batches);
  // Rows are packed anew for each block of columns, unless they fit whole.
  const double again = plan.mc >= plan.rows.extent ? 1
                                                   : ceil_div(static_cast<double>(plan.vectors),
                                                              static_cast<double>(plan.nc));
  const auto bytes = [](double elements, DType dtype) {
    return elements * static_cast<double>(size_of(dtype));
  };
  const auto n = static_cast<double>(plan.columns.extent);
  const double rows =
      again * batches * pack_ns(plan, plan.rows, m, static_cast<double>(plan.kernel->rows), k);
  const double columns = batches * pack_ns(plan, plan.columns, slots, lanes, k);
  return kFixedNs + kTableNs * (2 * m + 2 * slots) +
         batches * (kBatchNs + multiply_ns(plan, k) + output_ns(plan, k)) +
         std::max(rows, memory_ns(bytes(batches * m * k, plan.rows.dtype))) +
         std::max(columns, memory_ns(bytes(batches * n * k, plan.columns.dtype))) +
         memory_ns(bytes(batches * m * n, plan.c_type), kNearOutputBytesPerNs);
}

}  // namespace tenfold::einsum_detail
