// Register blocks for products of small matrices read in place: rows x columns of c stay in
// registers while k runs. Per-target: included once for each SIMD target by small_kernels.cc.
//
//   c[i, :] += a[i, k] * b[k, :]      a: one element broadcast, any strides; b, c: rows of vectors
#if defined(TENFOLD_KERNELS_SMALL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_SMALL_INL_H_
#undef TENFOLD_KERNELS_SMALL_INL_H_
#else
#define TENFOLD_KERNELS_SMALL_INL_H_
#endif

#include <array>
#include <bit>
#include <utility>

#include "kernels/keys.hpp"
#include "kernels/ops-inl.h"
#include "kernels/small_kernels.hpp"
#include "kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// An add of products: fused where the type and the target can.
template <class V>
HWY_INLINE V SmallMulAdd(V a, V b, V c) {
  if constexpr (std::is_floating_point_v<hn::TFromV<V>>)
    return hn::MulAdd(a, b, c);
  else
    return hn::Add(hn::Mul(a, b), c);
}

// Which NaN a sum of several becomes depends on the order of an instruction's operands, which the
// compiler chooses: all become one.
template <class D>
HWY_INLINE hn::Vec<D> SmallCanonical(D d, hn::Vec<D> v) {
  using T = hn::TFromD<D>;
  if constexpr (std::is_floating_point_v<T>)
    return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::bit_cast<T>(kNanBits<T>)), v);
  else
    return v;
}

// A possibly partial vector of `count` lanes; nothing is read past the last one.
template <class D>
HWY_INLINE hn::Vec<D> SmallLoad(D d, hn::Mask<D> mask, size_t count, const hn::TFromD<D>* p) {
#if HWY_TARGET <= HWY_AVX2
  (void)count;
  return hn::MaskedLoad(mask, d, p);
#else
  (void)mask;
  return count == hn::Lanes(d) ? hn::LoadU(d, p) : LoadTail(d, p, count);
#endif
}

// kRows rows of kVecs vectors of kLanes lanes each; the last vector may be partial.
template <class T, size_t kLanes, int kRows, int kVecs>
struct SmallBlock {
  using D = hn::CappedTag<T, kLanes>;
  using V = hn::Vec<D>;
  static constexpr int64_t kBytes = static_cast<int64_t>(kLanes * sizeof(T));

  static void Run(const SmallArgs& args, const void* a, const void* b, void* c, int64_t count,
                  bool add) {
    const D d;
    // In the last vector.
    const auto columns = static_cast<size_t>(args.columns) - (kVecs - 1) * kLanes;
    const bool whole = columns == kLanes;
    const auto mask = hn::FirstN(d, columns);
    auto pa = static_cast<const char*>(a), pb = static_cast<const char*>(b);
    auto pc = static_cast<char*>(c);
    for (int64_t t = 0; t < count; ++t) {
      V acc[kRows][kVecs];
      if (add)
        Load(d, mask, columns, pc, args.c_row, acc);
      else
        Clear(d, acc);
      Sum(d, mask, columns, args, pa, pb, acc);
      Store(d, mask, whole, acc, pc, args.c_row);
      pa += args.a_next;
      pb += args.b_next;
      pc += args.c_next;
    }
  }

 private:
  using M = hn::Mask<D>;

  static HWY_INLINE T Scalar(const char* p) { return *reinterpret_cast<const T*>(p); }

  static HWY_INLINE V LoadAt(D d, M mask, size_t columns, const char* p, int v) {
    if (v + 1 == kVecs)
      return SmallLoad(d, mask, columns, reinterpret_cast<const T*>(p + v * kBytes));
    return hn::LoadU(d, reinterpret_cast<const T*>(p + v * kBytes));
  }

