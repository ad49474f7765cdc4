// Products of small matrices whose operands lie along the summed axis: squares of them are turned
// in registers. Per-target: included once for each SIMD target by small_kernels.cc.
#if defined(TENFOLD_KERNELS_SMALL_TURNED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_SMALL_TURNED_INL_H_
#undef TENFOLD_KERNELS_SMALL_TURNED_INL_H_
#else
#define TENFOLD_KERNELS_SMALL_TURNED_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "kernels/block_load-inl.h"
#include "kernels/small-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// N rows of neighbours along k become N vectors of neighbours along the rows.
template <class T>
struct SmallTurn {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using S = BlockSquare<D>;
  static constexpr int64_t N = hn::MaxLanes(D());

  // row(r): where row r begins; `count` of k, at most N; out: as many vectors, one every `step`
  // elements.
  template <class Row>
  static HWY_INLINE void Tile(const Row& row, int64_t count, T* out, int64_t step) {
    const D d;
    V v[N];
    if (HWY_LIKELY(count == N)) {
      S::FromHalves(
          [&](int r, int half)
              HWY_ATTR { return hn::LoadU(typename S::DHalf(), row(r) + half * S::kHalf); },
          v);
    } else {
      S::FromRows([&](int r) HWY_ATTR { return Some(row(r), count); }, v);
    }
    if (HWY_UNLIKELY(count < N)) return Store(v, count, out, step);
    TENFOLD_UNROLL
    for (int64_t i = 0; i < N; ++i) hn::StoreU(v[i], d, out + i * step);
  }

  // Columns of b, each `stride` bytes after the other and dense along k, as rows of a panel. What
  // is left of vectors beyond the panel's width is overwritten by the next row, or lies behind it.
  static void Pack(const void* b, int64_t stride, int64_t k, int64_t columns, int64_t step,
                   void* packed) {
    for (int64_t column = 0; column < columns; column += N) {
      const T* rows[N];  // those that don't exist repeat the last
      for (int64_t i = 0; i < N; ++i)
        rows[i] = reinterpret_cast<const T*>(static_cast<const char*>(b) +
                                             std::min(column + i, columns - 1) * stride);
      for (int64_t next = 0; next < k; next += N) {
        const int64_t at = std::max<int64_t>(std::min(next, k - N), 0);  // some of k twice
        Tile([&](int64_t i) { return rows[i] + at; }, std::min(N, k),
             static_cast<T*>(packed) + at * step + column, step);
      }
    }
  }

 private:
  static HWY_INLINE void Store(const V (&v)[N], int64_t count, T* out, int64_t step) {
    for (int64_t i = 0; i < count; ++i) hn::StoreU(v[i], D(), out + i * step);
  }
  static HWY_INLINE V Some(const T* p, int64_t count) {
    const D d;
    const auto n = static_cast<size_t>(count);
    return SmallLoad(d, hn::FirstN(d, n), n, p);
  }
};

// Few columns, many rows that are dense along k: lanes are rows.
//
//   c[lanes, j] += a[lanes, k] * b[k, j]      a: turned; b: one element broadcast
template <class T, int kColumns>
struct SmallTall {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Turn = SmallTurn<T>;
  static constexpr int64_t N = hn::MaxLanes(D());
  // Two vectors of rows, where the registers hold their sums.
  static constexpr int kVecs = kColumns * 2 <= (HWY_TARGET <= HWY_AVX3 ? 24 : 12) ? 2 : 1;
  static constexpr int64_t kRows = kVecs * N;
  static constexpr int64_t kAheadBytes = 1024;

  static void Run(const SmallArgs& args, const void* a, const void* b, void* c, int64_t count,
                  bool add) {
    auto pa = static_cast<const char*>(a), pb = static_cast<const char*>(b);
    auto pc = static_cast<char*>(c);
    for (int64_t t = 0; t < count; ++t) {
      int64_t row = 0;
      for (; row + kRows <= args.rows; row += kRows)
        Part<true>(args, pa + row * args.a_row, pb, pc + row * args.c_row, kRows, add);
      if (row < args.rows)
        Part<false>(args, pa + row * args.a_row, pb, pc + row * args.c_row, args.rows - row, add);
      pa += args.a_next;
      pb += args.b_next;
      pc += args.c_next;
    }
  }

