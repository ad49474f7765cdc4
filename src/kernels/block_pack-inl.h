// Packs a block of a strided operand into panels, converting its elements on the way.
// Per-target: included once for each SIMD target by the block kernel files.
//
// A panel is a dense matrix [step][slot]. Its slots fall into groups of a vector's lanes; a group
// is stored as a whole vector even if it has fewer: what spills over is the next step's and is
// written after it, or lies in the slack behind the block.
#if defined(TENFOLD_KERNELS_BLOCK_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BLOCK_PACK_INL_H_
#undef TENFOLD_KERNELS_BLOCK_PACK_INL_H_
#else
#define TENFOLD_KERNELS_BLOCK_PACK_INL_H_
#endif

#include "kernels/block_across-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class Op, class S, bool kColumns>
struct BlockPack {
  using L = BlockLoader<Op, S>;
  using T = typename Op::Packed;
  using R = typename L::R;
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t N = hn::MaxLanes(D());
  static constexpr int64_t kWidth = kColumns ? kPanelVectors * N : BlockTiles<Op>::kRows;
  static constexpr int64_t kGroups = (kWidth + N - 1) / N;
  static constexpr int64_t kPerStep = L::kPerStep;

  struct Panel {
    const int64_t* slots;
    int64_t width;
    const ColumnVector* vectors;
    T* out;
    int64_t rest;  // slots from the panel's first on
    // Lanes of group g that are not empty.
    int64_t lanes(int64_t g) const {
      return kColumns ? vectors[g].lanes : std::min(N, width - g * N);
    }
  };

  static void Run(const PackArgs& args) {
    const int64_t steps = (args.k + kPerStep - 1) / kPerStep;
    const auto pack = [&](int64_t first, int64_t width) {
      const Panel panel{args.slots + first, width, kColumns ? args.vectors + first / N : nullptr,
                        static_cast<T*>(args.packed) + first * steps, args.count - first};
      if (args.way == PackWay::kAlongK)
        AlongK(args, panel);
      else if (args.way != PackWay::kAlongSlots || !AlongSlots(args, panel))
        Gather(args, panel);
    };
    if constexpr (kColumns) {
      if (args.way == PackWay::kAcross) {
        BlockAcross<Op, S>::Run(args);
        return End(args, 0, (args.count + kWidth - 1) / kWidth);
      }
    }
    PackPanels(args, steps, pack);
  }

 private:
  template <class Pack>
  static void PackPanels(const PackArgs& args, int64_t steps, Pack pack) {
    const bool together = args.way == PackWay::kAlongSlots;
    const RowPanels rows(args.count, kWidth);
    const int64_t count = kColumns ? (args.count + kWidth - 1) / kWidth : rows.count;
    for (int64_t i = 0; i < count;) {
      int64_t panels = 0;
      if constexpr (kColumns) {
        if (together) panels = WholePanels(args, i * kWidth, steps);
        if (panels == 0) pack(i * kWidth, std::min(kWidth, args.count - i * kWidth));
      } else {
        if (together) panels = WholeRows(args, rows, i, steps);
        if (panels == 0) pack(rows.first(i), rows.rows(i));
      }
      panels = std::max<int64_t>(panels, 1);
      End(args, i, i + panels);
      i += panels;
    }
  }

