// LogSumExp: for each group of 4096 elements the maximum, then the sum of e^(x - maximum) while the
// group is in cache; (maximum, sum) states meet in the same tree as sums do.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logsumexp_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <cmath>

#include "kernels/kernel_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class T, class A>
struct LogSumExp {
  using State = LogSumExpState<A>;
  using MaxOp = ExtremeOp<T, A, false>;
  using SumOp = ExpSumOp<T, A>;
  // Rows or columns handled at once. Of columns so many even where they don't stay in the L2 cache
  // between the two looks at them: memory gives short pieces of rows far apart slowly (measured).
  static constexpr int64_t kPiece = 1024;
  static constexpr int64_t kCacheElements = 8192;  // of rows read twice

  static void RunInner(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                       const KernelArgs&) {
    const T* p = static_cast<const T*>(x);
    State* out = static_cast<State*>(states);
    int64_t block = std::clamp<int64_t>(kCacheElements / n, 1, kPiece);
    if (block > 16) block -= block % 16;
    for (int64_t r = 0; r < rows; r += block) {
      const int64_t m = std::min(block, rows - r);
      if (n <= kGroup)
        InnerGroup(p + r * row_stride, m, row_stride, n, out + r);
      else
        out[r] = LongRow(p + r * row_stride, n);  // block is 1
    }
  }

  static void RunOuter(const void* x, int64_t groups, int64_t group_stride, int64_t n,
                       int64_t row_stride, int64_t columns, void* states, std::byte* scratch,
                       const KernelArgs& args) {
    const T* p = static_cast<const T*>(x);
    State* out = static_cast<State*>(states);
    for (int64_t g = 0; g < groups; ++g, p += group_stride, out += columns)
      for (int64_t c = 0; c < columns; c += kPiece)
        OuterPiece(p + c, n, row_stride, std::min(kPiece, columns - c), out + c, scratch, args);
  }

  static void Merge(void* a, const void* b, int64_t count, const KernelArgs&) {
    const hn::ScalableTag<A> d;
    constexpr int64_t N = hn::MaxLanes(d);
    auto* pa = static_cast<A*>(a);
    const auto* pb = static_cast<const A*>(b);
    int64_t i = 0;
    for (; i + N <= count; i += N, pa += 2 * N, pb += 2 * N) MergeVector(pa, pb);
    if (i == count) return;
    HWY_ALIGN A ta[2 * N] = {}, tb[2 * N] = {};
    const auto bytes = static_cast<size_t>(count - i) * sizeof(State);
    std::memcpy(ta, pa, bytes);
    std::memcpy(tb, pb, bytes);
    MergeVector(ta, tb);
    std::memcpy(pa, ta, bytes);
  }

  static size_t Scratch(int64_t n, int64_t) {
    // Levels of states for columns longer than a group, beside what the sums want.
    return ScratchBytes<A>(std::min(n, kGroup), kPiece) + kMaxLevels * kPiece * sizeof(State);
  }

 private:
  static constexpr size_t kMaxLevels = 20;  // 2^20 groups of 4096 rows

  // What to subtract from each slice: its maximum, or 0 where that is not finite.
  static void Bias(const A* max, int64_t count, A* bias) {
    for (int64_t i = 0; i < count; ++i) bias[i] = std::isfinite(max[i]) ? max[i] : A{0};
  }

  static void InnerGroup(const T* p, int64_t rows, int64_t row_stride, int64_t n, State* out) {
    HWY_ALIGN A max[kPiece], bias[kPiece], sum[kPiece];
    KernelArgs args;
    Inner<MaxOp>::Run(p, rows, row_stride, n, max, args);
    Bias(max, rows, bias);
    args.bias = bias;
    Inner<SumOp>::Run(p, rows, row_stride, n, sum, args);
    for (int64_t r = 0; r < rows; ++r) out[r] = {max[r], sum[r]};
  }

  static State LongRow(const T* p, int64_t n) {
    State node[kMaxLevels + 20];
    uint64_t groups = 0;
    State last;
    for (int64_t i = 0;; i += kGroup) {
      InnerGroup(p + i, 1, 0, std::min(kGroup, n - i), &last);
      if (n - i <= kGroup) break;
      int level = 0;
      for (; groups >> level & 1; ++level) Merge(&last, &node[level], 1, {});
      node[level] = last;
      ++groups;
    }
    for (; groups != 0; groups &= groups - 1) Merge(&last, &node[__builtin_ctzll(groups)], 1, {});
    return last;
  }

