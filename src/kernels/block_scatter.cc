// Finished sums of a block contraction to elements of the output: one conversion, any places.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_scatter.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/block_kernels.hpp"
#include "kernels/block_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class A, class T>
void BlockScatter(const void* sums, int64_t count, void* c, const int64_t* offsets, int64_t run) {
  constexpr int64_t N = hn::MaxLanes(hn::ScalableTag<A>());
  const A* p = static_cast<const A*>(sums);
  T* out = static_cast<T*>(c);
  int64_t i = 0;
  if (run >= N) {
    while (i < count) {
      const int64_t end = std::min(count, i + run);
      T* to = out + offsets[i];
      for (; i + N <= end; i += N, to += N) BlockStoreSums<T>(p + i, to);
      for (; i < end; ++i) *to++ = BlockStoredAs<T>(p[i]);
    }
  } else {
    for (; i < count; ++i) out[offsets[i]] = BlockStoredAs<T>(p[i]);
  }
}

template <class A>
void BlockAddSums(void* sums, const void* more, int64_t count) {
  const hn::ScalableTag<A> d;
  constexpr int64_t N = hn::MaxLanes(d);
  A* p = static_cast<A*>(sums);
  const A* q = static_cast<const A*>(more);
  int64_t i = 0;
  for (; i + N <= count; i += N)
    hn::StoreU(hn::Add(hn::LoadU(d, p + i), hn::LoadU(d, q + i)), d, p + i);
  if (i < count) {
    const auto rest = static_cast<size_t>(count - i);
    StoreTail(hn::Add(LoadTail(d, p + i, rest), LoadTail(d, q + i, rest)), d, p + i, rest);
  }
}

ScatterFn FindBlockScatter(DType output) {
  switch (output) {
    case DType::kF64:
      return &BlockScatter<double, double>;
    case DType::kF32:
      return &BlockScatter<float, float>;
    case DType::kF16:
      return &BlockScatter<float, Float16>;
    case DType::kBF16:
      return &BlockScatter<float, BFloat16>;
    case DType::kBool:
      return &BlockScatter<float, Bool>;
    case DType::kI8:
    case DType::kU8:
      return &BlockScatter<int32_t, int8_t>;
    case DType::kI16:
    case DType::kU16:
      return &BlockScatter<int32_t, int16_t>;
    case DType::kI32:
      return &BlockScatter<int32_t, int32_t>;
    case DType::kI64:
      return &BlockScatter<int64_t, int64_t>;
    default:
      return nullptr;
  }
}

AddFn FindBlockAdd(DType acc) {
  switch (acc) {
    case DType::kF64:
      return &BlockAddSums<double>;
    case DType::kF32:
      return &BlockAddSums<float>;
    case DType::kI32:
      return &BlockAddSums<int32_t>;
    case DType::kI64:
      return &BlockAddSums<int64_t>;
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindBlockScatter);
HWY_EXPORT(FindBlockAdd);
ScatterFn find_block_scatter(DType output) {
  return HWY_DYNAMIC_DISPATCH(FindBlockScatter)(output);
}
AddFn find_block_add(DType acc) { return HWY_DYNAMIC_DISPATCH(FindBlockAdd)(acc); }
}  // namespace tenfold::kernels
#endif
