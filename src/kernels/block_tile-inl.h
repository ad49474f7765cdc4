// Multiplies packed panels: the register tile and the loops over the panels of a block.
// Per-target: included once for each SIMD target by the block kernel files.
//
// A tile is R rows by C vectors of sums in registers. For each k, every row's element is broadcast
// and multiplied with the C vectors: R * C multiply-adds for R + C loads. Two may start in a cycle
// and take four, so 8 chains are the least; 12 x 2 leaves registers for the operands and needs 14
// loads in 12 cycles. Each sum is one chain in the order of k, whatever R and C are: the edges of a
// block have the same bits as its middle.
#if defined(TENFOLD_KERNELS_BLOCK_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BLOCK_TILE_INL_H_
#undef TENFOLD_KERNELS_BLOCK_TILE_INL_H_
#else
#define TENFOLD_KERNELS_BLOCK_TILE_INL_H_
#endif

#include "hwy/cache_control.h"
#include "kernels/block_kernels.hpp"
#include "kernels/block_store-inl.h"
#include "kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// sum + a * b, rounded once where the target can; integers wrap.
template <class T>
struct BlockOp {
  using Packed = T;
  using Sum = T;
  static constexpr int64_t kPerStep = 1;  // k that a step takes
  template <class V>
  static HWY_INLINE V Step(V a, V b, V sum) {
    if constexpr (std::is_floating_point_v<T>)
      return hn::MulAdd(a, b, sum);
    else
      return hn::Add(sum, hn::Mul(a, b));
  }
};

// Two 16-bit products and their sum in one instruction; 32 bits hold it but for -2^15 four times,
// which wraps as it must.
struct BlockPairsOp {
  using Packed = int32_t;
  using Sum = int32_t;
  static constexpr int64_t kPerStep = 2;
  template <class V>
  static HWY_INLINE V Step(V a, V b, V sum) {
    const hn::ScalableTag<int32_t> d;
    const hn::Repartition<int16_t, decltype(d)> d16;
    V unused = hn::Zero(d);
    return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, a), hn::BitCast(d16, b), sum, unused);
  }
};

// Where a tile's sums go.
template <class T>
struct BlockOutput {
  T* c;
  const int64_t* rows;
  const ColumnVector* vectors;
  bool accumulate, goes_on, last, stream;
  BlockTileStore store;  // nullptr: to c
  NarrowOutput narrow;
};

// Operations may name a slower one, `Exact`, for panels where they would not give the right bits.
template <class Op>
concept HasExact = requires { typename Op::Exact; };

// Operations may know how to store a tile of finished sums as narrower elements; false: not these.
template <class Op, int R, int C, class V>
concept StoresNarrow =
    requires(const BlockOutput<float>& out, V (&sum)[R][C]) { Op::Store(out, sum); };

template <class Op>
struct BlockTiles {
  using T = typename Op::Packed;
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t N = hn::MaxLanes(D());
  // 32 registers hold 24 sums, 16 hold 12.
  static constexpr int64_t kRows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;

  using Output = BlockOutput<T>;
  using TileFn = void (*)(const T* a, const T* b, int64_t steps, const Output& out);

  static void Multiply(const MultiplyArgs& args) {
    const int64_t steps = (args.k + Op::kPerStep - 1) / Op::kPerStep;
    const RowPanels panels(args.row_count, kRows);
    const int64_t column_panels = (args.vector_count + kPanelVectors - 1) / kPanelVectors;
    const bool stream = args.stream && !args.accumulate && Streams(args);
    const BlockTileStore store = args.narrow != nullptr ? StoreOf(args.narrow->dtype) : nullptr;
    const auto tile = [&](int64_t i, int64_t j) {
      const int64_t row = panels.first(i), vector = j * kPanelVectors;
      const bool pair = vector + 1 < args.vector_count;
      const Output out{static_cast<T*>(args.c),
                       args.row_offsets + row,
                       args.vectors + vector,
                       args.accumulate && !args.one_chain,
                       args.accumulate && args.one_chain,
                       args.last,
                       stream,
                       store,
                       store != nullptr ? Narrow(*args.narrow, row, vector) : NarrowOutput{}};
      TileOf(args, i, j, panels.rows(i), pair)(
          static_cast<const T*>(args.rows) + row * steps,
          static_cast<const T*>(args.columns) + vector * N * steps, steps, out);
    };
    if (args.rows_outer) {
      for (int64_t i = 0; i < panels.count; ++i)
        for (int64_t j = 0; j < column_panels; ++j) tile(i, j);
    } else {
      for (int64_t j = 0; j < column_panels; ++j)
        for (int64_t i = 0; i < panels.count; ++i) tile(i, j);
    }
    if (stream) hwy::FlushStream();
  }

