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

#include "kernels/block_load-inl.h"

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
    // Lanes of group g that are not empty.
    int64_t lanes(int64_t g) const {
      return kColumns ? vectors[g].lanes : std::min(N, width - g * N);
    }
  };

  static void Run(const PackArgs& args) {
    if (kColumns && args.way == PackWay::kAcross) return Across(args);
    const int64_t steps = (args.k + kPerStep - 1) / kPerStep;
    const auto pack = [&](int64_t first, int64_t width) {
      const Panel panel{args.slots + first, width, kColumns ? args.vectors + first / N : nullptr,
                        static_cast<T*>(args.packed) + first * steps};
      if (args.way == PackWay::kAlongK)
        AlongK(args, panel);
      else if (args.way != PackWay::kAlongSlots || !AlongSlots(args, panel))
        Gather(args, panel);
    };
    if constexpr (kColumns) {
      for (int64_t i = 0; i < args.count; i += kWidth) pack(i, std::min(kWidth, args.count - i));
    } else {
      const RowPanels panels(args.count, kWidth);
      for (int64_t i = 0; i < panels.count; ++i) pack(panels.first(i), panels.rows(i));
    }
  }

 private:
  // ---- element by element

  static void Gather(const PackArgs& args, const Panel& panel) {
    const R* source = static_cast<const R*>(args.source);
    T* out = panel.out;
    for (int64_t k = 0; k < args.k; k += kPerStep, out += panel.width)
      for (int64_t i = 0; i < panel.width; ++i)
        out[i] = L::One(source + panel.slots[i], args.k_offsets + k, k + 1 < args.k);
  }

  // ---- neighbouring slots are neighbours in memory

  struct Segment {
    int64_t at, count;
    const R* source;
    bool empty_lanes;  // zeros are to fill the vector from `at` on first
  };

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
        CopySome(segment, args.k_offsets + k, k + 1 < args.k, out + segment.at);
      }
  }

  static HWY_INLINE void CopySome(const Segment& segment, const int64_t* k, bool second, T* out) {
    const D d;
    if (segment.count == N) {
      hn::StoreU(L::Slots(d, segment.source, k, second), d, out);
#if HWY_TARGET <= HWY_AVX3
    } else {
      hn::StoreU(L::SomeSlots(d, segment.source, k, second, static_cast<size_t>(segment.count)), d,
                 out);
    }
#else  // masks are slow or missing: two halves that overlap
    } else if (segment.count >= N / 2) {
      const hn::Half<D> dh;
      const int64_t last = segment.count - N / 2;
      hn::StoreU(L::Slots(dh, segment.source, k, second), dh, out);
      hn::StoreU(L::Slots(dh, segment.source + last, k, second), dh, out + last);
    } else {
      for (int64_t i = 0; i < segment.count; ++i) out[i] = L::One(segment.source + i, k, second);
    }