  // What is left to do for packed panels.
  static void End(const PackArgs& args, int64_t begin, int64_t end) {
    if constexpr (HasExact<Op>) {
      const RowPanels rows(args.count, kWidth);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = kColumns ? i * kWidth : rows.first(i);
        const int64_t slots = kColumns ? std::min(kWidth, args.count - first) : rows.rows(i);
        L::template EndPanel<kColumns>(args, i, first, slots);
      }
    }
  }

  // ---- element by element

  static void Gather(const PackArgs& args, const Panel& panel) {
    const R* source = static_cast<const R*>(args.source);
    T* out = panel.out;
    for (int64_t k = 0; k < args.k; k += kPerStep, out += panel.width)
      for (int64_t i = 0; i < panel.width; ++i)
        out[i] = L::One(source + panel.slots[i], args.k_offsets + k, k + 1 < args.k);
  }

  // ---- neighbouring slots are neighbours in memory

  static constexpr int64_t kAhead = 16;  // k that are prefetched ahead
  struct Segment {
    int64_t at, count;
    const R* source;
    bool empty_lanes;  // zeros are to fill the vector from `at` on first
  };

  // Several whole panels whose vectors lie side by side in memory, a line of each at a time, so
  // that memory is read in longer pieces. Returns how many there were.
  static int64_t WholePanels(const PackArgs& args, int64_t first, int64_t steps) {
    constexpr int64_t kMost = 4 * kGroups;
    const R* sources[kMost];
    int64_t count = 0;
    const int64_t end = std::min(kMost, (args.count - first) / N);
    for (; count < end; ++count) {
      const int64_t* slots = args.slots + first + count * N;
      if (args.vectors[first / N + count].lanes < N) break;
      int64_t lane = 1;
      while (lane < N && slots[lane] == slots[0] + lane) ++lane;
      if (lane < N) break;
      sources[count] = static_cast<const R*>(args.source) + slots[0];
    }
    const int64_t panels = count / kGroups;
    const D d;
    T* out = static_cast<T*>(args.packed) + first * steps;
    for (int64_t k = 0; k < args.k; k += kPerStep, out += kWidth) {
      const int64_t ahead = args.k_offsets[std::min(k + kAhead, args.k - 1)];
      T* to = out;
      for (int64_t p = 0; p < panels; ++p, to += kWidth * steps) {
        TENFOLD_UNROLL
        for (int64_t g = 0; g < kGroups; ++g) {
          const R* from = sources[p * kGroups + g];
          __builtin_prefetch(from + ahead, 0, 3);
          hn::StoreU(L::Slots(d, from, args.k_offsets + k, k + 1 < args.k), d, to + g * N);
        }
      }
    }
    return panels;
  }

  // The same for rows, a few panels of which make up a line.
  static int64_t WholeRows(const PackArgs& args, const RowPanels& panels, int64_t first,
                           int64_t steps) {
    constexpr int64_t kMost = 8;
    const R* sources[kMost];
    int64_t count = 0;
    for (const int64_t end = std::min(kMost, panels.count - first); count < end; ++count) {
      const int64_t* slots = args.slots + panels.first(first + count);
      const int64_t rows = panels.rows(first + count);
      int64_t row = 1;
      while (row < rows && slots[row] == slots[0] + row) ++row;
      if (row < rows) break;
      sources[count] = static_cast<const R*>(args.source) + slots[0];
    }
    const D d;
    T* out = static_cast<T*>(args.packed) + panels.first(first) * steps;
    for (int64_t k = 0; k < args.k; k += kPerStep) {
      const int64_t ahead = args.k_offsets[std::min(k + kAhead, args.k - 1)];
      const bool second = k + 1 < args.k;
      const int64_t* ks = args.k_offsets + k;
      T* to = out;
      for (int64_t p = 0; p < count; ++p) {
        const int64_t rows = panels.rows(first + p);
        const R* from = sources[p];
        __builtin_prefetch(from + ahead, 0, 3);
        T* step = to + k / kPerStep * rows;
        TENFOLD_UNROLL
        for (int64_t g = 0; g < kGroups; ++g) {
          const int64_t lanes = rows - g * N;
          if (lanes >= N)
            hn::StoreU(L::Slots(d, from + g * N, ks, second), d, step + g * N);
          else if (lanes > 0)
            CopyFew(from + g * N, ks, second, lanes, step + g * N);
        }
        to += rows * steps;
      }
    }
    return count;
  }

  // False if the panel falls into too many segments.
  static bool AlongSlots(const PackArgs& args, const Panel& panel) {
    constexpr int64_t kMost = kGroups * 4;
    Segment segments[kMost];
    const R* source = static_cast<const R*>(args.source);
    int64_t count = 0;
    bool whole = true;
    for (int64_t g = 0; g * N < panel.width; ++g) {
      const int64_t lanes = panel.lanes(g);
      const int64_t* slots = panel.slots + g * N;
      for (int64_t i = 0; i < lanes;) {
        int64_t n = 1;
        while (i + n < lanes && slots[i + n] == slots[i] + n) ++n;
        if (count == kMost) return false;
        segments[count++] = {g * N + i, n, source + slots[i], kColumns && i == 0 && lanes < N};
        whole &= n == N;
        i += n;
      }
    }
    if (whole && count == kGroups)
      CopyWhole<kGroups>(args, segments, panel.out);
    else if (whole && count == 1)
      CopyWhole<1>(args, segments, panel.out);
    else
      CopySegments(args, segments, count, panel);
    return true;
  }

  template <int64_t kCount>
  static HWY_INLINE void CopyWhole(const PackArgs& args, const Segment* segments, T* out) {
    const D d;
    for (int64_t k = 0; k < args.k; k += kPerStep, out += kCount * N) {
      TENFOLD_UNROLL
      for (int64_t s = 0; s < kCount; ++s)
        hn::StoreU(L::Slots(d, segments[s].source, args.k_offsets + k, k + 1 < args.k), d,
                   out + s * N);
    }
  }

  static void CopySegments(const PackArgs& args, const Segment* segments, int64_t count,
                           const Panel& panel) {
    const D d;
    T* out = panel.out;
    for (int64_t k = 0; k < args.k; k += kPerStep, out += panel.width)
      for (int64_t s = 0; s < count; ++s) {
        const Segment& segment = segments[s];
        if (segment.empty_lanes) hn::StoreU(hn::Zero(d), d, out + segment.at);
        if (segment.count == N)
          hn::StoreU(L::Slots(d, segment.source, args.k_offsets + k, k + 1 < args.k), d,
                     out + segment.at);
        else
          CopyFew(segment.source, args.k_offsets + k, k + 1 < args.k, segment.count,
                  out + segment.at);
      }
  }

  // Fewer than N slots and not one more: two halves of a vector that overlap, or two quarters.
  static HWY_INLINE void CopyFew(const R* from, const int64_t* k, bool second, int64_t count,
                                 T* out) {
    using DQuarter = std::conditional_t<(N >= 8), hn::Half<hn::Half<D>>, hn::Half<D>>;
    if (count >= N / 2)
      CopyTwo(hn::Half<D>(), from, k, second, count, out);
    else if (N >= 8 && count >= N / 4)
      CopyTwo(DQuarter(), from, k, second, count, out);
    else
      for (int64_t i = 0; i < count; ++i) out[i] = L::One(from + i, k, second);
  }
  template <class DP>
  static HWY_INLINE void CopyTwo(DP d, const R* from, const int64_t* k, bool second, int64_t count,
                                 T* out) {
    const int64_t last = count - static_cast<int64_t>(hn::MaxLanes(d));
    const auto v = L::Slots(d, from, k, second), w = L::Slots(d, from + last, k, second);
    hn::StoreU(v, d, out);
    hn::StoreU(w, d, out + last);
  }

  // ---- neighbouring k are neighbours in memory

  // Groups whose stores overlap, so that they must be stored step by step.
  static constexpr int64_t kTogether = kColumns ? 1 : kGroups;
  using DHalf = typename BlockSquare<D>::DHalf;

  static void AlongK(const PackArgs& args, const Panel& panel) {
    const R* rows[kGroups * N];  // where each slot is; those that don't exist repeat the last
    for (int64_t i = 0; i < kGroups * N; ++i)
      rows[i] = static_cast<const R*>(args.source) + panel.slots[std::min(i, panel.width - 1)];
    // Not more streams at a time than must be.
    for (int64_t g = 0; g * N < panel.width; g += kTogether) {
      const int64_t next = kColumns ? (g + 1) * N : panel.width;
      const int64_t last = std::min(next + (kColumns ? N : panel.width), panel.rest);
      int64_t phase = args.k_phase;
      for (int64_t k = 0; k < args.k;) {
        const int64_t run = std::min({args.k - k, args.k_run - phase, N * kPerStep});
        const int64_t at = args.k_offsets[k];
        T* out = panel.out + k / kPerStep * panel.width + g * N;
        // The next slots' elements of these k: they begin anywhere, no hardware foresees them.
        if (args.far) {
          for (int64_t i = next; i < last; ++i)
            __builtin_prefetch(static_cast<const R*>(args.source) + panel.slots[i] + at, 0, 2);
        }
        if (run == N * kPerStep)
          WholeTile(rows + g * N, at, panel.width, out);
        else
          PartOfTile(rows + g * N, at, run, panel.width, out);
        k += run;
        phase = phase + run == args.k_run ? 0 : phase + run;
      }
    }
  }

  // Panels of three blocks of rows, where a vector has four: the same with a quarter left out.
  static constexpr bool kThreeBlocks = !kColumns && N == 16 && kWidth == 12;
  static HWY_INLINE void ThreeBlocks(const R* const* rows, int64_t at, int64_t width, T* out) {
    const D d;
    const DHalf dh;
    const hn::Half<DHalf> dq;
    TENFOLD_UNROLL
    for (int64_t step = 0; step < N; step += 4, at += 4 * kPerStep) {
      V x[4];
      TENFOLD_UNROLL
      for (int64_t i = 0; i < 4; ++i) {
        const auto low =
            hn::Combine(dh, L::Steps(dq, rows[4 + i] + at), L::Steps(dq, rows[i] + at));
        x[i] = hn::Combine(d, hn::ZeroExtendVector(dh, L::Steps(dq, rows[8 + i] + at)), low);
      }
      BlockSquare<D>::Blocks(x);
      TENFOLD_UNROLL
      for (int64_t i = 0; i < 4; ++i, out += width) hn::StoreU(x[i], d, out);
    }
  }

  static HWY_INLINE void WholeTile(const R* const* rows, int64_t at, int64_t width, T* out) {
    const D d;
    if constexpr (kThreeBlocks) return ThreeBlocks(rows, at, width, out);
    V steps[kTogether][N];
    TENFOLD_UNROLL
    for (int64_t t = 0; t < kTogether; ++t)
      BlockSquare<D>::FromHalves(
          [&](int r, int half) HWY_ATTR {
            return L::Steps(DHalf(),
                            rows[t * N + r] + at + half * BlockSquare<D>::kHalf * kPerStep);
          },
          steps[t]);
    TENFOLD_UNROLL
    for (int64_t i = 0; i < N; ++i, out += width) {
      TENFOLD_UNROLL
      for (int64_t t = 0; t < kTogether; ++t) hn::StoreU(steps[t][i], d, out + t * N);
    }
  }

  static HWY_NOINLINE void PartOfTile(const R* const* rows, int64_t at, int64_t k, int64_t width,
                                      T* out) {
    const D d;
    HWY_ALIGN T steps[kTogether][N * N];
    for (int64_t t = 0; t < kTogether; ++t) {
      V v[N];
      BlockSquare<D>::FromRows(
          [&](int r)
              HWY_ATTR { return L::SomeSteps(d, rows[t * N + r] + at, static_cast<size_t>(k)); },
          v);
      TENFOLD_UNROLL
      for (int64_t i = 0; i < N; ++i) hn::Store(v[i], d, steps[t] + i * N);
    }
    for (int64_t i = 0; i * kPerStep < k; ++i, out += width)
      for (int64_t t = 0; t < kTogether; ++t)
        hn::StoreU(hn::Load(d, steps[t] + i * N), d, out + t * N);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