 private:
  template <class>
  friend struct BlockTiles;

  static TileFn TileOf(const MultiplyArgs& args, int64_t i, int64_t j, int64_t rows, bool pair) {
    if constexpr (HasExact<Op>)
      if (!Op::Fits(args.row_spans[i], args.column_spans[j]))
        return BlockTiles<typename Op::Exact>::kTiles[pair][rows - 1];
    return kTiles[pair][rows - 1];
  }

  static BlockTileStore StoreOf(DType dtype) {
    if constexpr (std::is_same_v<T, float>) {
      if (dtype == DType::kF16) return &BlockStoreTile<Float16>;
      if (dtype == DType::kBF16) return &BlockStoreTile<BFloat16>;
    }
    return nullptr;
  }
  static NarrowOutput Narrow(const NarrowOutput& all, int64_t row, int64_t vector) {
    return {all.dtype, all.c, all.row_offsets + row, all.vectors + vector};
  }

  // Streaming stores want whole vectors at multiples of their size.
  static bool Streams(const MultiplyArgs& args) {
    if (reinterpret_cast<uintptr_t>(args.c) % (N * sizeof(T)) != 0) return false;
    int64_t bits = 0, lanes = N;
    for (int64_t i = 0; i < args.row_count; ++i) bits |= args.row_offsets[i];
    for (int64_t i = 0; i < args.vector_count; ++i) {
      bits |= args.vectors[i].offset;
      lanes = std::min(lanes, args.vectors[i].lanes);
    }
    return bits % N == 0 && lanes == N;
  }

  template <int R, int C>
  static HWY_INLINE void Step(const T* a, const T* b, V (&sum)[R][C]) {
    const D d;
    V column[C];
    TENFOLD_UNROLL
    for (int c = 0; c < C; ++c) column[c] = hn::LoadU(d, b + c * N);
    TENFOLD_UNROLL
    for (int r = 0; r < R; ++r) {
      const V row = hn::Set(d, a[r]);
      TENFOLD_UNROLL
      for (int c = 0; c < C; ++c) sum[r][c] = Op::Step(row, column[c], sum[r][c]);
    }
  }

  template <int R, int C>
  static HWY_NOINLINE void Tile(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, int64_t steps,
                                const Output& out) {
    const D d;
    V sum[R][C];
    TENFOLD_UNROLL
    for (int r = 0; r < R; ++r) {
      TENFOLD_UNROLL
      for (int c = 0; c < C; ++c) sum[r][c] = hn::Zero(d);
    }
    if (HWY_UNLIKELY(out.goes_on)) LoadSums(out, sum);
    Prefetch<R, C>(out);
    for (; steps >= 4; steps -= 4, a += 4 * R, b += 4 * C * N) {
      Step<R, C>(a, b, sum);
      Step<R, C>(a + R, b + C * N, sum);
      Step<R, C>(a + 2 * R, b + 2 * C * N, sum);
      Step<R, C>(a + 3 * R, b + 3 * C * N, sum);
    }
    for (; steps > 0; --steps, a += R, b += C * N) Step<R, C>(a, b, sum);

    Finish(out, sum);
  }

  // Asks for what will be written.
  template <int R, int C>
  static HWY_INLINE void Prefetch(const Output& out) {
    if (out.store != nullptr) {
      const auto* c = static_cast<const uint16_t*>(out.narrow.c) + out.narrow.vectors[0].offset;
      TENFOLD_UNROLL
      for (int r = 0; r < R; ++r) __builtin_prefetch(c + out.narrow.row_offsets[r], 1, 3);
    }
    if (out.store != nullptr ? out.accumulate : !out.stream) {
      TENFOLD_UNROLL
      for (int r = 0; r < R; ++r) {
        TENFOLD_UNROLL
        for (int c = 0; c < C; ++c)
          __builtin_prefetch(out.c + out.rows[r] + out.vectors[c].offset, 1, 3);
      }
    }
  }

  template <int R, int C>
  static HWY_INLINE void LoadSums(const Output& out, V (&sum)[R][C]) {
    TENFOLD_UNROLL
    for (int r = 0; r < R; ++r) {
      TENFOLD_UNROLL
      for (int c = 0; c < C; ++c)
        sum[r][c] = LoadSome(out.c + out.rows[r] + out.vectors[c].offset, out.vectors[c].lanes);
    }
  }