 private:
  static T* At(char* p) { return reinterpret_cast<T*>(p); }

  template <bool kWhole>
  static HWY_NOINLINE void Part(const SmallArgs& args, const char* a, const char* b, char* c,
                                int64_t rows, bool add) {
    const D d;
    const auto from = [&](int64_t i) {  // rows that don't exist repeat the last
      return a + (kWhole ? i : std::min(i, rows - 1)) * args.a_row;
    };
    V acc[kColumns][kVecs];
    Begin(args, c, rows, add, acc);
    HWY_ALIGN T turned[N * kRows];
    for (int64_t at = 0; at < args.k; at += N) {
      const int64_t count = std::min(N, args.k - at);
      TENFOLD_UNROLL
      for (int v = 0; v < kVecs; ++v)
        Turn::Tile([&](int64_t i) { return reinterpret_cast<const T*>(from(v * N + i)); }, count,
                   turned + v * N, kRows);
      // So many rows at a time are more than the processor foresees.
      const char* ahead = a + kAheadBytes;
      for (int64_t i = 0; i < kRows; ++i, ahead += args.a_row) __builtin_prefetch(ahead, 0, 2);
      a += N * sizeof(T);
      for (int64_t k = 0; k < count; ++k, b += args.b_k) {
        V x[kVecs];
        TENFOLD_UNROLL
        for (int v = 0; v < kVecs; ++v) x[v] = hn::Load(d, turned + k * kRows + v * N);
        TENFOLD_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          const V y = hn::Set(d, reinterpret_cast<const T*>(b)[j]);
          TENFOLD_UNROLL
          for (int v = 0; v < kVecs; ++v) acc[j][v] = SmallMulAdd(x[v], y, acc[j][v]);
        }
      }
    }
    TENFOLD_UNROLL
    for (int v = 0; v < kVecs; ++v) End<kWhole>(args, c + v * N * args.c_row, rows - v * N, acc, v);
  }

  static HWY_INLINE void Begin(const SmallArgs& args, char* c, int64_t rows, bool add,
                               V (&acc)[kColumns][kVecs]) {
    const D d;
    HWY_ALIGN T sums[kColumns * kRows] = {};
    if (HWY_UNLIKELY(add))
      for (int64_t i = 0; i < rows; ++i)
        for (int j = 0; j < kColumns; ++j) sums[j * kRows + i] = At(c + i * args.c_row)[j];
    TENFOLD_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      TENFOLD_UNROLL
      for (int v = 0; v < kVecs; ++v)
        acc[j][v] = HWY_UNLIKELY(add) ? hn::Load(d, sums + j * kRows + v * N) : hn::Zero(d);
    }
  }

  // Columns go to c in groups that 16 bytes hold: vector i of a turned group has rows i, LB + i, ….
  template <bool kWhole>
  static HWY_INLINE void End(const SmallArgs& args, char* c, int64_t rows,
                             const V (&acc)[kColumns][kVecs], int v) {
    constexpr int LB = BlockSquare<D>::LB;
    const D d;
    HWY_ALIGN T group[LB * N];
    TENFOLD_UNROLL
    for (int j = 0; j < kColumns; j += LB) {
      V x[LB];
      TENFOLD_UNROLL
      for (int i = 0; i < LB; ++i) x[i] = SmallCanonical(d, acc[std::min(j + i, kColumns - 1)][v]);
      BlockSquare<D>::Blocks(x);
      TENFOLD_UNROLL
      for (int i = 0; i < LB; ++i) hn::Store(x[i], d, group + i * N);
      constexpr auto kSize = static_cast<int>(sizeof(T));
      const auto bytes = static_cast<size_t>(std::min(LB, kColumns - j) * kSize);
      char* to = c + j * kSize;
      for (int64_t block = 0; block < std::min(rows, N); block += LB) {
        TENFOLD_UNROLL
        for (int64_t i = 0; i < LB; ++i, to += args.c_row) {
          if (!kWhole && block + i >= rows) break;
          std::memcpy(to, group + i * N + block, bytes);
        }
      }
    }
  }
};

template <class T, class Columns>
struct SmallTalls;
template <class T, int... kColumn>
struct SmallTalls<T, std::integer_sequence<int, kColumn...>> {
  static constexpr SmallFn kFns[] = {&SmallTall<T, kColumn + 1>::Run...};
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
