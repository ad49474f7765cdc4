#include "core/fold.hpp"

#include <cstdlib>

namespace tenfold {
namespace {

// Broadcast axes (stride 0) go outermost: they are never worth being the contiguous one.
bool outside(const Loop& a, const Loop& b) {
  const std::int64_t sa = std::abs(a.in), sb = std::abs(b.in);
  return sa == 0 ? sb != 0 : sb != 0 && sa > sb;
}

bool steps_as_one(const Loop& outer, const Loop& inner) {
  return outer.reduced == inner.reduced && outer.in == inner.in * inner.size &&
         outer.out == inner.out * inner.size;
}

}  // namespace

Folded fold(const Dims& shape, const Dims& in_strides, const Dims& out_strides,
            std::uint64_t reduced, bool flip_reduced) {
  Folded f;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    Loop loop{shape[axis], in_strides[axis], out_strides[axis], (reduced >> axis & 1) != 0};
    if (loop.in < 0 && (!loop.reduced || flip_reduced)) {
      f.in_offset += (loop.size - 1) * loop.in;
      f.out_offset += (loop.size - 1) * loop.out;
      loop.in = -loop.in;
      loop.out = -loop.out;
    }
    int at = f.loops.size();  // insertion sort: few axes, and equal strides keep their order
    while (at > 0 && outside(loop, f.loops[at - 1])) --at;
    f.loops.insert(at, loop);
  }
  for (int i = f.loops.size() - 2; i >= 0; --i) {
    Loop& outer = f.loops[i];
    const Loop inner = f.loops[i + 1];
    if (!steps_as_one(outer, inner)) continue;
    outer = {outer.size * inner.size, inner.in, inner.out, inner.reduced};
    f.loops.erase(i + 1);
  }
  return f;
}

}  // namespace tenfold