  // Adds what c holds, makes NaNs canonical after the last k, stores.
  template <int R, int C>
  static HWY_INLINE void Finish(const Output& out, V (&sum)[R][C]) {
    const D d;
    bool whole = true;
    TENFOLD_UNROLL
    for (int c = 0; c < C; ++c) whole &= out.vectors[c].lanes == N;
    const auto place = [&](int r, int c) { return out.c + out.rows[r] + out.vectors[c].offset; };
    if (out.accumulate) {
      TENFOLD_UNROLL
      for (int r = 0; r < R; ++r) {
        TENFOLD_UNROLL
        for (int c = 0; c < C; ++c)
          sum[r][c] = hn::Add(HWY_LIKELY(whole) ? hn::LoadU(d, place(r, c))
                                                : LoadSome(place(r, c), out.vectors[c].lanes),
                              sum[r][c]);
      }
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (out.last) {
        TENFOLD_UNROLL
        for (int r = 0; r < R; ++r) {
          TENFOLD_UNROLL
          for (int c = 0; c < C; ++c) sum[r][c] = BlockCanonical(d, sum[r][c]);
        }
      }
    }
    if constexpr (std::is_same_v<T, float>)
      if (out.store != nullptr) return StoreNarrow(out, sum);
    TENFOLD_UNROLL
    for (int r = 0; r < R; ++r) {
      TENFOLD_UNROLL
      for (int c = 0; c < C; ++c) {
        if (out.stream)
          hn::Stream(sum[r][c], d, place(r, c));
        else if (HWY_LIKELY(whole))
          hn::StoreU(sum[r][c], d, place(r, c));
        else
          StoreSome(place(r, c), sum[r][c], out.vectors[c].lanes);
      }
    }
  }

  template <int R, int C>
  static HWY_INLINE void StoreNarrow(const Output& out, V (&sum)[R][C]) {
    const D d;
    if constexpr (StoresNarrow<Op, R, C, V>) {
      if (Op::Store(out, sum)) return;
    } else if constexpr (HWY_TARGET <= HWY_AVX2) {  // others have no instruction for f16
      if (out.narrow.dtype == DType::kF16 ? StoreWhole<Float16>(out, sum)
                                          : StoreWhole<BFloat16>(out, sum))
        return;
    }
    HWY_ALIGN T sums[R * C * N];
    TENFOLD_UNROLL
    for (int r = 0; r < R; ++r) {
      TENFOLD_UNROLL
      for (int c = 0; c < C; ++c) hn::Store(sum[r][c], d, sums + (r * C + c) * N);
    }
    out.store(sums, {R, C}, out.narrow);
  }

  // False if vectors have empty lanes.
  template <class S, int R, int C>
  static HWY_INLINE bool StoreWhole(const Output& out, V (&sum)[R][C]) {
    bool whole = true;
    TENFOLD_UNROLL
    for (int c = 0; c < C; ++c) whole &= out.narrow.vectors[c].lanes == N;
    if (!whole) return false;
    TENFOLD_UNROLL
    for (int r = 0; r < R; ++r) {
      S* row = static_cast<S*>(out.narrow.c) + out.narrow.row_offsets[r];
      TENFOLD_UNROLL
      for (int c = 0; c < C; ++c)
        BlockStoreVector(D(), sum[r][c], row + out.narrow.vectors[c].offset);
    }
    return true;
  }

  static HWY_INLINE V LoadSome(const T* from, int64_t lanes) {
    return LoadTail(D(), from, static_cast<size_t>(lanes));
  }
  static HWY_INLINE void StoreSome(T* to, V sum, int64_t lanes) {
#if HWY_TARGET <= HWY_AVX2
    hn::BlendedStore(sum, hn::FirstN(D(), static_cast<size_t>(lanes)), D(), to);
#else
    StoreTail(sum, D(), to, static_cast<size_t>(lanes));
#endif
  }

#define TENFOLD_TILE_ROWS(C)                                         \
  {                                                                  \
    &Tile<1, C>, &Tile<2, C>, &Tile<3, C>, &Tile<4, C>, &Tile<5, C>, \
        &Tile<6, C> TENFOLD_MORE_ROWS(C)                             \
  }
#if HWY_TARGET <= HWY_AVX3
#define TENFOLD_MORE_ROWS(C) \
  , &Tile<7, C>, &Tile<8, C>, &Tile<9, C>, &Tile<10, C>, &Tile<11, C>, &Tile<12, C>
#else
#define TENFOLD_MORE_ROWS(C)
#endif
  static constexpr TileFn kTiles[kPanelVectors][kRows] = {TENFOLD_TILE_ROWS(1),
                                                          TENFOLD_TILE_ROWS(2)};
#undef TENFOLD_MORE_ROWS
#undef TENFOLD_TILE_ROWS
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