  static HWY_INLINE void Clear(D d, V (&acc)[kRows][kVecs]) {
    TENFOLD_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TENFOLD_UNROLL
      for (int v = 0; v < kVecs; ++v) acc[i][v] = hn::Zero(d);
    }
  }

  static HWY_INLINE void Load(D d, M mask, size_t columns, const char* p, int64_t row,
                              V (&acc)[kRows][kVecs]) {
    TENFOLD_UNROLL
    for (int i = 0; i < kRows; ++i, p += row) {
      TENFOLD_UNROLL
      for (int v = 0; v < kVecs; ++v) acc[i][v] = LoadAt(d, mask, columns, p, v);
    }
  }

  static HWY_INLINE void Sum(D d, M mask, size_t columns, const SmallArgs& args, const char* a,
                             const char* b, V (&acc)[kRows][kVecs]) {
    // Every third row has a pointer, the two below it are addressed from there: few registers.
    const char* rows[(kRows + 2) / 3];
    TENFOLD_UNROLL
    for (int i = 0; i < (kRows + 2) / 3; ++i) rows[i] = a + 3 * i * args.a_row;
    for (int64_t k = args.k; k > 0; --k) {
      V vb[kVecs];
      TENFOLD_UNROLL
      for (int v = 0; v < kVecs; ++v) vb[v] = LoadAt(d, mask, columns, b, v);
      TENFOLD_UNROLL
      for (int i = 0; i < kRows; ++i) {
        const V va = hn::Set(d, Scalar(rows[i / 3] + (i % 3) * args.a_row));
        TENFOLD_UNROLL
        for (int v = 0; v < kVecs; ++v) acc[i][v] = SmallMulAdd(va, vb[v], acc[i][v]);
      }
      TENFOLD_UNROLL
      for (int i = 0; i < (kRows + 2) / 3; ++i) rows[i] += args.a_k;
      if constexpr (kVecs == 2) {  // the same row of the next panel
        __builtin_prefetch(b + kVecs * kBytes, 0, 3);
        __builtin_prefetch(b + kVecs * kBytes + 64, 0, 3);
      }
      b += args.b_k;
    }
  }

  static HWY_INLINE void Store(D d, M mask, bool whole, const V (&acc)[kRows][kVecs], char* p,
                               int64_t row) {
    if (whole) {
      TENFOLD_UNROLL
      for (int i = 0; i < kRows; ++i, p += row) {
        TENFOLD_UNROLL
        for (int v = 0; v < kVecs; ++v)
          hn::StoreU(SmallCanonical(d, acc[i][v]), d, reinterpret_cast<T*>(p + v * kBytes));
      }
    } else {
      TENFOLD_UNROLL
      for (int i = 0; i < kRows; ++i, p += row) {
        TENFOLD_UNROLL
        for (int v = 0; v + 1 < kVecs; ++v)
          hn::StoreU(SmallCanonical(d, acc[i][v]), d, reinterpret_cast<T*>(p + v * kBytes));
        hn::BlendedStore(SmallCanonical(d, acc[i][kVecs - 1]), mask, d,
                         reinterpret_cast<T*>(p + (kVecs - 1) * kBytes));
      }
    }
  }
};

// Whole rows of a side by side in one vector, each k broadcast within its row of 16 bytes: with
// as many columns as k, one vector holds several rows of c, a whole 4x4 product of f32.
//
//   c[i, :] = a[i, 0] b[0, :] + a[i, 1] b[1, :] + …
//   lanes:  a00 a00 a00 a00  a10 a10 a10 a10 …  times  b00 b01 b02 b03  b00 b01 b02 b03 …
template <class T, size_t kLanes>
struct SmallSquare {
  using D = hn::CappedTag<T, kLanes>;
  using V = hn::Vec<D>;
  static constexpr int kSide = static_cast<int>(16 / sizeof(T));

