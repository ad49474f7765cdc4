// The place of the extreme in short rows: as many rows at once as a vector has lanes.
// Per-target: included once for each SIMD target by arg_kernels.cc.
#if defined(TENFOLD_KERNELS_ARG_SHORT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_ARG_SHORT_INL_H_
#undef TENFOLD_KERNELS_ARG_SHORT_INL_H_
#else
#define TENFOLD_KERNELS_ARG_SHORT_INL_H_
#endif

#include <algorithm>
#include <bit>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// O: how elements are loaded, compared and written, an ArgOuter of arg_kernels.cc.
template <class O>
struct ArgShort {
  using R = typename O::R;
  using B = typename O::B;
  using W = typename O::W;
  using D = typename O::DB;
  using V = typename O::VB;
  static constexpr int64_t N = O::N;
  // Longer rows, and fewer, are better taken one by one and looked at again only where the extreme
  // is. Of narrow types that way holds more elements in a vector (measured).
  static bool Suits(int64_t rows, int64_t n) {
    return n <= (sizeof(R) >= 4 ? 8 * N : N) && 2 * rows >= N;
  }
  // Joins extremes as they are compared: floats with a NaN that sticks, or keys.
  using Op = std::conditional_t<O::kNative, ExtremeOp<B, B, O::kMinimum>, MaxKeyOp<B, B>>;

  static void Run(const R* p, int64_t rows, int64_t row_stride, int64_t n, ArgState* out,
                  const KernelArgs& args) {
    constexpr int64_t kPiece = 1024;
    const typename O::KeyOp key(args);
    HWY_ALIGN B best[kPiece + N];
    HWY_ALIGN W place[kPiece + N];
    for (int64_t r = 0; r < rows; r += kPiece, p += kPiece * row_stride) {
      const int64_t count = std::min(kPiece, rows - r);
      for (int64_t i = 0; i < count; i += N) {
        const int64_t together = std::min(N, count - i);
        const R* q = p + i * row_stride;
        Extremes(key, q, together, row_stride, n, best + i);
        for (int64_t j = 0; j < together; ++j)
          place[i + j] = Find(key, q + j * row_stride, n, best[i + j]);
      }
      O::Write(key, best, place, count, args.index, out + r);
    }
  }

 private:
  static HWY_INLINE void Extremes(const typename O::KeyOp& key, const R* p, int64_t rows,
                                  int64_t row_stride, int64_t n, B* best) {
    const D d;
    const Op op{KernelArgs()};
    const int64_t tail = (n - 1) / N * N;  // where the last vector of a row begins
    const auto inside = hn::FirstN(d, static_cast<size_t>(n - tail));
    V lanes[N];
    for (int64_t j = 0; j < N; ++j) {
      const R* q = p + std::min(j, rows - 1) * row_stride;  // past the last row, that one again
      __builtin_prefetch(reinterpret_cast<const char*>(q) + 4096, 0, 3);
      V v = hn::IfThenElse(inside, O::Load(key, q + tail, n - tail), hn::Set(d, Op::Identity()));
      for (int64_t i = 0; i < tail; i += N) {
        __builtin_prefetch(reinterpret_cast<const char*>(q + i) + 4096, 0, 3);
        v = op.Combine(d, v, O::Load(key, q + i, N));
      }
      lanes[j] = v;
    }
    hn::StoreU(Lanes<Op>::FoldRows(op, lanes), d, best);
  }

  static HWY_INLINE W Find(const typename O::KeyOp& key, const R* p, int64_t n, B best) {
    const D d;
    const V value = hn::Set(d, best);
    const int64_t tail = (n - 1) / N * N;
    const auto match = [&](int64_t i) HWY_ATTR {
      const V x = O::Load(key, p + i, n - i);
      if constexpr (O::kNative)
        return hn::Or(hn::Eq(x, value), hn::IsNaN(x));  // there is a NaN only if it is the extreme
      else
        return hn::Eq(x, value);
    };
    const auto last = hn::And(match(tail), hn::FirstN(d, static_cast<size_t>(n - tail)));
    int64_t at = 0;
    if constexpr (O::kTakesLast) {
      for (int64_t i = 0; i < tail; i += N) at = Last(match(i), i, at);
      at = Last(last, tail, at);
    } else {
      at = First(last, tail, at);
      for (int64_t i = tail - N; i >= 0; i -= N) at = First(match(i), i, at);
    }
    return static_cast<W>(at);
  }

  using M = hn::Mask<D>;
  static HWY_INLINE int64_t First(M mask, int64_t i, int64_t otherwise) {
    const intptr_t lane = hn::FindFirstTrue(D(), mask);
    return lane >= 0 ? i + lane : otherwise;
  }
  static HWY_INLINE int64_t Last(M mask, int64_t i, int64_t otherwise) {
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(D(), mask, bytes);
    uint32_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    return bits != 0 ? i + std::bit_width(bits) - 1 : otherwise;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
