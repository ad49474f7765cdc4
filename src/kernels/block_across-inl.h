// Packs columns of which slots some steps apart are neighbours in memory: for each k, squares of
// those and what lies between them are transposed in registers.
// Per-target: included once for each SIMD target by block_pack-inl.h.
#if defined(TENFOLD_KERNELS_BLOCK_ACROSS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENFOLD_KERNELS_BLOCK_ACROSS_INL_H_
#undef TENFOLD_KERNELS_BLOCK_ACROSS_INL_H_
#else
#define TENFOLD_KERNELS_BLOCK_ACROSS_INL_H_
#endif

#include "kernels/block_load-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class Op, class S>
struct BlockAcross {
  using L = BlockLoader<Op, S>;
  using T = typename Op::Packed;
  using R = typename L::R;
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using DHalf = typename BlockSquare<D>::DHalf;
  static constexpr int64_t N = hn::MaxLanes(D());
  static constexpr int64_t kWidth = kPanelVectors * N;
  static constexpr int64_t kPerStep = L::kPerStep;

  // Slot x * x_step + t is at slots[x * x_step] + (slots[t] - slots[0]), and the first of these
  // steps by one in runs of x. For each k, squares of N values of t by N of x are transposed into a
  // line of all slots, or straight into the panels where every vector begins at a multiple of N.
  static void Run(const PackArgs& args) {
    const int64_t steps = (args.k + kPerStep - 1) / kPerStep;
    const int64_t positions = args.count / args.x_step;
    T* line = static_cast<T*>(args.line);
    const bool direct = args.x_step % N == 0;
    for (int64_t i = positions * args.x_step; i < args.count; ++i) line[i] = T{};
    // A pass: one step of N values of t. In lines all t of a step come together; else all steps of
    // a t, whose rows are rarely at the same place of a cache.
    const int64_t groups = (args.x_step + N - 1) / N;
    int64_t rows[N], next[N];
    AcrossRows(args, 0, 0, next);
    for (int64_t pass = 0; pass < steps * groups; ++pass) {
      const auto at = [&](int64_t p) { return direct ? p % steps : p / groups; };
      const auto first = [&](int64_t p) {
        return std::max<int64_t>(std::min((direct ? p / steps : p % groups) * N, args.x_step - N),
                                 0);
      };
      const int64_t step = at(pass), t = first(pass);
      std::copy_n(next, N, rows);
      // The rows after these are asked for as these are read.
      if (pass + 1 < steps * groups)
        AcrossRows(args, at(pass + 1) * kPerStep, first(pass + 1), next);
      for (int64_t x = 0; x < positions;) {
        const int64_t* slots = args.slots + x * args.x_step;
        int64_t run = 1;
        while (run < N && x + run < positions && slots[run * args.x_step] == slots[0] + run) ++run;
        if (args.far) AskForRows(args, next, x, x + run, positions);
        AcrossTile(args, rows, slots[0], step * kPerStep, run, direct, steps, x * args.x_step + t,
                   line);
        x += run;
      }
      if (!direct && t + N >= args.x_step) LineToPanels(args, line, step, steps);
    }
  }

 private:
  // Offsets of the N rows from t on, less that of the slot they are in; what doesn't exist repeats.
  static HWY_INLINE void AcrossRows(const PackArgs& args, int64_t k, int64_t t, int64_t* rows) {
    for (int64_t i = 0; i < N; ++i)
      rows[i] = args.slots[std::min(t + i, args.x_step - 1)] - args.slots[0] + args.k_offsets[k];
  }

  // While the tile at x is read: a share of the rows that are read next, each from end to end,
  // since rows lie far apart in memory and its neighbours in a row come cheaper.
  static HWY_INLINE void AskForRows(const PackArgs& args, const int64_t* rows, int64_t x,
                                    int64_t x_end, int64_t positions) {
    const R* source = static_cast<const R*>(args.source);
    for (int64_t r = x * N / positions; r < x_end * N / positions; ++r)
      for (int64_t i = 0; i < positions; i += kLine)
        __builtin_prefetch(source + args.slots[i * args.x_step] + rows[r], 0, 2);
  }
  static constexpr int64_t kLine = 64 / sizeof(R);

  static HWY_INLINE T* Place(const PackArgs& args, int64_t slot, int64_t step, int64_t steps) {
    const int64_t panel = slot / kWidth * kWidth;
    const int64_t width = std::min(kWidth, args.count - panel);
    return static_cast<T*>(args.packed) + panel * steps + step * width + slot % kWidth;
  }

  static HWY_INLINE void AcrossTile(const PackArgs& args, const int64_t* rows, int64_t x, int64_t k,
                                    int64_t run, bool direct, int64_t steps, int64_t slot,
                                    T* line) {
    const D d;
    const R* source = static_cast<const R*>(args.source) + x;
    const bool second = k + 1 < args.k;
    // The second of two k, from the first; the rows are at the first.
    const int64_t ks[2] = {0, second ? args.k_offsets[k + 1] - args.k_offsets[k] : 0};
    V out[N];
    if (run == N) {
      BlockSquare<D>::FromHalves(
          [&](int r, int half) HWY_ATTR {
            return L::Slots(DHalf(), source + rows[r] + half * BlockSquare<D>::kHalf, ks, second);
          },
          out);
    } else {
      BlockSquare<D>::FromRows(
          [&](int r) HWY_ATTR {
            return L::SomeSlots(d, source + rows[r], ks, second, static_cast<size_t>(run));
          },
          out);
    }
    for (int64_t i = 0; i < run; ++i, slot += args.x_step) {
      if (direct)
        hn::StoreU(out[i], d, Place(args, slot, k / kPerStep, steps));
      else if (args.x_step >= N)
        hn::StoreU(out[i], d, line + slot);
      else  // whole vectors would spill into the next x, which is there already
        StoreTail(out[i], d, line + slot, static_cast<size_t>(args.x_step));
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
