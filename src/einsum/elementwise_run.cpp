// Runs a copy or product: a walk over the tiles, and for each its operands brought, the rows
// computed, the results taken out.
#include "einsum/elementwise_worker.hpp"

namespace tenfold::einsum_detail {

namespace {

using kernels::ElementRows;

constexpr std::int64_t kPiecesPerThread = 4;

}  // namespace

// Moves loop i to `digit`.
void ElementwiseWorker::set(std::size_t i, std::int64_t digit) {
  const ElementLoop& loop = plan_.loops_[i];
  if (loop.windows == nullptr) {
    for (std::size_t s = 0; s < 3; ++s) at_[s] += (digit - digits_[i]) * loop.step[s];
  } else {
    const FlatAxis& flat = *loop.windows;
    Window& window = &flat == &plan_.run_ ? run_ : &flat == &plan_.rows_ ? rows_ : layers_;
    if (digit == 0) {
      window = first_window(flat);
    } else {
      window.begin =
          &flat == &plan_.run_ && head_ > 0 ? head_ + (digit - 1) * flat.block : digit * flat.block;
      window.count = std::min(flat.block, flat.size - window.begin);
    }
  }
  digits_[i] = digit;
}

void ElementwiseWorker::walk(std::int64_t begin, std::int64_t end) {
  const auto& loops = plan_.loops_;
  std::int64_t rest = begin;
  for (std::size_t i = loops.size(); i-- > 0;) {
    const std::int64_t n = count(loops[i], plan_, head_);
    set(i, rest % n);
    rest /= n;
  }
  for (std::int64_t tile = begin; tile < end; ++tile) {
    run_tile();
    for (std::size_t i = loops.size(); i-- > 0;) {
      if (digits_[i] + 1 < count(loops[i], plan_, head_)) {
        set(i, digits_[i] + 1);
        break;
      }
      set(i, 0);
    }
  }
  if (plan_.stream_) kernels::finish_stream();
}

// Rows of one layer to c, by way of buffers if they have to be converted or scattered.
void ElementwiseWorker::compute(ElementRows r, std::byte* c) const {
  const std::int64_t c_row = plan_.rows_.unit[kC];
  std::byte* const result = plan_.result_ >= 0 ? scratch_ + plan_.result_ : c;
  const std::int64_t result_row = plan_.result_ >= 0 ? plan_.result_row_ : c_row;
  if (plan_.convert_c_ != nullptr) {
    r.c = scratch_ + plan_.computed_;
    r.c_row = plan_.computed_row_;
    r.stream = false;
    plan_.compute_(r);
    ElementRows out;
    out.a = r.c;
    out.c = result;
    out.rows = r.rows;
    out.n = r.n;
    out.a_row = r.c_row;
    out.c_row = result_row;
    out.stream = plan_.stream_;
    plan_.convert_c_(out);
  } else {
    r.c = result;
    r.c_row = result_row;
    plan_.compute_(r);
  }
  if (plan_.scatter_ != nullptr)
    for (std::int64_t p = 0; p < r.rows; ++p)
      plan_.scatter_->scatter(result + p * result_row, r.n, c + p * c_row, plan_.run_.unit[kC]);
}

void ElementwiseWorker::compute_layer(std::int64_t t, std::byte* c) const {
  ElementRows r;
  r.n = run_.count;
  r.a_one = plan_.operands_[kA].bring == Bring::kOne;
  r.b_one = plan_.operands_[kB].bring == Bring::kOne;
  r.stream = plan_.stream_;
  const bool apart = !plan_.rows_.single;
  const auto part = [&](Side side, std::int64_t p) {
    const Ready& ready = ready_[side];
    return ready.data + t * ready.layer +
           (apart && ready.in_place ? row_offset(side, p) : p * ready.row);
  };
  r.rows = apart ? 1 : rows_.count;
  r.a_row = ready_[kA].row;
  r.b_row = ready_[kB].row;
  for (std::int64_t p = 0; p < rows_.count; p += r.rows) {
    r.a = part(kA, p);
    if (plan_.has_b_) r.b = part(kB, p);
    compute(r, c + row_offset(kC, p));
  }
}

void ElementwiseWorker::stream_segments(const std::byte* from, std::byte* c) const {
  const std::int64_t size = plan_.c_size_, n = plan_.run_.fastest;
  const std::int64_t begin = run_.begin % plan_.run_.inner;
  kernels::SegmentStrip strip;
  strip.src = from;
  strip.offsets = plan_.run_.offsets[kA].data() + begin / n;
  strip.skip = begin % n * size;
  strip.n = n * size;
  strip.bytes = run_.count * size;
  strip.first = run_.begin == 0;
  strip.rest = (plan_.run_.size - run_.begin) * size;
  strip.rows = rows_.count;
  strip.src_row = plan_.rows_.unit[kA];
  strip.dst_row = plan_.rows_.unit[kC];
  strip.dst = c;
  plan_.segments_->stream(strip);
}

void ElementwiseWorker::run_tile() {
  for (int i = 0; i < (plan_.has_b_ ? 2 : 1); ++i) {
    const auto side = static_cast<Side>(i);
    std::int64_t base = at_[side] + run_base(side) + offset(plan_.rows_, side, rows_.begin) +
                        layers_.begin * plan_.layers_.unit[side];
    const Bring how = plan_.operands_[side].bring;
    if (how == Bring::kInPlace || how == Bring::kReverse)
      base += run_.begin % plan_.run_.inner * plan_.run_.unit[side];
    from_[side] = sources_[side] + base;
  }
  std::byte* c = c_ + at_[kC] + run_.begin * plan_.run_.unit[kC] +
                 offset(plan_.rows_, kC, rows_.begin) + layers_.begin * plan_.layers_.unit[kC];
  if (plan_.stream_segments_) return stream_segments(from_[kA], c);
  const std::int64_t whole = kernels::whole_rows(plan_.c_size_);
  const bool squares = plan_.operands_[kA].bring != Bring::kTranspose ||
                       (run_.count >= whole && rows_.count >= whole);
  if (plan_.move_straight_ && squares)
    return move(kA, from_[kA], c, plan_.rows_.unit[kC], plan_.layers_.unit[kC]);
  for (int i = 0; i < (plan_.has_b_ ? 2 : 1); ++i)
    bring(static_cast<Side>(i), from_[static_cast<std::size_t>(i)]);
  for (std::int64_t t = 0; t < layers_.count; ++t) compute_layer(t, c + t * plan_.layers_.unit[kC]);
}

// Elements up to c's first line, if windows are to begin at lines; else 0.
std::int64_t ElementwisePlan::first_window(const std::byte* c) const {
  constexpr std::int64_t kLineBytes = ElementwiseWorker::kLine;
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(c) % kLineBytes);
  if (!shift_ || run_.size <= run_.block || past % c_size_ != 0) return 0;
  return (kLineBytes - past) % kLineBytes / c_size_;
}

