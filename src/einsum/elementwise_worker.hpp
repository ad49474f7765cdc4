// One thread's walk over some of the tiles of a copy or product.
// Made by ElementwisePlan::run (elementwise_run.cpp, where tiles are walked and computed);
// elementwise_bring.cpp has what brings an operand into place.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "einsum/elementwise.hpp"
#include "einsum/parallel.hpp"

namespace tenfold::einsum_detail {

class ElementwiseWorker {
 public:
  // More than a tensor has axes, with the loops over windows.
  static constexpr std::size_t kMaxLoops = 72;
  static constexpr std::int64_t kLine = 64;
  // `head`: the first window of the run, if that is shorter than the others; else 0.
  ElementwiseWorker(const ElementwisePlan& plan, const std::byte* a, const std::byte* b,
                    std::byte* c, std::int64_t head)
      : plan_(plan), head_(head), sources_{a, b}, c_(c) {
    if (plan.scratch_ > 0) scratch_ = piece_scratch(plan.scratch_);
    run_ = first_window(plan.run_);
    rows_ = first_window(plan.rows_);
    layers_ = first_window(plan.layers_);
    if (!plan.loops_.empty()) ahead_ = plan.loops_.back().step;
  }

  static std::int64_t count(const ElementLoop& loop, const ElementwisePlan& plan,
                            std::int64_t head) {
    return loop.windows == &plan.run_ && head > 0
               ? 1 + (plan.run_.size - head + plan.run_.block - 1) / plan.run_.block
               : loop.count;
  }

  // Tiles begin … end - 1 in the order of the loops.
  void walk(std::int64_t begin, std::int64_t end);

 private:
  // Elements begin … begin + count of a FlatAxis.
  struct Window {
    std::int64_t begin = 0, count = 1;
  };
  Window first_window(const FlatAxis& flat) const {
    const std::int64_t first = &flat == &plan_.run_ && head_ > 0 ? head_ : flat.block;
    return {0, std::min(first, flat.size)};
  }

  void set(std::size_t i, std::int64_t digit);  // loop i

  static std::int64_t offset(const FlatAxis& flat, Side side, std::int64_t i) {
    if (flat.single) return i * flat.unit[side];
    return i / flat.inner * flat.outer[side] +
           flat.offsets[side][static_cast<std::size_t>(i % flat.inner)];
  }
  // Where the run's window begins: its element's first axis; `bring` knows the way from there.
  std::int64_t run_base(Side side) const {
    return run_.begin / plan_.run_.inner * plan_.run_.outer[side];
  }

  // From the first row of the window to row p.
  std::int64_t row_offset(Side side, std::int64_t p) const {
    if (plan_.rows_.single) return p * plan_.rows_.unit[side];
    return offset(plan_.rows_, side, rows_.begin + p) - offset(plan_.rows_, side, rows_.begin);
  }

  void run_tile();
  void move(Side side, const std::byte* from, std::byte* to, std::int64_t to_row,
            std::int64_t to_layer) const;
  void move_row(const ElementOperand& x, Side side, const std::byte* from, std::byte* to) const;
  void interleave(const ElementOperand& x, Side side, const std::byte* from, std::byte* to) const;
  void pieces(const ElementOperand& x, const std::byte* from, const std::int64_t* offsets,
              std::byte* to) const;
  void bring(Side side, const std::byte* from);
  void convert(Side side);
  void transpose_and_prefetch(Side side, const std::byte* from, const std::int64_t* offsets,
                              std::byte* to, std::int64_t to_row) const;
  void stream_segments(const std::byte* from, std::byte* c) const;
  void compute_layer(std::int64_t t, std::byte* c) const;
  void compute(kernels::ElementRows rows, std::byte* c) const;

  const ElementwisePlan& plan_;
  const std::int64_t head_;
  std::array<const std::byte*, 2> sources_;
  std::byte* const c_;
  std::byte* scratch_ = nullptr;
  Steps at_{};                              // of the loops over axes
  Steps ahead_{};                           // to the next tile, mostly
  std::array<const std::byte*, 2> from_{};  // the operands' parts of this tile
  Window run_, rows_, layers_;
  std::array<std::int64_t, kMaxLoops> digits_{};

  // An operand of the tile: where its rows are.
  struct Ready {
    const std::byte* data = nullptr;
    std::int64_t row = 0, layer = 0;
    bool in_place = true;
    // What the buffer holds, so that it is not brought again.
    const std::byte* from = nullptr;
    std::int64_t begin = -1, first_row = 0;  // in the run's and the rows' first axis
    std::array<std::int64_t, 3> counts{};
  };
  std::array<Ready, 2> ready_;
};

}  // namespace tenfold::einsum_detail
