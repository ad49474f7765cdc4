// Exact sums and sums of squares of integers, for Mean and L2: no order of additions changes them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/kernel_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

inline WideState SaturatingAdd(WideState a, WideState b) {
  const auto ua = static_cast<unsigned __int128>(a), sum = ua + static_cast<unsigned __int128>(b);
  return static_cast<WideState>(sum < ua ? ~static_cast<unsigned __int128>(0) : sum);
}

template <class T, bool kSquare>
struct Wide {
  using Low = WideOp<T, kSquare, false>;
  using High = WideOp<T, kSquare, true>;
  // Squares of 64-bit integers take the scalar loop: their sum needs all 128 bits.
  static constexpr bool kScalar = kSquare && sizeof(T) == 8;
  static constexpr int64_t kPiece = 1024;
  static constexpr int64_t kCacheBytes = 256 * 1024;  // read twice: low halves, high halves

  static void RunInner(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                       const KernelArgs& args) {
    const T* p = static_cast<const T*>(x);
    auto* out = static_cast<WideState*>(states);
    if constexpr (kScalar) {
      for (int64_t r = 0; r < rows; ++r) out[r] = Scalar(p + r * row_stride, n, 1);
      return;
    }
    const int64_t chunk = std::min(n, kCacheBytes / static_cast<int64_t>(sizeof(T)));
    const int64_t block =
        std::clamp<int64_t>(kCacheBytes / (chunk * static_cast<int64_t>(sizeof(T))), 1, kPiece);
    HWY_ALIGN int64_t low[kPiece], high[kPiece];
    for (int64_t r = 0; r < rows; r += block) {
      const int64_t m = std::min(block, rows - r);
      for (int64_t i = 0; i < n; i += chunk) {
        const T* q = p + r * row_stride + i;
        const int64_t count = std::min(chunk, n - i);
        Inner<Low>::Run(q, m, row_stride, count, low, args);
        if constexpr (Low::Split()) Inner<High>::Run(q, m, row_stride, count, high, args);
        Add(low, high, m, out + r, i == 0);
      }
    }
  }

