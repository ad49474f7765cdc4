// Chooses the run, rows and layers of a copy or product, and how each operand gets there.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "einsum/cost.hpp"
#include "einsum/elementwise.hpp"

namespace tenfold::einsum_detail {

namespace {

// Outputs from here on do not stay in the near caches, and with so many bytes in all not in the far
// one: whole lines are streamed past them.
constexpr std::int64_t kStreamBytes = std::int64_t{4} << 20;
constexpr double kFarBytes = 20 << 20;
// Bytes of a run, below which it takes further axes in.
constexpr std::int64_t kShortRun = 256, kLongRun = 512;
constexpr std::int64_t kLine = 64;  // a cache line, and the widest vector
// Lines that lie a multiple of this apart share a quarter of the L1 cache's sets or less.
constexpr std::int64_t kAliasing = 1024;
// Rows of a tile that lie beside each other in an operand, and bytes of each.
constexpr std::int64_t kNearRows = 16, kNearRun = 2048;
// Of a strip that is streamed: segments that the processor sees coming, bytes of a row, rows.
constexpr std::int64_t kStripSegments = 16, kShortStrip = 512, kLongStrip = 4096, kStripRows = 64;
static_assert(kStripSegments * kLine <= kernels::kStripBytes);
// Up to so many elements the fewest steps count, not the fullest vectors.
constexpr std::int64_t kFewElements = 512;

}  // namespace

class ElementwisePlanner {
 public:
  ElementwisePlanner(const Pair& pair, ElementwisePlan& plan) : pair_(pair), plan_(plan) {
    sides_ = pair.has_b ? std::vector{kA, kB} : std::vector{kA};
    bytes_ = {bytes_of(pair.a_type), bytes_of(pair.b_type), bytes_of(pair.c_type)};
  }

  void make() {
    axes_ = element_axes(pair_, bytes_, plan_.origin_);
    widen_elements();
    elements_ = extent(axes_);
    plan_.has_b_ = pair_.has_b;
    plan_.c_size_ = bytes_[kC];
    plan_.stream_ = streams();
    choose_run();
    choose_rows();
    choose_kernels();
    set_windows();
    order_loops();
    lay_out_scratch();
    plan_.work_ns_ = elementwise_cost(pair_);
  }

 private:
  static std::int64_t bytes_of(DType dtype) { return static_cast<std::int64_t>(size_of(dtype)); }
  ElementOperand& operand(Side side) { return plan_.operands_[side]; }
  bool any(std::initializer_list<Bring> brings) const {
    return std::any_of(sides_.begin(), sides_.end(), [&](Side side) {
      return std::find(brings.begin(), brings.end(), plan_.operands_[side].bring) != brings.end();
    });
  }

  bool streams() const {
    if (elements_ * bytes_[kC] < kStreamBytes) return false;
    // For pieces that are moved as they are, and few rows interleaved, it pays sooner.
    const auto unit = [&](const ElementAxis& axis) { return axis.step[kA] == bytes_[kA]; };
    const int last = axes_.back().size <= 4 && axes_.size() > 1 ? 2 : 1;
    if (bits_alone_ && std::any_of(axes_.end() - last, axes_.end(), unit)) return true;
    return distinct_bytes(pair_) >= kFarBytes;
  }

  // A copy that moves pairs or fours of elements together moves wider elements (complex numbers
  // come as pairs of real ones).
  void widen_elements() {
    bits_alone_ = !pair_.has_b && pair_.a_type == pair_.c_type && pair_.a_type != DType::kBool;
    if (!bits_alone_ || axes_.size() < 2) return;
    const ElementAxis& last = axes_.back();
    const std::int64_t wide = last.size * bytes_[kA];
    if (last.step[kA] != bytes_[kA] || last.step[kC] != bytes_[kC]) return;
    if (wide != 2 && wide != 4 && wide != 8 && wide != 16) return;
    for (std::size_t i = 0; i + 1 < axes_.size(); ++i)
      if (axes_[i].step[kA] % wide != 0 || axes_[i].step[kC] % wide != 0) return;
    axes_.pop_back();
    bytes_.fill(wide);
  }

