#include "einsum/pair.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "einsum/gapless.hpp"
#include "einsum/parallel.hpp"

namespace tenfold::einsum_detail {

DType acc_type(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
    case DType::kC64:
    case DType::kC128:
      return dtype;
    case DType::kU64:
      return DType::kI64;
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
    case DType::kBool:
      return DType::kF32;
    default:
      return DType::kI32;
  }
}

std::int64_t extent(const PairAxes& axes) {
  std::int64_t product = 1;
  for (const PairAxis& axis : axes) product *= axis.size;
  return product;
}

double pair_terms(const Pair& pair) {
  return static_cast<double>(extent(pair.batch)) * static_cast<double>(extent(pair.m)) *
         static_cast<double>(extent(pair.n)) * static_cast<double>(extent(pair.k));
}

namespace {

bool merges(const PairAxis& outer, const PairAxis& inner) {
  return outer.a == inner.a * inner.size && outer.b == inner.b * inner.size &&
         outer.c == inner.c * inner.size;
}

// Outermost first: the larger stride in c, then in a, then in b.
bool is_outer(const PairAxis& x, const PairAxis& y) {
  const auto key = [](const PairAxis& axis) {
    return std::array{std::abs(axis.c), std::abs(axis.a), std::abs(axis.b)};
  };
  return key(x) > key(y);
}

void fold_axes(PairAxes& axes) {
  erase_if(axes, [](const PairAxis& axis) { return axis.size == 1; });
  // By insertion: they are few, and std::stable_sort would ask for memory.
  for (auto at = axes.begin(); at != axes.end(); ++at)
    std::rotate(std::upper_bound(axes.begin(), at, *at, is_outer), at, at + 1);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (kept > 0 && merges(axes[kept - 1], axes[i])) {
      const std::int64_t size = axes[kept - 1].size * axes[i].size;
      axes[kept - 1] = axes[i];
      axes[kept - 1].size = size;
    } else {
      axes[kept++] = axes[i];
    }
  }
  axes.resize(kept);
}

}  // namespace

void fold_pair(Pair& pair) {
  for (PairAxes* axes : {&pair.batch, &pair.m, &pair.n, &pair.k}) fold_axes(*axes);
}

Pair swapped(const Pair& pair) {
  Pair other = pair;
  std::swap(other.m, other.n);
  std::swap(other.a_type, other.b_type);
  for (PairAxes* axes : {&other.batch, &other.m, &other.n, &other.k})
    for (PairAxis& axis : *axes) std::swap(axis.a, axis.b);
  return other;
}

#define X(name) PairKind name##_kind();
#include "einsum/pair_kinds.inc"
#undef X

std::span<const PairKind> pair_kinds() {
  static const std::vector<PairKind> kinds{
#define X(name) name##_kind(),
#include "einsum/pair_kinds.inc"
#undef X
  };
  return kinds;
}

namespace {

const PairKind& cheapest(const Pair& pair) {
  const PairKind* best = nullptr;
  double least = 0;
  for (const PairKind& kind : pair_kinds()) {
    if (!kind.accepts(pair)) continue;
    const double cost = kind.cost(pair);
    if (best == nullptr || cost < least) {
      best = &kind;
      least = cost;
    }
  }
  return *best;
}

}  // namespace

Pair priced(const Pair& pair) {
  return pair.has_b && is_float(acc_type(pair.c_type)) ? Gapless(pair).pair() : pair;
}

// Kernels add in different orders, so the choice is part of what defines the bits of a sum.
const PairKind& choose_kind(Pair& pair) {
  if (!pair.has_b || !is_float(acc_type(pair.c_type))) return cheapest(pair);
  const Gapless gapless(pair);
  if (gapless.unchanged()) return cheapest(pair);
  const PairKind& kind = cheapest(gapless.pair());
  if (kind.accepts(pair)) return kind;
  // One that reads small operands in one piece, which gaps have made many pieces. It would have
  // added the terms of each sum one after another.
  pair.one_chain = true;
  return cheapest(pair);
}

}  // namespace tenfold::einsum_detail
