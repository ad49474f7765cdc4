#include "support/layout.hpp"

#include <algorithm>
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

// Where the elements of a shape lie: the first one, their strides, and one past the last.
struct Place {
  Dims strides;
  std::int64_t first, end;
};

Place place_of(const Dims& shape, const Layout& layout) {
  const int rank = shape.size();
  Dims order = layout.memory_order;
  if (order.empty())
    for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
  Place place;
  place.strides.resize(rank);
  place.first = layout.offset;
  std::int64_t next = 1;
  for (int i = rank - 1; i >= 0; --i) {
    const int axis = static_cast<int>(order[i]);
    const std::int64_t extent = shape[axis];
    next += layout.gaps.empty() ? 0 : layout.gaps[axis];
    place.strides[axis] = next;
    if ((std::uint64_t{layout.backwards} >> axis & 1) != 0 && extent > 0) {
      place.first += next * (extent - 1);
      place.strides[axis] = -next;
    }
    next *= std::max<std::int64_t>(extent, 1);
  }
  place.end = layout.offset + next;
  return place;
}

// NaN for floats, -1 or the largest for integers, true for bool.
constexpr int kSpoiled = 0xFF;
constexpr std::int64_t kMargin = 64;  // elements on each side of an output: whole cache lines

char* element(Tensor& memory, std::int64_t index) {
  return static_cast<char*>(memory.data()) +
         index * static_cast<std::int64_t>(size_of(memory.dtype()));
}

Tensor spoiled(DType dtype, std::int64_t count) {
  Tensor memory(dtype, Dims{count});
  std::memset(memory.data(), kSpoiled, static_cast<std::size_t>(memory.bytes()));
  return memory;
}

}  // namespace

LaidOut::LaidOut(const TensorView& source, const Layout& layout) {
  const Place place = place_of(source.shape, layout);
  memory_ = spoiled(source.dtype, place.end);
  char* start = element(memory_, place.first);
  view_ = TensorView(start, source.dtype, source.shape, place.strides);
  scatter(source, view_, 0, static_cast<const char*>(source.data), start);
}

OutputSpace::OutputSpace(DType dtype, const Dims& shape, const Layout& layout) {
  const Place place = place_of(shape, layout);
  memory_ = spoiled(dtype, place.end + 2 * kMargin);
  view_ = MutableTensorView(element(memory_, kMargin + place.first), dtype, shape, place.strides);
}

bool OutputSpace::is_clean() const {
  // A copy of the memory in which the view's own elements are as they were.
  Tensor rest = Tensor::copy_of(memory_), before(view_.dtype, view_.shape);
  std::memset(before.data(), kSpoiled, static_cast<std::size_t>(before.bytes()));
  const std::ptrdiff_t start =
      static_cast<const char*>(view_.data) - static_cast<const char*>(memory_.data());
  scatter(before, view_, 0, static_cast<const char*>(before.data()),
          static_cast<char*>(rest.data()) + start);
  const auto* bytes = static_cast<const unsigned char*>(rest.data());
  return std::all_of(bytes, bytes + rest.bytes(), [](unsigned char b) { return b == kSpoiled; });
}

}  // namespace tenfold::testing
