#include "einsum/small_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "einsum/cost.hpp"
#include "einsum/gapless.hpp"
#include "kernels/small_kernels.hpp"

namespace tenfold::einsum_detail {
namespace {

constexpr PairAxis kNoAxis{1, 0, 0, 0};
// The blocks of registers of the widest target.
constexpr double kBlockRows = 12, kBlockVectors = 2;
// Vectors of multiply-adds and loads, measured: in place they reach the peak.
constexpr double kAddsPerNs = 7.5;
constexpr double kNearBytes = 40 << 10;  // what L1 holds beside the rest

bool is_known(DType dtype) {
  constexpr DTypeSet kKnown{DType::kF32, DType::kF16, DType::kBF16, DType::kBool,
                            DType::kF64, DType::kI8,  DType::kU8,   DType::kI16,
                            DType::kU16, DType::kI32, DType::kI64};
  return kKnown.contains(dtype);
}

// Vectors can run along this axis of n, or of the batch where `a` doesn't have it.
bool is_direct_column(const PairAxis& axis) { return axis.a == 0 && axis.b == 1 && axis.c == 1; }

bool has_direct_column(const PairAxes& axes, bool swap) {
  return std::any_of(axes.begin(), axes.end(), [swap](PairAxis axis) {
    if (swap) std::swap(axis.a, axis.b);
    return is_direct_column(axis);
  });
}

bool has_unit_output(const PairAxes& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const PairAxis& axis) { return axis.c == 1; });
}

// Vectors run along the rows of b and c: the operands change places if that gives unit strides.
bool should_swap(const Pair& pair) {
  if (has_direct_column(pair.n, false)) return false;
  if (has_direct_column(pair.m, true)) return true;
  if (has_direct_column(pair.batch, false)) return false;
  if (has_direct_column(pair.batch, true)) return true;
  if (pair.n.empty()) return false;  // columns of one element may have any stride
  return pair.m.empty() || has_unit_output(pair.m);
}

// Copies the axes, with a and b exchanged if `swap`, those that are summed in the order of every
// chain. False if there are too many axes.
bool copy_axes(const Pair& pair, bool swap, SmallPlan& plan) {
  const auto copy = [swap](const PairAxes& from, AxisList& to) {
    for (PairAxis axis : from) {
      if (swap) std::swap(axis.a, axis.b);
      if (!to.push(axis)) return false;
    }
    return true;
  };
  if (!longest_sum_last(pair, plan.k)) return false;
  for (int i = 0; swap && i < plan.k.size(); ++i) std::swap(plan.k[i].a, plan.k[i].b);
  return copy(swap ? pair.n : pair.m, plan.m) && copy(swap ? pair.m : pair.n, plan.n) &&
         copy(pair.batch, plan.batch);
}

// The largest axis that passes, of two lists, the innermost of equal ones; nullptr if none does.
template <class Test>
const PairAxis* largest(const AxisList& own, const AxisList& batch, Test test) {
  const PairAxis* best = nullptr;
  for (const AxisList* axes : {&batch, &own})
    for (const PairAxis& axis : *axes)
      if (test(axis) && (best == nullptr || axis.size >= best->size)) best = &axis;
  return best;
}

// Lanes can be rows of a: many of them, dense along k, for few columns.
bool is_tall(const PairAxis& row, const PairAxis& term, std::int64_t columns, DType acc) {
  constexpr std::int64_t kManyRows = 32, kTerms = 8;
  return row.size >= kManyRows && term.size >= kTerms && term.a == 1 &&
         columns * static_cast<std::int64_t>(size_of(acc)) <= kernels::kMostTallBytes;
}

// An axis of n along which c is dense, while b is along k. Long sums are left to other kernels,
// which begin them anew.
const PairAxis* turned_column(const SmallPlan& plan) {
  constexpr std::int64_t kFew = 4, kLongSum = 512, kTiny = 64;
  if (plan.k.size() != 1 || plan.k[0].b != 1) return nullptr;
  if (plan.k[0].size < kFew || plan.k[0].size > kLongSum) return nullptr;
  const std::int64_t elements = plan.k[0].size * plan.n.extent();
  // Tiny matrices are better gathered, and few columns for many rows.
  const bool tall = plan.n.size() == 1 && plan.m.size() == 1 &&
                    is_tall(plan.m[0], plan.k[0], plan.n[0].size, plan.acc);
  if (elements <= (tall ? kMostGathered : kTiny)) return nullptr;
  return largest(plan.n, {}, [](const PairAxis& axis) {
    return axis.a == 0 && axis.c == 1 && axis.size >= kFew;
  });
}