  static void RunOuter(const void* x, int64_t groups, int64_t group_stride, int64_t n,
                       int64_t row_stride, int64_t columns, void* states, std::byte* scratch,
                       const KernelArgs& args) {
    auto* out = static_cast<WideState*>(states);
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t c = 0; c < columns; c += kPiece)
        OuterPiece(static_cast<const T*>(x) + g * group_stride + c, n, row_stride,
                   std::min(kPiece, columns - c), out + g * columns + c, scratch, args);
  }

  static void Merge(void* a, const void* b, int64_t count, const KernelArgs&) {
    auto* pa = static_cast<WideState*>(a);
    const auto* pb = static_cast<const WideState*>(b);
    for (int64_t i = 0; i < count; ++i)
      pa[i] = kScalar ? SaturatingAdd(pa[i], pb[i]) : pa[i] + pb[i];
  }

 private:
  static void OuterPiece(const T* p, int64_t n, int64_t row_stride, int64_t columns, WideState* out,
                         std::byte* scratch, const KernelArgs& args) {
    if constexpr (kScalar) {
      for (int64_t c = 0; c < columns; ++c) out[c] = Scalar(p + c, n, row_stride);
      return;
    }
    if constexpr (!kSquare && sizeof(T) == 8) {
      OuterSplit(p, n, row_stride, columns, out);
      return;
    }
    HWY_ALIGN int64_t low[kPiece], high[kPiece];
    const int64_t chunk =
        std::clamp<int64_t>(kCacheBytes / (columns * static_cast<int64_t>(sizeof(T))), 32, 1 << 20);
    for (int64_t i = 0; i < n; i += chunk, p += chunk * row_stride) {
      const int64_t count = std::min(chunk, n - i);
      Outer<Low>::Run(p, 1, 0, count, row_stride, columns, low, scratch, args);
      if constexpr (Low::Split())
        Outer<High>::Run(p, 1, 0, count, row_stride, columns, high, scratch, args);
      Add(low, high, columns, out, i == 0);
    }
  }

  // 64-bit elements in one pass. With h the sum of the high halves and w the wrapped sum of the
  // elements, the low halves add up to w - h * 2^32 modulo 2^64, and exactly to that below 2^32
  // rows.
  static void OuterSplit(const T* p, int64_t n, int64_t row_stride, int64_t columns,
                         WideState* out) {
    HWY_ALIGN int64_t wrapped[kPiece + 16],
        high[kPiece + 16];  // whole vectors are stored past the end
    int64_t i = 0;
    SplitRows<1, true>(p, row_stride, columns, wrapped, high);
    const bool one_run =
        row_stride == columns;  // rows that follow each other are read in that order
    for (i = 1; i + 4 <= n && !one_run; i += 4)
      SplitRows<4, false>(p + i * row_stride, row_stride, columns, wrapped, high);
    for (; i < n; ++i) SplitRows<1, false>(p + i * row_stride, row_stride, columns, wrapped, high);
    for (int64_t c = 0; c < columns; ++c) {
      const auto low = static_cast<uint64_t>(wrapped[c]) - (static_cast<uint64_t>(high[c]) << 32);
      out[c] = static_cast<WideState>(high[c]) * (int64_t{1} << 32) + static_cast<WideState>(low);
    }
  }

  template <int kRows, bool kFirst>
  static HWY_INLINE void SplitRows(const T* p, int64_t row_stride, int64_t columns,
                                   int64_t* wrapped, int64_t* high) {
    const hn::ScalableTag<int64_t> d;
    const hn::ScalableTag<T> dt;
    constexpr int64_t N = hn::MaxLanes(d);
    constexpr int64_t kAhead = 128;  // elements, 1 KB; 8 KB in one run of rows
    for (int64_t c = 0; c < columns; c += N) {
      auto w = kFirst ? hn::Zero(d) : hn::Load(d, wrapped + c);
      auto h = kFirst ? hn::Zero(d) : hn::Load(d, high + c);
      const int64_t next = row_stride == columns  ? c + 8 * kAhead
                           : c + kAhead < columns ? c + kAhead
                                                  : c + kAhead - columns + kRows * row_stride;
      TENFOLD_UNROLL
      for (int k = 0; k < kRows; ++k) {
        const T* q = p + k * row_stride;
        __builtin_prefetch(q + next, 0, 3);
        const auto v = columns - c < N ? LoadTail(dt, q + c, static_cast<size_t>(columns - c))
                                       : hn::LoadU(dt, q + c);
        w = hn::Add(w, hn::BitCast(d, v));
        h = hn::Add(h, hn::BitCast(d, hn::ShiftRight<32>(v)));
      }
      hn::Store(w, d, wrapped + c);
      hn::Store(h, d, high + c);
    }
  }

  static void Add(const int64_t* low, const int64_t* high, int64_t count, WideState* out,
                  bool first) {
    for (int64_t i = 0; i < count; ++i) {
      WideState sum = low[i];
      if constexpr (Low::Split()) sum += static_cast<WideState>(high[i]) * (int64_t{1} << 32);
      out[i] = first ? sum : out[i] + sum;
    }
  }

  static WideState Scalar(const T* p, int64_t n, int64_t stride) {
    WideState sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const auto v = static_cast<WideState>(p[i * stride]);
      sum = SaturatingAdd(sum, static_cast<WideState>(static_cast<unsigned __int128>(v) *
                                                      static_cast<unsigned __int128>(v)));
    }
    return sum;
  }
};

template <class T, bool kSquare>
constexpr ReduceKernel WideRow(const char* name) {
  using W = Wide<T, kSquare>;
  return {name,         sizeof(WideState), kLeaf,    W::kPiece, &ScratchBytes<int64_t>,
          &W::RunInner, &W::RunOuter,      &W::Merge};
}

const ReduceKernel* FindWideKernel(KernelOp op, DType dtype) {
#define TENFOLD_WIDE_ROWS(id, T)                                           \
  {KernelOp::kWideSum, DType::id, WideRow<T, false>("Wide<" #T ", sum>")}, \
      {KernelOp::kWideSquare, DType::id, WideRow<T, true>("Wide<" #T ", square>")},
  static constexpr KernelRow kRows[] = {
      TENFOLD_WIDE_ROWS(kI8, int8_t) TENFOLD_WIDE_ROWS(kU8, uint8_t)
          TENFOLD_WIDE_ROWS(kI16, int16_t) TENFOLD_WIDE_ROWS(kU16, uint16_t)
              TENFOLD_WIDE_ROWS(kI32, int32_t) TENFOLD_WIDE_ROWS(kU32, uint32_t)
                  TENFOLD_WIDE_ROWS(kI64, int64_t) TENFOLD_WIDE_ROWS(kU64, uint64_t)};
#undef TENFOLD_WIDE_ROWS
  return FindRow(kRows, op, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindWideKernel);
const ReduceKernel* find_wide_kernel(KernelOp op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindWideKernel)(op, dtype);
}
}  // namespace tenfold::kernels
#endif
