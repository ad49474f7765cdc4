#include "support/layout.hpp"

#include <cstring>

namespace tenfold::testing {
namespace {

void scatter(const TensorView& from, const TensorView& to, int axis, const char* src, char* dst) {
  const auto size = static_cast<std::int64_t>(size_of(from.dtype));
  if (axis == from.rank()) {
    std::memcpy(dst, src, static_cast<std::size_t>(size));
    return;
  }
  for (std::int64_t i = 0; i < from.shape[axis]; ++i)
    scatter(from, to, axis + 1, src + i * from.strides[axis] * size,
            dst + i * to.strides[axis] * size);
}

}  // namespace

LaidOut::LaidOut(const TensorView& source, const Layout& layout) {
  const int rank = source.rank();
  Dims order = layout.memory_order, strides;
  if (order.empty())
    for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
  strides.resize(rank);
  std::int64_t next = 1, first = layout.offset;
  for (int i = rank - 1; i >= 0; --i) {
    const int axis = static_cast<int>(order[i]);
    const std::int64_t extent = source.shape[axis];
    next += layout.gaps.empty() ? 0 : layout.gaps[axis];
    strides[axis] = next;
    if ((std::uint64_t{layout.backwards} >> axis & 1) != 0 && extent > 0) {
      first += next * (extent - 1);
      strides[axis] = -next;
    }
    next *= std::max<std::int64_t>(extent, 1);
  }
  memory_ = Tensor(source.dtype, Dims{layout.offset + next});
  // NaN for floats, -1 or the largest for integers, true for bool.
  std::memset(memory_.data(), 0xFF, static_cast<std::size_t>(memory_.bytes()));
  char* start =
      static_cast<char*>(memory_.data()) + first * static_cast<std::int64_t>(size_of(source.dtype));
  view_ = TensorView(start, source.dtype, source.shape, strides);
  scatter(source, view_, 0, static_cast<const char*>(source.data), start);
}

}  // namespace tenfold::testing