// The axis of a that rows run along: where a is not dense along k, one along which it is.
const PairAxis* row_axis(const SmallPlan& plan, const PairAxis* column) {
  constexpr std::int64_t kEnough = 12;  // rows that fill a block
  const auto is_row = [&](const PairAxis& axis) { return axis.b == 0 && &axis != column; };
  if (!plan.k.empty() && plan.k[plan.k.size() - 1].a != 1) {
    const PairAxis* const dense = largest(plan.m, plan.batch, [&](const PairAxis& axis) {
      return is_row(axis) && axis.a == 1 && axis.size >= kEnough;
    });
    if (dense != nullptr) return dense;
  }
  return largest(plan.m, plan.batch, is_row);
}

// One axis of each list for the product, the others around it. A batch axis that an operand does
// not have may be a row or column of the other one.
bool plan_direct(SmallPlan& plan) {
  const PairAxis* column = largest(plan.n, plan.batch, is_direct_column);
  if (column == nullptr) {
    column = turned_column(plan);
    plan.turns = column != nullptr;
  }
  if (column == nullptr && !plan.n.empty()) return false;
  const PairAxis* const row = row_axis(plan, column);
  plan.row = row == nullptr ? kNoAxis : *row;
  plan.column = column == nullptr ? kNoAxis : *column;
  plan.term = plan.k.empty() ? kNoAxis : plan.k[plan.k.size() - 1];
  for (const AxisList* axes : {&plan.batch, &plan.m, &plan.n})
    for (const PairAxis& axis : *axes)
      if (&axis != row && &axis != column && !plan.outer.push(axis)) return false;
  plan.sums = plan.k;
  plan.sums.truncate(std::max(plan.k.size() - 1, 0));
  return true;
}

// Everything in one product. An operand that is not a plain matrix of its type is gathered.
bool plan_gathered(SmallPlan& plan) {
  const AxisList &m = plan.m, &n = plan.n, &k = plan.k;
  plan.gather_a |= m.size() > 1 || k.size() > 1;
  plan.gather_b |= n.size() > 1 || k.size() > 1 || (n.size() == 1 && n[0].b != 1);
  plan.gather_c |= m.size() > 1 || n.size() > 1 || (n.size() == 1 && n[0].c != 1);
  plan.outer = plan.batch;
  plan.sums.truncate(0);
  const double rows = static_cast<double>(m.extent()), columns = static_cast<double>(n.extent()),
               terms = static_cast<double>(k.extent());
  if ((plan.gather_a && rows * terms > kMostGathered) ||
      (plan.gather_b && terms * columns > kMostGathered) ||
      (plan.gather_c && rows * columns > kMostGathered))
    return false;
  plan.row = {m.extent(),
              plan.gather_a ? k.extent()
              : m.empty()   ? 0
                            : m[0].a,
              0,
              plan.gather_c ? n.extent()
              : m.empty()   ? 0
                            : m[0].c};
  plan.column = {n.extent(), 0, 1, 1};
  plan.term = {k.extent(),
               plan.gather_a ? 1
               : k.empty()   ? 0
                             : k[0].a,
               plan.gather_b ? n.extent()
               : k.empty()   ? 0
                             : k[0].b,
               0};
  return true;
}

// Axes of two or three elements each, as networks of many small tensors have them: the product in
// registers would be a small part of the whole, and the whole is small enough to gather.
bool is_better_gathered(const SmallPlan& plan) {
  const double whole = static_cast<double>(plan.m.extent()) * static_cast<double>(plan.n.extent()) *
                       static_cast<double>(plan.k.extent());
  const double part = static_cast<double>(plan.row.size * plan.column.size * plan.term.size);
  constexpr double kFewTerms = 128, kParts = 4;
  return part <= kFewTerms && whole >= kParts * part && whole <= kMostGathered;
}

// Positions of a gathered operand that differ: those along outer axes it doesn't have are gathered
// once.
double gatherings(const AxisList& outer, std::int64_t PairAxis::*stride) {
  double count = 1;
  for (const PairAxis& axis : outer)
    if (axis.*stride != 0) count *= static_cast<double>(axis.size);
  return count;
}

