// Folds across at most a leaf of long rows, in passes of a few rows each (row_passes.hpp).
// Per-target: included once for each SIMD target by outer-inl.h.
#if defined(TENFOLD_KERNELS_OUTER_PASSES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_OUTER_PASSES_INL_H_
#undef TENFOLD_KERNELS_OUTER_PASSES_INL_H_
#else
#define TENFOLD_KERNELS_OUTER_PASSES_INL_H_
#endif

#include <cstdlib>

#include "kernels/lanes-inl.h"
#include "kernels/row_passes.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

// Ordered folds whose map is light.
template <class Op>
struct OuterPasses {
  using L = Lanes<Op>;
  using A = typename L::A;
  using R = typename L::R;
  using D = typename L::D;
  using V = typename L::V;
  static constexpr int64_t N = L::N;

  // At most a leaf of long rows, in passes of a few rows each (row_passes.hpp). What they leave for
  // each other, kRowSlots rows of columns in scratch, is added from the L1 or L2 cache.
  static void Run(const Op& op, const R* p, int64_t rows, int64_t row_stride, int64_t columns,
                  A* out, A* slots) {
    RowPass passes[kMaxRowPasses];
    const int count = row_passes(rows, passes);
    const Piece piece{row_stride, columns, out, slots,
                      rows * std::abs(row_stride) * sizeof(R) > (1 << 20)};
    for (int i = 0; i < count; ++i) {
      const R* next = p + (i + 1 < count ? passes[i + 1].row * row_stride : columns);
      AnyPass(op, p + passes[i].row * row_stride, next, passes[i], piece);
    }
  }

 private:
  static constexpr int64_t kPassAhead = 4096 / sizeof(R);  // of all streams of a pass together

  struct Piece {
    int64_t row_stride, columns;
    A* out;
    A* slots;
    bool prefetch;  // not what L2 holds
    A* slot(int i) const { return i < 0 ? out : slots + i * columns; }
  };

  static HWY_INLINE void AnyPass(const Op& op, const R* p, const R* next, const RowPass& pass,
                                 const Piece& piece) {
    switch (pass.lanes * 8 + pass.rows) {
      case 8 + 1:
        return Pass<1, 1>(op, p, next, pass, piece);
      case 8 + 2:
        return Pass<1, 2>(op, p, next, pass, piece);
      case 8 + 3:
        return Pass<1, 3>(op, p, next, pass, piece);
      case 8 + 4:
        return Pass<1, 4>(op, p, next, pass, piece);
      case 16 + 1:
        return Pass<2, 1>(op, p, next, pass, piece);
      case 16 + 2:
        return Pass<2, 2>(op, p, next, pass, piece);
      default:
        return Pass<4, 1>(op, p, next, pass, piece);
    }
  }

  // kLanes lanes of kRows rows each, joined with what earlier passes left.
  template <int kLanes, int kRows>
  static void Pass(const Op& op, const R* p, const R* next, const RowPass& pass,
                   const Piece& piece) {
    const D d;
    // Where each row begins, lanes in the order in which they meet.
    int64_t at[kLanes * kRows];
    for (int l = 0; l < kLanes; ++l) {
      const int lane = kLanes == 4 ? l % 2 * 2 + l / 2 : l;
      for (int k = 0; k < kRows; ++k)
        at[l * kRows + k] = (lane * pass.lane_step + k * 16) * piece.row_stride;
    }
    A* to = piece.slot(pass.top - pass.merges);
    const int64_t ahead = !piece.prefetch ? 0 : kPassAhead / (kLanes * kRows);
    const A* onto = pass.onto >= 0 ? piece.slot(pass.onto) : nullptr;
    const auto column = [&](auto load, auto load_state) HWY_ATTR {
      V lane[kLanes];
      TENFOLD_UNROLL
      for (int l = 0; l < kLanes; ++l) {
        lane[l] = load(at[l * kRows], nullptr);
        if (kLanes == 1 && onto != nullptr) lane[l] = op.Combine(d, load_state(onto), lane[l]);
        TENFOLD_UNROLL
        for (int k = 1; k < kRows; ++k) lane[l] = load(at[l * kRows + k], &lane[l]);
      }
      TENFOLD_UNROLL
      for (int l = 0; l + 1 < kLanes; l += 2) lane[l] = op.Combine(d, lane[l], lane[l + 1]);
      if constexpr (kLanes == 4) lane[0] = op.Combine(d, lane[0], lane[2]);
      for (int m = 0; m < pass.merges; ++m)
        lane[0] = op.Combine(d, load_state(piece.slot(pass.top - m)), lane[0]);
      return lane[0];
    };
    int64_t c = 0;
    for (; c + N <= piece.columns; c += N) {
      if (ahead != 0) {
        // The end of a piece prefetches the start of the next rows.
        const R* far =
            c + ahead < piece.columns ? p + c + ahead : next + (c + ahead - piece.columns);
        TENFOLD_UNROLL
        for (int k = 0; k < kLanes * kRows; ++k) __builtin_prefetch(far + at[k], 0, 3);
      }
      const V v = column(
          [&](int64_t offset, const V* acc) HWY_ATTR {
            return acc == nullptr ? L::Map(op, p + offset + c, NoBias{})
                                  : L::Add(op, *acc, p + offset + c, NoBias{});
          },
          [&](const A* state) HWY_ATTR { return hn::LoadU(d, state + c); });
      hn::StoreU(v, d, to + c);
    }
    if (c == piece.columns) return;
    const auto rest = static_cast<size_t>(piece.columns - c);
    const V v = column(
        [&](int64_t offset, const V* acc) HWY_ATTR {
          const V x = L::MapTail(op, p + offset + c, NoBias{}, piece.columns - c);
          return acc == nullptr ? x : op.Combine(d, *acc, x);
        },
        [&](const A* state) HWY_ATTR { return LoadTail(d, state + c, rest); });
    StoreTail(v, d, to + c, rest);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
