#include "einsum/gather.hpp"

#include <cstring>
#include <utility>

#include "core/convert.hpp"
#include "kernels/reduce_kernels.hpp"
#include "kernels/small_kernels.hpp"

namespace tenfold::einsum_detail {
namespace {

// `count` elements of `size` bytes, from and to so many bytes apart.
template <std::size_t kSize>
void copy_run(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step,
              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, from += from_step, to += to_step)
    std::memcpy(to, from, kSize);
}

// Calls body.operator()<size>().
template <class Body>
void with_size(std::size_t size, Body body) {
  if (size == 8) return body.template operator()<8>();
  if (size == 4) return body.template operator()<4>();
  if (size == 2) return body.template operator()<2>();
  body.template operator()<1>();
}

template <class From, class To>
void convert_dense(const void* from, std::int64_t count, void* to) {
  const From* p = static_cast<const From*>(from);
  To* q = static_cast<To*>(to);
  for (std::int64_t i = 0; i < count; ++i) q[i] = convert_element<To>(p[i]);
}

template <DType kHalf>
void narrow_dense(const void* from, std::int64_t count, void* to) {
  kernels::find_finish(kernels::Finish::kCopy, DType::kF32, kHalf)(from, count, to, {});
}

// 16-bit floats have vector instructions; the others are left to the compiler.
DenseConvertFn dense_convert(DType from, DType to) {
  if (from == to) return nullptr;
  if (to == DType::kF16) return &narrow_dense<DType::kF16>;
  if (to == DType::kBF16) return &narrow_dense<DType::kBF16>;
  if (const auto widen = kernels::find_widen(from)) return widen;
  return visit_real_dtype(from, [&]<class From>() -> DenseConvertFn {
    return visit_real_dtype(to,
                            []<class To>() -> DenseConvertFn { return &convert_dense<From, To>; });
  });
}

}  // namespace

Gather::Gather(const AxisList& rows, const AxisList& columns, std::int64_t PairAxis::*stride,
               DType type, DType dense_type)
    : size_(size_of(type)),
      to_dense_(dense_convert(type, dense_type)),
      from_dense_(dense_convert(dense_type, type)) {
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

void Gather::load(const std::byte* from, std::int64_t step, std::int64_t matrices, std::byte* dense,
                  std::byte* typed) const {
  std::byte* to = to_dense_ == nullptr ? dense : typed;
  with_size(size_, [&]<std::size_t kSize> {
    constexpr auto kStep = static_cast<std::int64_t>(kSize);
    for (std::int64_t i = 0; i < matrices; ++i, from += step)
      for (std::int64_t start : starts_) {
        copy_run<kSize>(from + start, stride_ * kStep, to, kStep, length_);
        to += length_ * kStep;
      }
  });
  if (to_dense_ != nullptr) to_dense_(typed, matrices * count(), dense);
}

void Gather::store(const std::byte* dense, std::byte* to, std::int64_t step, std::int64_t matrices,
                   std::byte* typed) const {
  if (from_dense_ != nullptr) {
    from_dense_(dense, matrices * count(), typed);
    dense = typed;
  }
  with_size(size_, [&]<std::size_t kSize> {
    constexpr auto kStep = static_cast<std::int64_t>(kSize);
    for (std::int64_t i = 0; i < matrices; ++i, to += step)
      for (std::int64_t start : starts_) {
        copy_run<kSize>(dense, kStep, to + start, stride_ * kStep, length_);
        dense += length_ * kStep;
      }
  });
}

}  // namespace tenfold::einsum_detail