// Elements are moved one by one, in runs along one axis each, and then converted if need be.
double gather_ns(const AxisList& rows, const AxisList& columns, bool converts) {
  constexpr double kRunNs = 1, kMoveNs = 0.3, kConvertNs = 0.2;
  const double elements = static_cast<double>(rows.extent() * columns.extent());
  const double run = columns.empty() ? 1.0 : static_cast<double>(columns[columns.size() - 1].size);
  return elements * (kMoveNs + (converts ? kConvertNs : 0) + kRunNs / run);
}

// Bytes of an operand: of the elements at different addresses.
double operand_bytes(const SmallPlan& plan, std::int64_t PairAxis::*stride) {
  double elements = 1;
  for (const AxisList* axes : {&plan.outer, &plan.sums})
    for (const PairAxis& axis : *axes)
      if (axis.*stride != 0) elements *= static_cast<double>(axis.size);
  for (const PairAxis& axis : {plan.row, plan.column, plan.term})
    if (axis.*stride != 0) elements *= static_cast<double>(axis.size);
  return elements * static_cast<double>(size_of(plan.acc));
}

// Elements of a that are neighbours neither along the rows nor along k: each is a line by itself,
// and these don't stay in L1 until the next product takes their neighbours.
double scattered_ns(const SmallPlan& plan) {
  constexpr double kLineBytes = 64, kElementNs = 0.3;
  const double elements = static_cast<double>(plan.row.size) * static_cast<double>(plan.term.size);
  const bool dense = plan.gather_a || plan.row.size == 1 || plan.term.size == 1 ||
                     std::abs(plan.row.a) == 1 || std::abs(plan.term.a) == 1;
  if (dense || elements * kLineBytes <= kNearBytes) return 0;
  return static_cast<double>(plan.outer.extent()) * static_cast<double>(plan.sums.extent()) *
         elements * kElementNs;
}

// What is read from beyond L1 and not overlapped by arithmetic: each operand once, and again where
// it does not stay in L2.
double memory_ns(const SmallPlan& plan) {
  const double a = operand_bytes(plan, &PairAxis::a), b = operand_bytes(plan, &PairAxis::b),
               c = operand_bytes(plan, &PairAxis::c);
  constexpr double kHiddenBytesPerNs = 500;
  double ns = level_ns(a + b + c);
  // What tall products read is asked for long before.
  constexpr double kFarBytes = 32 << 20, kSeen = 0.3;
  if (is_tall(plan) && a > kFarBytes) ns *= kSeen;
  const double outer = static_cast<double>(plan.outer.extent());
  const double element = static_cast<double>(size_of(plan.acc));
  const double matrix_a = static_cast<double>(plan.row.size * plan.term.size) * element;
  const double matrix_b = static_cast<double>(plan.term.size * plan.column.size) * element;
  if (packs_columns(plan)) {
    constexpr double kPackBytesPerNs = 30, kTurnBytesPerNs = 90;
    constexpr double kTurnNs = 20;
    ns += plan.turns ? outer * (kTurnNs + matrix_b / kTurnBytesPerNs)
                     : outer * matrix_b / kPackBytesPerNs;
  } else if (thrashes(plan)) {
    const double row_blocks = std::ceil(static_cast<double>(plan.row.size) / kBlockRows);
    ns += outer * (row_blocks - 1) * matrix_b / kCacheBytesPerNs;
  } else if (matrix_b > kNearBytes) {
    const double row_blocks = std::ceil(static_cast<double>(plan.row.size) / kBlockRows);
    ns += outer * (row_blocks - 1) * matrix_b / kHiddenBytesPerNs;
  }
  // The rows of a pass once for each part of b that L2 holds; most of it under the arithmetic.
  constexpr double kL3Bytes = 8 << 20, kBeyondBytesPerNs = 60;
  const double term_bytes =
      std::min(static_cast<double>(plan.term.size) * element, static_cast<double>(kPackedRowBytes));
  const double sweeps = std::ceil(static_cast<double>(plan.column.size) * term_bytes /
                                  static_cast<double>(kSmallL2)) -
                        1;
  const double rate = matrix_a > kL3Bytes ? kBeyondBytesPerNs : kCacheBytesPerNs;
  return ns + sweeps * outer * matrix_a / rate;
}

}  // namespace

