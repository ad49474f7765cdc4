#include "einsum/elementwise_axes.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenfold::einsum_detail {

namespace {

bool follows(const ElementAxis& outer, const ElementAxis& inner) {
  for (std::size_t s = 0; s < 3; ++s)
    if (outer.step[s] != inner.step[s] * inner.size) return false;
  return true;
}

void merge_neighbours(ElementAxes& axes) {
  std::size_t kept = 0;
  for (const ElementAxis& axis : axes) {
    if (kept > 0 && follows(axes[kept - 1], axis))
      axes[kept - 1] = {axes[kept - 1].size * axis.size, axis.step};
    else
      axes[kept++] = axis;
  }
  axes.resize(kept);
}

}  // namespace

void flip(ElementAxis& axis, Steps& origin) {
  for (std::size_t s = 0; s < 3; ++s) {
    origin[s] += (axis.size - 1) * axis.step[s];
    axis.step[s] = -axis.step[s];
  }
}

ElementAxes element_axes(const Pair& pair, const Steps& bytes, Steps& origin) {
  ElementAxes result;
  for (const PairAxes* axes : {&pair.batch, &pair.m, &pair.n})
    for (const PairAxis& x : *axes) {
      if (x.size == 1) continue;
      const std::int64_t b = pair.has_b ? x.b * bytes[kB] : 0;
      ElementAxis axis{x.size, {x.a * bytes[kA], b, x.c * bytes[kC]}};
      if (axis.step[kC] < 0) flip(axis, origin);
      result.push_back(axis);
    }
  std::stable_sort(result.begin(), result.end(), [](const ElementAxis& x, const ElementAxis& y) {
    const auto key = [](const ElementAxis& axis) {
      return std::array{axis.step[kC], std::abs(axis.step[kA]), std::abs(axis.step[kB])};
    };
    return key(x) > key(y);
  });
  merge_neighbours(result);
  return result;
}

bool is_dense(const ElementAxes& axes, Side side, std::int64_t bytes) {
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (axis->step[side] != bytes) return false;
    bytes *= axis->size;
  }
  return true;
}

std::int64_t extent(const ElementAxes& axes) {
  std::int64_t product = 1;
  for (const ElementAxis& axis : axes) product *= axis.size;
  return product;
}

FlatAxis flatten(const ElementAxes& axes) {
  FlatAxis flat;
  if (axes.empty()) return flat;
  flat.size = extent(axes);
  flat.fastest = axes.back().size;
  if (axes.size() > 1) flat.second = axes[axes.size() - 2].size;
  flat.inner = flat.size / axes.front().size;
  flat.outer = axes.front().step;
  flat.unit = axes.back().step;
  flat.single = axes.size() == 1;
  return flat;
}

void make_offsets(FlatAxis& flat, const ElementAxes& axes, Side side, std::int64_t each,
                  std::int64_t more) {
  const std::int64_t end = flat.inner + flat.block + more;
  auto& offsets = flat.offsets[side];
  offsets.resize(static_cast<std::size_t>((end + each - 1) / each));
  // An odometer: the digits of element i, the last axis fastest and the first without end.
  std::vector<std::int64_t> digits(axes.size());
  std::int64_t at = 0;
  const std::size_t last = axes.size() - 1;
  for (std::int64_t& offset : offsets) {
    offset = at;
    digits[last] += each;
    at += each * axes[last].step[side];
    for (std::size_t x = last; x > 0 && digits[x] == axes[x].size; --x) {
      at += axes[x - 1].step[side] - axes[x].size * axes[x].step[side];
      digits[x] = 0;
      ++digits[x - 1];
    }
  }
}

}  // namespace tenfold::einsum_detail