#endif
  }

  // ---- neighbouring k are neighbours in memory

  static void AlongK(const PackArgs& args, const Panel& panel) {
    const R* source = static_cast<const R*>(args.source);
    int64_t phase = args.k_phase;
    for (int64_t k = 0; k < args.k;) {
      const int64_t run = std::min({args.k - k, args.k_run - phase, N * kPerStep});
      AlongKTile(panel, source + args.k_offsets[k], run, panel.out + k / kPerStep * panel.width);
      k += run;
      phase = phase + run == args.k_run ? 0 : phase + run;
    }
  }

  static HWY_INLINE void AlongKTile(const Panel& panel, const R* source, int64_t k, T* out) {
    constexpr int64_t kTogether = kColumns ? 1 : kGroups;  // groups whose stores overlap
    const D d;
    const int64_t groups = (panel.width + N - 1) / N, steps = (k + kPerStep - 1) / kPerStep;
    for (int64_t g = 0; g < groups; g += kTogether) {
      V columns[kTogether][N];
      TENFOLD_UNROLL
      for (int64_t t = 0; t < kTogether; ++t)
        if (g + t < groups)
          TransposeSlots(source, panel.slots + (g + t) * N, std::min(N, panel.width - (g + t) * N),
                         k, columns[t]);
      for (int64_t i = 0; i < steps; ++i)
        for (int64_t t = 0; t < kTogether; ++t)
          if (g + t < groups) hn::StoreU(columns[t][i], d, out + i * panel.width + (g + t) * N);
    }
  }

  // out[i] = step i of the slots; slots beyond `count` repeat the last.
  static HWY_INLINE void TransposeSlots(const R* source, const int64_t* slots, int64_t count,
                                        int64_t k, V* out) {
    const D d;
    const R* rows[N];
    TENFOLD_UNROLL
    for (int64_t i = 0; i < N; ++i) rows[i] = source + slots[std::min(i, count - 1)];
    if (k == N * kPerStep) {
      using DL = std::conditional_t<(BlockSquare<D>::kHalf < N), hn::Half<D>, D>;
      BlockSquare<D>::FromHalves(
          [&](int r, int half) HWY_ATTR {
            return L::Steps(DL(), rows[r] + half * BlockSquare<D>::kHalf * kPerStep);
          },
          out);
    } else {
      BlockSquare<D>::FromRows(
          [&](int r) HWY_ATTR { return L::SomeSteps(d, rows[r], static_cast<size_t>(k)); }, out);
    }
  }

  // ---- slots x_step apart are neighbours in memory

  // Slot x * x_step + t is at slots[t] + x for a run of x; for each k, squares of N values of t by
  // N of x are transposed into a line of all slots, or straight into the panels where every vector
  // begins at a multiple of N.
  static void Across(const PackArgs& args) {
    const int64_t steps = (args.k + kPerStep - 1) / kPerStep;
    const int64_t positions = args.count / args.x_step;
    T* line = static_cast<T*>(args.line);
    const bool direct = args.x_step % N == 0;
    for (int64_t i = positions * args.x_step; i < args.count; ++i) line[i] = T{};
    for (int64_t k = 0; k < args.k; k += kPerStep) {
      const int64_t* slots = args.slots;
      for (int64_t x = 0; x < positions;) {
        int64_t run = 1;
        while (run < N && x + run < positions && slots[run * args.x_step] == slots[0] + run) ++run;
        for (int64_t t = 0; t < args.x_step; t += N) {
          if (t + N > args.x_step && args.x_step >= N) t = args.x_step - N;
          AcrossTile(args, slots + t, k, run, direct, steps, x * args.x_step + t, line);
        }
        x += run;
        slots += run * args.x_step;
      }
      if (!direct) LineToPanels(args, line, k / kPerStep, steps);
    }
  }

  static HWY_INLINE T* Place(const PackArgs& args, int64_t slot, int64_t step, int64_t steps) {
    const int64_t panel = slot / kWidth * kWidth;
    const int64_t width = std::min(kWidth, args.count - panel);
    return static_cast<T*>(args.packed) + panel * steps + step * width + slot % kWidth;
  }

  static HWY_INLINE void AcrossTile(const PackArgs& args, const int64_t* slots, int64_t k,
                                    int64_t run, bool direct, int64_t steps, int64_t slot,
                                    T* line) {
    const D d;
    const R* source = static_cast<const R*>(args.source);
    const int64_t count = std::min(N, args.x_step);
    const int64_t* ks = args.k_offsets + k;
    const bool second = k + 1 < args.k;
    const R* rows[N];
    TENFOLD_UNROLL
    for (int64_t i = 0; i < N; ++i) rows[i] = source + slots[std::min(i, count - 1)];
    V out[N];
    if (run == N) {
      using DL = std::conditional_t<(BlockSquare<D>::kHalf < N), hn::Half<D>, D>;
      BlockSquare<D>::FromHalves(
          [&](int r, int half) HWY_ATTR {
            return L::Slots(DL(), rows[r] + half * BlockSquare<D>::kHalf, ks, second);
          },
          out);
    } else {
      BlockSquare<D>::FromRows(
          [&](int r)
              HWY_ATTR { return L::SomeSlots(d, rows[r], ks, second, static_cast<size_t>(run)); },
          out);
    }
    for (int64_t x = 0; x < run; ++x) {
      const int64_t at = slot + x * args.x_step;
      if (direct)
        hn::StoreU(out[x], d, Place(args, at, k / kPerStep, steps));
      else if (count == N)
        hn::StoreU(out[x], d, line + at);
      else  // whole vectors would spill into the next x, which is there already
        StoreTail(out[x], d, line + at, static_cast<size_t>(count));
    }
  }

  static void LineToPanels(const PackArgs& args, const T* line, int64_t step, int64_t steps) {
    const D d;
    for (int64_t slot = 0; slot < args.count; slot += N)
      hn::StoreU(hn::LoadU(d, line + slot), d, Place(args, slot, step, steps));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