void ElementwisePlan::run(const void* a, const void* b, void* c, const RunOptions& options) const {
  const std::byte* from_a = static_cast<const std::byte*>(a) + origin_[kA];
  const std::byte* from_b = has_b_ ? static_cast<const std::byte*>(b) + origin_[kB] : nullptr;
  std::byte* to = static_cast<std::byte*>(c) + origin_[kC];
  if (in_one_) {
    compute_({from_a, from_b, to, rows_.size, run_.size, rows_.unit[kA], rows_.unit[kB],
              rows_.unit[kC], operands_[kA].bring == Bring::kOne,
              operands_[kB].bring == Bring::kOne, false});
    return;
  }
  const std::int64_t head = first_window(to);
  std::int64_t tiles = 1;
  for (const ElementLoop& loop : loops_) tiles *= ElementwiseWorker::count(loop, *this, head);
  const int threads = work_ns_ < 2 * kWorkPerThreadNs ? 1 : threads_for(options, work_ns_, tiles);
  const std::int64_t pieces = threads == 1 ? 1 : std::min(tiles, threads * kPiecesPerThread);
  run_pieces(options, threads, pieces, [&](std::int64_t piece) {
    ElementwiseWorker(*this, from_a, from_b, to, head)
        .walk(tiles * piece / pieces, tiles * (piece + 1) / pieces);
  });
}

}  // namespace tenfold::einsum_detail