  // Takes axes from the end of axes_ into the run, while they follow each other in c.
  void choose_run() {
    if (axes_.empty()) return;
    take_run();
    if (run_axes_[0].step[kC] != bytes_[kC]) {
      plan_.stream_ = false;
      plan_.scatter_ = &kernels::move_kernels(bytes_[kC]);
    } else if (elements_ > kFewElements) {
      const ElementAxis& fastest = run_axes_[0];
      const bool along = std::all_of(sides_.begin(), sides_.end(), [&](Side side) {
        return fastest.step[side] == bytes_[side] || fastest.step[side] == 0;
      });
      // Rows in place may be as short as a vector, unless the ends of lines are to be streamed too;
      // rows that are transposed want a few lines.
      const std::int64_t enough = plan_.stream_ ? kLongRun : along ? kLine : kShortRun;
      while (run_bytes() < enough && !axes_.empty() && axes_.back().step[kC] == run_bytes())
        take_run();
    }
    plan_.run_ = flatten(run_axes_);
    for (Side side : sides_) operand(side).bring = bring_along(side);
  }
  void take_run() {
    run_axes_.insert(run_axes_.begin(), axes_.back());
    axes_.pop_back();
  }
  std::int64_t run_bytes() const { return extent(run_axes_) * bytes_[kC]; }

  // How the operand gets along the run without looking at other axes.
  Bring bring_along(Side side) const {
    const std::int64_t size = bytes_[side];
    const ElementAxis& fastest = run_axes_.back();
    const auto still = [&](const ElementAxis& axis) { return axis.step[side] == 0; };
    if (std::all_of(run_axes_.begin(), run_axes_.end(), still)) return Bring::kOne;
    if (is_dense(run_axes_, side, size)) return Bring::kInPlace;
    if (fastest.step[side] == size) return Bring::kSegments;
    const bool repeats = fastest.step[side] == 0;
    if (run_axes_.size() == 1)
      return fastest.step[side] == -size ? Bring::kReverse : Bring::kGather;
    const ElementAxis& next = run_axes_[run_axes_.size() - 2];
    const bool follows = next.step[side] == size && next.size >= kernels::whole_rows(size);
    if (follows && fastest.size <= 4 && size < 16) return Bring::kInterleaveFew;
    if (repeats || !follows) return repeats ? Bring::kRepeat : Bring::kGather;
    return fastest.size <= kLine ? Bring::kInterleave : Bring::kGather;
  }

  // Rows: the axis with the unit stride of an operand that else would be gathered.
  void choose_rows() {
    for (Side side : sides_) {
      if (operand(side).bring != Bring::kGather) continue;
      const auto unit = std::find_if(axes_.begin(), axes_.end(), [&](const ElementAxis& axis) {
        return std::abs(axis.step[side]) == bytes_[side];
      });
      if (!rows_axes_.empty() && is_dense(rows_axes_, side, bytes_[side])) {
        operand(side).bring = Bring::kTranspose;
      } else if (unit != axes_.end() && rows_axes_.empty()) {
        take_rows(side, unit);
        operand(side).bring = deinterleaves(side) ? Bring::kDeinterleave : Bring::kTranspose;
      } else if (unit != axes_.end() && layers_axes_.empty()) {
        layers_axes_ = {take(side, unit)};
        operand(side).bring = Bring::kTransposeLayers;
      }
    }
    if (rows_axes_.empty() && !axes_.empty()) take_near_rows();
    plan_.rows_ = flatten(rows_axes_);
    plan_.layers_ = flatten(layers_axes_);
    for (Side side : sides_) {
      const auto moves = [&](const ElementAxis& axis) { return axis.step[side] != 0; };
      operand(side).over_rows = std::any_of(rows_axes_.begin(), rows_axes_.end(), moves);
      operand(side).over_layers = std::any_of(layers_axes_.begin(), layers_axes_.end(), moves);
    }
  }
  ElementAxis take(Side side, ElementAxes::iterator at) {  // forwards in `side`
    ElementAxis axis = *at;
    axes_.erase(at);
    if (axis.step[side] < 0) flip(axis, plan_.origin_);
    return axis;
  }
  // The unit axis of `side`, and while that is short the axes that follow it there in memory.
  void take_rows(Side side, ElementAxes::iterator unit) {
    rows_axes_ = {take(side, unit)};
    std::int64_t size = rows_axes_[0].size;
    const auto follows = [&](const ElementAxis& x) { return x.step[side] == size * bytes_[side]; };
    while (size * bytes_[side] < kLine && !deinterleaves(side)) {
      const auto next = std::find_if(axes_.begin(), axes_.end(), follows);
      if (next == axes_.end()) break;
      rows_axes_.insert(rows_axes_.begin(), take(side, next));
      size *= rows_axes_[0].size;
    }
  }
  bool deinterleaves(Side side) const {
    return rows_axes_.size() == 1 && rows_axes_[0].size <= 4 && bytes_[side] < 16 &&
           run_axes_.size() == 1 && run_axes_[0].step[side] == rows_axes_[0].size * bytes_[side];
  }
  // No operand asks for rows: an axis along which one that is gathered stays in the line, or one
  // that comes in pieces has them side by side, or the nearest that c has left.
  void take_near_rows() {
    auto near = axes_.end() - 1;
    for (Side side : sides_)
      for (auto axis = axes_.begin(); axis != axes_.end(); ++axis) {
        const std::int64_t step = std::abs(axis->step[side]);
        if (operand(side).bring == Bring::kGather && step != 0 && step < kLine) near = axis;
        if (operand(side).bring == Bring::kSegments && step == plan_.run_.fastest * bytes_[side])
          near = axis;
      }
    rows_axes_ = {*near};
    axes_.erase(near);
  }

