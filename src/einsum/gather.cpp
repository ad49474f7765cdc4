#include "einsum/gather.hpp"

#include <cstring>

namespace tenfold::einsum_detail {
namespace {

template <std::size_t kSize>
void scatter_run(const std::byte* from, std::byte* to, std::int64_t stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, from += kSize, to += stride)
    std::memcpy(to, from, kSize);
}

void scatter(std::size_t size, const std::byte* from, std::byte* to, std::int64_t stride,
             std::int64_t count) {
  if (size == 8) return scatter_run<8>(from, to, stride, count);
  if (size == 4) return scatter_run<4>(from, to, stride, count);
  if (size == 2) return scatter_run<2>(from, to, stride, count);
  scatter_run<1>(from, to, stride, count);
}

}  // namespace

Gather::Gather(const AxisList& rows, const AxisList& columns, std::int64_t PairAxis::*stride,
               DType type, DType dense_type)
    : size_(size_of(type)),
      dense_size_(size_of(dense_type)),
      to_dense_(find_convert(type, dense_type)),
      from_dense_(type == dense_type ? nullptr : find_convert(dense_type, type)) {
  // Neighbours that step as one are one axis here even if another operand keeps them apart.
  AxisList axes;
  for (const AxisList* list : {&rows, &columns})
    for (const PairAxis& axis : *list) {
      if (!axes.empty() && axes[axes.size() - 1].*stride == axis.*stride * axis.size) {
        axes[axes.size() - 1].size *= axis.size;
        axes[axes.size() - 1].*stride = axis.*stride;
      } else {
        axes.push(axis);
      }
    }
  const auto bytes = static_cast<std::int64_t>(size_);
  starts_.push_back(0);
  length_ = 1;
  stride_ = 1;
  for (int i = 0; i < axes.size(); ++i) {
    if (i + 1 == axes.size()) {
      length_ = axes[i].size;
      stride_ = axes[i].*stride;
      break;
    }
    const std::vector<std::int64_t> outer = std::move(starts_);
    starts_.clear();
    for (std::int64_t start : outer)
      for (std::int64_t j = 0; j < axes[i].size; ++j)
        starts_.push_back(start + j * axes[i].*stride * bytes);
  }
}

void Gather::load(const std::byte* from, std::byte* dense) const {
  for (std::int64_t start : starts_) {
    to_dense_(from + start, stride_, length_, dense);
    dense += static_cast<std::size_t>(length_) * dense_size_;
  }
}

void Gather::store(const std::byte* dense, std::byte* to, std::byte* typed) const {
  if (from_dense_ != nullptr) {
    from_dense_(dense, 1, count(), typed);
    dense = typed;
  }
  const std::int64_t step = stride_ * static_cast<std::int64_t>(size_);
  for (std::int64_t start : starts_) {
    scatter(size_, dense, to + start, step, length_);
    dense += static_cast<std::size_t>(length_) * size_;
  }
}

}  // namespace tenfold::einsum_detail