bool plan_small(const Pair& pair, SmallPlan& plan) {
  if (!pair.has_b) return false;
  if (!is_known(pair.a_type) || !is_known(pair.b_type) || !is_known(pair.c_type)) return false;
  plan.acc = acc_type(pair.c_type);
  plan.swapped = should_swap(pair);
  if (!copy_axes(pair, plan.swapped, plan)) return false;
  plan.a_type = plan.swapped ? pair.b_type : pair.a_type;
  plan.b_type = plan.swapped ? pair.a_type : pair.b_type;
  plan.c_type = pair.c_type;
  plan.gather_a = plan.a_type != plan.acc;
  plan.gather_b = plan.b_type != plan.acc;
  plan.gather_c = plan.c_type != plan.acc;
  if (!plan.gathers() && plan_direct(plan) && !is_better_gathered(plan)) return true;
  return plan_gathered(plan);
}

bool thrashes(const SmallPlan& plan) {
  constexpr std::int64_t kLine = 64, kSets = 1024, kWays = 16;
  const std::int64_t stride = std::abs(plan.term.b) * static_cast<std::int64_t>(size_of(plan.acc));
  if (stride % kLine != 0) return false;
  return 2 * plan.term.size > kWays * kSets / std::gcd(stride / kLine, kSets);
}

bool is_tall(const SmallPlan& plan) {
  return !plan.turns && is_tall(plan.row, plan.term, plan.column.size, plan.acc);
}

bool packs_columns(const SmallPlan& plan) {
  if (plan.turns) return true;
  if (is_tall(plan)) return false;
  constexpr std::int64_t kRowsToPay = 96;
  const auto size = static_cast<std::int64_t>(size_of(plan.acc));
  const auto panel = static_cast<std::int64_t>(kBlockVectors * lanes_of(plan.acc));
  return plan.row.size >= kRowsToPay && plan.column.size >= panel && plan.sums.empty() &&
         !plan.gathers() && (thrashes(plan) || plan.term.size * size > kPackedRowBytes);
}

bool is_squares(const SmallPlan& plan) {
  const std::int64_t side = 16 / static_cast<std::int64_t>(size_of(plan.acc));
  return plan.column.size == side && plan.term.size == side && plan.row.size >= 2 &&
         plan.term.a == 1 && plan.row.a == side && plan.row.c == side;
}

double product_ns(const SmallPlan& plan, std::int64_t rows, std::int64_t columns) {
  const double lanes = lanes_of(plan.acc), terms = static_cast<double>(plan.term.size);
  if (is_tall(plan)) {
    constexpr double kTurnedNs = 0.6, kStoredNs = 0.3;  // a vector; a row of c
    const double vectors = std::ceil(static_cast<double>(rows) / lanes);
    return vectors * terms * (kTurnedNs + static_cast<double>(columns) / kAddsPerNs) +
           static_cast<double>(rows) * kStoredNs;
  }
  // Squares have several rows in a vector.
  const double m = is_squares(plan) ? std::ceil(static_cast<double>(rows * columns) / lanes)
                                    : static_cast<double>(rows);
  const double vectors = std::ceil(static_cast<double>(columns) / lanes);
  const double row_blocks = std::ceil(m / kBlockRows);
  const double column_blocks = std::ceil(vectors / kBlockVectors);
  // Each vector of a block's row takes a multiply-add, each row and each vector of b a load.
  const double adds = terms * m * vectors;
  const double loads = terms * (m * column_blocks + vectors * row_blocks);
  // Fewer chains than the units have stages wait for each other, unless the next product's chains
  // start meanwhile.
  constexpr double kChains = 4.5, kShort = 32, kBlockNs = 0.5, kPanelNs = 7, kStoresPerNs = 8;
  const double chains = std::min(m, kBlockRows) * std::min(vectors, kBlockVectors);
  const double wait = terms > kShort ? std::max(1.0, kChains / chains) : 1.0;
  return std::max(adds * wait, loads) / kAddsPerNs + m * vectors / kStoresPerNs +
         row_blocks * column_blocks * kBlockNs + (column_blocks - 1) * kPanelNs;
}

double small_cost(const SmallPlan& plan) {
  const double products =
      static_cast<double>(plan.outer.extent()) * static_cast<double>(plan.sums.extent());
  double ns = kCallNs + products * product_ns(plan, plan.row.size, plan.column.size);
  if (plan.gather_a)
    ns += gatherings(plan.outer, &PairAxis::a) * gather_ns(plan.m, plan.k, plan.a_type != plan.acc);
  if (plan.gather_b)
    ns += gatherings(plan.outer, &PairAxis::b) * gather_ns(plan.k, plan.n, plan.b_type != plan.acc);
  if (plan.gather_c) ns += products * gather_ns(plan.m, plan.n, plan.c_type != plan.acc);
  return ns + scattered_ns(plan) + memory_ns(plan);
}

}  // namespace tenfold::einsum_detail