  // Products are computed in the type of all three, or the accumulator's. Integers of one width
  // count as one type: the low bits of their products are the same.
  static bool alike(DType x, DType y) {
    return x == y || (is_integer(x) && is_integer(y) && size_of(x) == size_of(y));
  }
  void choose_kernels() {
    const DType c = pair_.c_type;
    const bool same = alike(pair_.a_type, c) && alike(pair_.b_type, c);
    const DType computed = same || !pair_.has_b ? c : acc_type(c);
    lane_ = bytes_of(computed);
    if (bits_alone_)
      plan_.compute_ = kernels::find_copy_rows(bytes_[kA]);
    else if (!pair_.has_b)
      plan_.compute_ = kernels::find_convert_rows(pair_.a_type, c);
    else
      plan_.compute_ = kernels::find_multiply_rows(computed);
    if (!alike(computed, c)) plan_.convert_c_ = kernels::find_convert_rows(computed, c);
    plan_.segments_ = &kernels::segment_kernels();
    for (Side side : sides_) {
      ElementOperand& x = operand(side);
      const DType type = side == kA ? pair_.a_type : pair_.b_type;
      x.size = x.lane = bytes_[side];
      x.moves = &kernels::move_kernels(x.size);
      if (!pair_.has_b || alike(type, computed)) continue;
      x.convert = kernels::find_convert_rows(type, computed);
      x.lane = lane_;
    }
    const Bring a = operand(kA).bring;
    plan_.stream_segments_ = bits_alone_ && plan_.stream_ && a == Bring::kSegments;
    // Into c itself where the lines of its rows are not all in a few sets of the L1 cache.
    plan_.move_straight_ = bits_alone_ && !plan_.stream_ && plan_.scatter_ == nullptr &&
                           plan_.rows_.single &&
                           (plan_.rows_.size == 1 ||
                            (plan_.rows_.unit[kC] % kAliasing != 0 && operand(kA).over_rows)) &&
                           any({Bring::kTranspose, Bring::kDeinterleave, Bring::kInterleaveFew,
                                Bring::kReverse, Bring::kGather});
  }

  // All of c's lines lie alike in every row, so that a shorter first window makes the others whole.
  bool can_shift() const {
    const auto whole = [](const ElementAxis& axis) { return axis.step[kC] % kLine == 0; };
    return std::all_of(axes_.begin(), axes_.end(), whole) &&
           std::all_of(rows_axes_.begin(), rows_axes_.end(), whole) &&
           std::all_of(layers_axes_.begin(), layers_axes_.end(), whole);
  }