  static void OuterPiece(const T* p, int64_t n, int64_t row_stride, int64_t columns, State* out,
                         std::byte* scratch, const KernelArgs& args) {
    State* node = reinterpret_cast<State*>(scratch);
    std::byte* rest = scratch + kMaxLevels * kPiece * sizeof(State);
    uint64_t groups = 0;
    for (int64_t i = 0; i < n; i += kGroup, p += kGroup * row_stride) {
      OuterGroup(p, std::min(kGroup, n - i), row_stride, columns, out, rest);
      if (n - i <= kGroup) break;
      int level = 0;
      for (; groups >> level & 1; ++level) Merge(out, node + level * kPiece, columns, args);
      std::copy_n(out, columns, node + level * kPiece);
      ++groups;
    }
    for (; groups != 0; groups &= groups - 1)
      Merge(out, node + __builtin_ctzll(groups) * kPiece, columns, args);
  }

  static void OuterGroup(const T* p, int64_t n, int64_t row_stride, int64_t columns, State* out,
                         std::byte* scratch) {
    HWY_ALIGN A max[kPiece], bias[kPiece], sum[kPiece];
    KernelArgs args;
    Outer<MaxOp>::Run(p, 1, 0, n, row_stride, columns, max, scratch, args);
    Bias(max, columns, bias);
    args.bias = bias;
    Outer<SumOp>::Run(p, 1, 0, n, row_stride, columns, sum, scratch, args);
    for (int64_t c = 0; c < columns; ++c) out[c] = {max[c], sum[c]};
  }

  // (m1, s1), (m2, s2) -> m = max, s = s1 e^(m1 - m) + s2 e^(m2 - m). NaN wins the maximum; where m
  // is not finite, s no longer matters and stays finite.
  static HWY_INLINE void MergeVector(A* a, const A* b) {
    const hn::ScalableTag<A> d;
    hn::Vec<decltype(d)> m1, s1, m2, s2;
    hn::LoadInterleaved2(d, a, m1, s1);
    hn::LoadInterleaved2(d, b, m2, s2);
    const auto nan = hn::Add(m1, m2);  // NaN if either is, or for opposite infinities
    auto m = hn::IfThenElse(hn::Gt(m1, m2), m1, m2);
    m = hn::IfThenElse(hn::Or(hn::IsNaN(m1), hn::IsNaN(m2)), nan, m);
    const auto log2e = hn::Set(d, static_cast<A>(kLog2E));
    const auto scale = [&](auto mi) HWY_ATTR {
      const auto t = hn::Mul(hn::Sub(mi, m), log2e);
      return hn::IfThenElse(hn::Eq(mi, m), hn::Set(d, A{1}),
                            Exp2(d, hn::IfThenZeroElse(hn::IsNaN(t), t)));
    };
    const auto s = hn::Add(hn::Mul(s1, scale(m1)), hn::Mul(s2, scale(m2)));
    hn::StoreInterleaved2(m, s, d, a);
  }
};

template <class T, class A>
constexpr ReduceKernel LogSumExpRow(const char* name) {
  using L = LogSumExp<T, A>;
  return {name,         sizeof(LogSumExpState<A>),
          kGroup,       L::kPiece,
          &L::Scratch,  &L::RunInner,
          &L::RunOuter, &L::Merge};
}

const ReduceKernel* FindLogSumExpKernel(KernelOp op, DType dtype) {
  static constexpr KernelRow kRows[] = {
      {KernelOp::kLogSumExp, DType::kF64,
       LogSumExpRow<double, double>("LogSumExp<double, double>")},
      {KernelOp::kLogSumExp, DType::kF32, LogSumExpRow<float, float>("LogSumExp<float, float>")},
      {KernelOp::kLogSumExp, DType::kF16,
       LogSumExpRow<Float16, float>("LogSumExp<Float16, float>")},
      {KernelOp::kLogSumExp, DType::kBF16,
       LogSumExpRow<BFloat16, float>("LogSumExp<BFloat16, float>")},
  };
  return FindRow(kRows, op, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindLogSumExpKernel);
const ReduceKernel* find_logsumexp_kernel(KernelOp op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindLogSumExpKernel)(op, dtype);
}
}  // namespace tenfold::kernels
#endif