  static void Run(const SmallArgs& args, const void* a, const void* b, void* c, int64_t count,
                  bool add) {
    const D d;
    const int64_t elements = args.rows * kSide;
    const int64_t tail = elements % static_cast<int64_t>(kLanes), whole = elements - tail;
    const auto rest = static_cast<size_t>(tail);
    const auto mask = hn::FirstN(d, rest);
    auto pa = static_cast<const char*>(a), pb = static_cast<const char*>(b);
    auto pc = static_cast<char*>(c);
    for (int64_t t = 0; t < count; ++t) {
      V rows[kSide];
      TENFOLD_UNROLL
      for (int k = 0; k < kSide; ++k)
        rows[k] = hn::LoadDup128(d, reinterpret_cast<const T*>(pb + k * args.b_k));
      const T* from = reinterpret_cast<const T*>(pa);
      T* to = reinterpret_cast<T*>(pc);
      for (int64_t i = 0; i < whole; i += static_cast<int64_t>(kLanes)) {
        const V start = add ? hn::LoadU(d, to + i) : hn::Zero(d);
        hn::StoreU(SmallCanonical(d, Sum(hn::LoadU(d, from + i), rows, start)), d, to + i);
      }
      if (rest != 0) {
        const V start = add ? SmallLoad(d, mask, rest, to + whole) : hn::Zero(d);
        const V sum = Sum(SmallLoad(d, mask, rest, from + whole), rows, start);
        hn::BlendedStore(SmallCanonical(d, sum), mask, d, to + whole);
      }
      pa += args.a_next;
      pb += args.b_next;
      pc += args.c_next;
    }
  }

 private:
  static HWY_INLINE V Sum(V a, const V (&rows)[kSide], V sum) {
    sum = SmallMulAdd(Broadcast<0>(a), rows[0], sum);
    sum = SmallMulAdd(Broadcast<1>(a), rows[1], sum);
    if constexpr (kSide == 4) {
      sum = SmallMulAdd(Broadcast<2>(a), rows[2], sum);
      sum = SmallMulAdd(Broadcast<3>(a), rows[3], sum);
    }
    return sum;
  }
  template <int kLane>
  static HWY_INLINE V Broadcast(V v) {
    if constexpr (sizeof(T) == 4) return hn::Broadcast<kLane>(v);
    return kLane == 0 ? hn::DupEven(v) : hn::DupOdd(v);
  }
};

// ---- the table of a type

template <class T, size_t kLanes, int kVecs, class Rows>
struct SmallBlocks;
template <class T, size_t kLanes, int kVecs, int... kRow>
struct SmallBlocks<T, kLanes, kVecs, std::integer_sequence<int, kRow...>> {
  static constexpr SmallFn kBlocks[] = {&SmallBlock<T, kLanes, kRow + 1, kVecs>::Run...};
};

template <class T>
struct SmallTable {
  static constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  // Accumulators, the vectors of a row of b and one broadcast fit the registers: 32 on AVX-512,
  // else 16. Below a whole vector 8 rows keep both multipliers busy.
  static constexpr int kPairs = HWY_TARGET <= HWY_AVX3 ? 12 : 6;
  template <size_t kWidth, int kVecs, int kRows>
  static constexpr SmallWidth Width() {
    return {static_cast<int64_t>(kWidth) * kVecs,
            SmallBlocks<T, kWidth, kVecs, std::make_integer_sequence<int, kRows>>::kBlocks};
  }
  template <size_t... kShift>
  static constexpr auto Widths(std::index_sequence<kShift...>) {
    return std::array{Width<kLanes, 2, kPairs>(), Width<kLanes, 1, 12>(),
                      Width<(kLanes >> (kShift + 1)), 1, 8>()...};
  }
  template <size_t... kShift>
  static constexpr auto Squares(std::index_sequence<kShift...>) {
    return std::array{SmallSquares{static_cast<int64_t>(kLanes >> kShift),
                                   &SmallSquare<T, (kLanes >> kShift)>::Run}...};
  }
  // Halves down to two lanes, but not below 16 bytes without AVX-512: Highway's masks of shorter
  // vectors cover the lanes beyond them.
  static constexpr size_t kNarrowest = HWY_TARGET <= HWY_AVX3 ? 2 : 16 / sizeof(T);
  static constexpr size_t kHalvings = hwy::FloorLog2(kLanes) - hwy::FloorLog2(kNarrowest);
  static constexpr auto kWidths = Widths(std::make_index_sequence<kHalvings>());
  // Squares down to one row of 16 bytes.
  static constexpr auto kSquares =
      Squares(std::make_index_sequence<hwy::FloorLog2(kLanes * sizeof(T) / 16) + 1>());
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