  // Whether the rows of an operand that comes in pieces lie beside each other in each piece's
  // place. Then a tile has many rows, for long reads of one place; a copy's next one goes on there.
  bool has_near_segments() const {
    return plan_.rows_.single && std::any_of(sides_.begin(), sides_.end(), [&](Side side) {
             return plan_.operands_[side].bring == Bring::kSegments &&
                    std::abs(plan_.rows_.unit[side]) == plan_.run_.fastest * bytes_[side];
           });
  }

  // Up to so many elements that no piece is cut in two; where lines are streamed, none of them.
  std::int64_t whole_pieces(std::int64_t along, std::int64_t size) const {
    const std::int64_t piece = plan_.run_.fastest;
    const std::int64_t whole = plan_.stream_ ? std::lcm(piece, kLine / size) : piece;
    return whole < along ? along - along % whole : along;
  }

  // A tile's buffers stay in the L1 cache; whole lines are read, and several of c's written in a
  // row. Where c's rows do not end with lines, longer windows (and buffers in the L2 cache) have
  // fewer ends.
  void set_windows() {
    FlatAxis &run = plan_.run_, &rows = plan_.rows_, &layers = plan_.layers_;
    const std::int64_t widest = *std::max_element(bytes_.begin(), bytes_.end());
    std::int64_t along, across = 64;
    plan_.shift_ = plan_.stream_ && !plan_.stream_segments_ && can_shift();
    if (any({Bring::kTransposeLayers})) {
      along = 4 * kLine / widest;
      across = 32;
      plan_.stream_ = plan_.shift_;  // such short pieces have too many ends
      layers.block = std::min(layers.size, kLine / widest);
    } else if (any({Bring::kTranspose, Bring::kGather})) {
      along = (plan_.stream_ && !plan_.shift_ ? 4 * kLongRun : kLongRun) / widest;
      if (rows.size == 1) along = 1024;
    } else if (plan_.stream_segments_) {
      along = std::clamp(kStripSegments * run.fastest, kShortStrip / widest, kLongStrip / widest);
      across = kStripRows;
    } else {
      const bool in_place = any({Bring::kInPlace, Bring::kOne}) &&
                            !any({Bring::kSegments, Bring::kRepeat, Bring::kReverse,
                                  Bring::kInterleave, Bring::kInterleaveFew, Bring::kDeinterleave});
      along = in_place ? 4096 : std::max<std::int64_t>(1024, 4096 / widest);
      across = 2 * along / std::min(run.size, along);
      if (in_place || any({Bring::kDeinterleave})) across = std::max<std::int64_t>(across, 4);
      if (has_near_segments()) {
        along = kNearRun / widest;
        if (bits_alone_ && along < run.size) along /= 2;
        across = kNearRows;
      }
      if (!in_place) along = whole_pieces(along, widest);
    }
    run.block = std::min(run.size, along);
    rows.block = std::min(rows.size, across);
    plan_.prefetch_ = any({Bring::kTranspose}) && any({Bring::kInPlace});
    make_all_offsets();
  }
  void make_all_offsets() {
    FlatAxis &run = plan_.run_, &rows = plan_.rows_;
    const std::int64_t more = plan_.stream_segments_ ? kLine / bytes_[kA] : 0;  // to a line's end
    for (Side side : sides_) {
      const Bring bring = operand(side).bring;
      if (bring == Bring::kInPlace || bring == Bring::kOne || bring == Bring::kReverse) continue;
      const bool pieces = bring == Bring::kSegments || bring == Bring::kRepeat;
      make_offsets(run, run_axes_, side, pieces ? run.fastest : 1, more);
    }
    if (!rows.single)
      for (Side side : {kA, kB, kC}) make_offsets(rows, rows_axes_, side, 1);
  }

