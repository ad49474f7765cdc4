// Walks one or two strided operands beside a row-major output, in runs along the last axis and in
// pieces on several threads. Called by the glue operators that compute.
#pragma once

#include <algorithm>
#include <array>

#include "graph/glue.hpp"

namespace tenfold::graph {

inline constexpr std::int64_t kPiece = 1 << 16;  // elements: some tens of microseconds

// Drops axes of extent 1 and merges neighbours that every operand walks as one axis. At least one
// axis stays.
template <std::size_t N>
void merge_axes(Dims& shape, std::array<Dims, N>& strides) {
  Dims merged;
  std::array<Dims, N> steps;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    bool joins = !merged.empty();
    for (std::size_t k = 0; k < N && joins; ++k)
      joins = steps[k].back() == strides[k][axis] * shape[axis];
    if (joins) {
      merged[merged.size() - 1] *= shape[axis];
      for (std::size_t k = 0; k < N; ++k) steps[k][merged.size() - 1] = strides[k][axis];
    } else {
      merged.push_back(shape[axis]);
      for (std::size_t k = 0; k < N; ++k) steps[k].push_back(strides[k][axis]);
    }
  }
  if (merged.empty()) {
    merged.push_back(1);
    for (std::size_t k = 0; k < N; ++k) steps[k].push_back(1);
  }
  shape = merged;
  strides = steps;
}

// Calls f(index, offsets, count) for runs that cover [begin, end) of the output's elements.
template <std::size_t N, class F>
void walk_range(const Dims& shape, const std::array<Dims, N>& strides, std::int64_t begin,
                std::int64_t end, const F& f) {
  const int last = shape.size() - 1;
  Dims position;
  position.resize(shape.size());
  std::array<std::int64_t, N> offsets{};
  std::int64_t rest = begin;
  for (int axis = last; axis >= 0; --axis) {
    position[axis] = rest % shape[axis];
    rest /= shape[axis];
    for (std::size_t k = 0; k < N; ++k) offsets[k] += position[axis] * strides[k][axis];
  }
  while (begin < end) {
    const std::int64_t count = std::min(shape[last] - position[last], end - begin);
    f(begin, offsets, count);
    begin += count;
    for (std::size_t k = 0; k < N; ++k) offsets[k] += count * strides[k][last];
    position[last] += count;
    for (int axis = last; axis > 0 && position[axis] == shape[axis]; --axis) {
      for (std::size_t k = 0; k < N; ++k)
        offsets[k] += strides[k][axis - 1] - shape[axis] * strides[k][axis];
      position[axis] = 0;
      ++position[axis - 1];
    }
  }
}

// f(index, offsets, steps, count): `count` outputs from `index` on, read at offsets[k], +steps[k].
template <std::size_t N, class F>
void for_each_run(Dims shape, std::array<Dims, N> strides, const RunOptions& options, const F& f) {
  const std::int64_t total = element_count(shape);
  if (total == 0) return;
  merge_axes(shape, strides);
  std::array<std::int64_t, N> steps;
  for (std::size_t k = 0; k < N; ++k) steps[k] = strides[k].back();
  const auto piece = [&](std::int64_t i) {
    walk_range(shape, strides, i * kPiece, std::min(total, (i + 1) * kPiece),
               [&](std::int64_t index, const std::array<std::int64_t, N>& offsets,
                   std::int64_t count) { f(index, offsets, steps, count); });
  };
  const std::int64_t pieces = (total + kPiece - 1) / kPiece;
  if (pieces == 1 || options.threads == 1) {
    for (std::int64_t i = 0; i < pieces; ++i) piece(i);
    return;
  }
  Executor& executor = options.executor != nullptr ? *options.executor : default_executor();
  executor.run(pieces, options.threads > 0 ? options.threads : executor.concurrency(), piece);
}

// The tensor of f(x) for every element.
template <class In, class Out, class F>
Held map_elements(const TensorView& x, const RunOptions& options, F f) {
  Held out = Held::of(Tensor(dtype_of<Out>, x.shape));
  const In* const in = static_cast<const In*>(x.data);
  Out* const to = static_cast<Out*>(out.owner->data());
  for_each_run<1>(x.shape, {x.strides}, options,
                  [=](std::int64_t index, const auto& at, const auto& step, std::int64_t count) {
                    const In* p = in + at[0];
                    if (step[0] == 1) {
                      for (std::int64_t i = 0; i < count; ++i) to[index + i] = f(p[i]);
                    } else {
                      for (std::int64_t i = 0; i < count; ++i) to[index + i] = f(p[i * step[0]]);
                    }
                  });
  return out;
}

}  // namespace tenfold::graph
