// Copies and elementwise products over strided memory: the plan that both share and its run.
// Made by copy.cpp and multiply.cpp; the loops over elements are in
// kernels/elementwise_kernels.hpp.
//
//   layers x rows x run                 the part of the output that one *tile* covers
//   run     the innermost axes of c, one after another in memory: what vectors run along
//   rows    an axis across the run; where an operand has its unit stride there, squares of
//           rows x run are transposed in registers on the way in
//   layers  the same for a second operand with its unit stride on yet another axis
//
// An operand that already lies along the run (or does not change along it) is read in place. Any
// other is brought into a buffer in the L1 cache, tile by tile, and so is one whose type is not the
// one computed in. All that is left of the axes are loops around the tiles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "einsum/elementwise_axes.hpp"
#include "einsum/pair.hpp"
#include "kernels/elementwise_kernels.hpp"

namespace tenfold::einsum_detail {

// How an operand comes to lie along the run.
enum class Bring {
  kInPlace,          // it does
  kOne,              // one element for the whole run
  kSegments,         // pieces do
  kRepeat,           // each element stands for a whole piece
  kReverse,          // backwards
  kInterleave,       // unit stride on the run's last axis but one
  kInterleaveFew,    // the same, with 2 to 4 elements on the last
  kTranspose,        // unit stride on `rows`
  kDeinterleave,     // the same, with 2 to 4 rows that lie side by side
  kTransposeLayers,  // unit stride on `layers`
  kGather,
};

struct ElementOperand {
  Bring bring = Bring::kInPlace;
  std::int64_t size = 0;                        // bytes of an element in memory
  std::int64_t lane = 0;                        // and where it is computed with
  bool over_rows = false, over_layers = false;  // whether it changes along them
  kernels::RowsFn convert = nullptr;            // to the type computed in
  const kernels::MoveKernels* moves = nullptr;
  // The buffers in scratch: raw elements, converted ones; -1 if there is none.
  std::int64_t raw = -1, converted = -1;
  std::int64_t raw_row = 0, raw_layer = 0, converted_row = 0, converted_layer = 0;  // bytes
};

struct ElementLoop {
  std::int64_t count = 1;  // of the run's windows: without a shorter first one
  Steps step{};
  const FlatAxis* windows = nullptr;  // counts windows of it, not positions of an axis
};

class ElementwisePlan : public PairKernel {
 public:
  explicit ElementwisePlan(const Pair& pair);
  ElementwisePlan(const ElementwisePlan&) = delete;
  ElementwisePlan& operator=(const ElementwisePlan&) = delete;

  void run(const void* a, const void* b, void* c, const RunOptions& options) const override;
  std::string describe() const override;

 private:
  friend class ElementwisePlanner;
  friend class ElementwiseWorker;
  std::int64_t first_window(const std::byte* c) const;

  bool has_b_ = true;
  Steps origin_{};  // element 0 of the planned axes, some of which run backwards
  FlatAxis run_, rows_, layers_;
  std::vector<ElementLoop> loops_;  // outermost first
  std::array<ElementOperand, 2> operands_;
  kernels::RowsFn compute_ = nullptr;
  const kernels::SegmentKernels* segments_ = nullptr;
  // The output: computed in place, or in a buffer, converted and scattered from there.
  std::int64_t c_size_ = 0;
  kernels::RowsFn convert_c_ = nullptr;
  const kernels::MoveKernels* scatter_ = nullptr;
  std::int64_t computed_ = -1, computed_row_ = 0;  // buffer before the conversion
  std::int64_t result_ = -1, result_row_ = 0;      // buffer before the scatter
  // Whole lines of c go past the caches.
  bool stream_ = false;
  bool shift_ = false;            // all windows begin at a line if the first is shorter
  bool stream_segments_ = false;  // a's pieces, straight to c
  bool move_straight_ = false;    // a is moved to c without a buffer
  bool prefetch_ = false;         // operands in place: a tile ahead
  bool in_one_ = false;           // one tile, everything in place
  std::size_t scratch_ = 0;
  double work_ns_ = 0;
};

// Estimated time of a copy or product on one thread; see cost.hpp.
double elementwise_cost(const Pair& pair);

}  // namespace tenfold::einsum_detail