  // Loops by the distance they step, in c or in an operand that is transposed, whichever is less:
  // the nearest lines next.
  void order_loops() {
    std::vector<ElementLoop> loops;
    for (const ElementAxis& axis : axes_) loops.push_back({axis.size, axis.step, nullptr});
    for (const FlatAxis* flat : {&plan_.run_, &plan_.rows_, &plan_.layers_}) {
      if (flat->size <= flat->block) continue;
      Steps step{};
      const std::int64_t outers = std::max<std::int64_t>(flat->block / flat->inner, 1);
      for (std::size_t s = 0; s < 3; ++s)
        step[s] = flat->single ? flat->block * flat->unit[s] : outers * flat->outer[s];
      loops.push_back({(flat->size + flat->block - 1) / flat->block, step, flat});
    }
    const bool along_rows = bits_alone_ && has_near_segments();
    const auto nearest = [&](const ElementLoop& loop) -> std::int64_t {
      if (along_rows && loop.windows == &plan_.rows_) return 0;
      std::int64_t least = std::abs(loop.step[kC]);
      for (Side side : sides_) {
        const Bring bring = operand(side).bring;
        const bool turned = bring == Bring::kTranspose || bring == Bring::kTransposeLayers ||
                            bring == Bring::kGather;
        if (turned && loop.step[side] != 0) least = std::min(least, std::abs(loop.step[side]));
      }
      return least;
    };
    std::stable_sort(loops.begin(), loops.end(), [&](const ElementLoop& x, const ElementLoop& y) {
      return nearest(x) > nearest(y);
    });
    plan_.loops_ = std::move(loops);
  }

  // Rows of a buffer begin at a cache line, and not a power of two apart: those would share few
  // sets of the L1 cache. The slack of the movers is between them.
  static std::int64_t pitch(std::int64_t elements, std::int64_t size) {
    return (elements * size + kLine - 1) / kLine * kLine + kLine;
  }
  std::int64_t take_scratch(std::int64_t bytes) {
    const auto at = static_cast<std::int64_t>(plan_.scratch_);
    plan_.scratch_ += static_cast<std::size_t>((bytes + kLine - 1) / kLine * kLine);
    return at;
  }
  void lay_out_scratch() {
    const std::int64_t run = plan_.run_.block, rows = plan_.rows_.block;
    for (Side side : sides_) {
      ElementOperand& x = operand(side);
      const std::int64_t layers = x.over_layers ? plan_.layers_.block : 1;
      if (x.bring != Bring::kInPlace && x.bring != Bring::kOne && !plan_.stream_segments_)
        lay_out_raw(x);
      if (x.convert != nullptr) {
        x.converted_row = pitch(x.bring == Bring::kOne ? 1 : run, x.lane);
        x.converted_layer = x.converted_row * (x.over_rows ? rows : 1);
        x.converted = take_scratch(x.converted_layer * layers);
      }
    }
    if (plan_.convert_c_ != nullptr) {
      plan_.computed_row_ = pitch(run, lane_);
      plan_.computed_ = take_scratch(plan_.computed_row_ * rows);
    }
    if (plan_.scatter_ != nullptr) {
      plan_.result_row_ = pitch(run, bytes_[kC]);
      plan_.result_ = take_scratch(plan_.result_row_ * rows);
    }
    plan_.in_one_ =
        plan_.scratch_ == 0 && plan_.loops_.empty() && plan_.rows_.single && !plan_.stream_;
  }
  void lay_out_raw(ElementOperand& x) {
    // A square that the end of rows or layers cuts off is written whole.
    const std::int64_t whole = kernels::whole_rows(x.size);
    const auto room = [&](bool over, Bring turned, const FlatAxis& flat) {
      return x.bring == turned ? std::max(flat.block, whole) : over ? flat.block : 1;
    };
    x.raw_row = pitch(plan_.run_.block, x.size);
    x.raw_layer = x.raw_row * room(x.over_rows, Bring::kTranspose, plan_.rows_);
    const std::int64_t bytes =
        x.raw_layer * room(x.over_layers, Bring::kTransposeLayers, plan_.layers_);
    const bool narrow = x.bring == Bring::kInterleave;
    x.raw = take_scratch(bytes + (narrow ? whole * plan_.run_.fastest * x.size : 0) + kLine);
  }

  const Pair& pair_;
  ElementwisePlan& plan_;
  std::vector<Side> sides_;  // the operands
  Steps bytes_{};            // of an element of each side
  std::int64_t lane_ = 0;    // of one that is computed
  bool bits_alone_ = false;  // a copy that only moves bits
  ElementAxes axes_, run_axes_, rows_axes_, layers_axes_;
  std::int64_t elements_ = 1;
};

ElementwisePlan::ElementwisePlan(const Pair& pair) { ElementwisePlanner(pair, *this).make(); }

}  // namespace tenfold::einsum_detail
