#include "einsum/block_worker.hpp"

#include <algorithm>

#include "einsum/parallel.hpp"

namespace tenfold::einsum_detail {
namespace {

using kernels::ColumnVector;

// out[i] = the offset of position first + i of nested loops; stride(axis) in elements.
template <class Axes, class Stride>
void fill_offsets(const Axes& axes, std::int64_t first, std::int64_t count, Stride stride,
                  std::int64_t* out) {
  if (axes.empty()) {
    std::fill_n(out, count, 0);
    return;
  }
  constexpr std::size_t kMostAxes = 64;
  std::int64_t index[kMostAxes];
  std::int64_t offset = 0;
  const std::size_t inner = axes.size() - 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    index[i] = first % axes[i].size;
    first /= axes[i].size;
    offset += index[i] * stride(axes[i]);
  }
  const std::int64_t step = stride(axes[inner]), size = axes[inner].size;
  while (true) {
    const std::int64_t n = std::min(size - index[inner], count);
    for (std::int64_t i = 0; i < n; ++i) out[i] = offset + i * step;
    out += n;
    count -= n;
    if (count == 0) return;
    offset -= index[inner] * step;
    index[inner] = 0;
    for (std::size_t i = inner; i-- > 0;) {
      offset += stride(axes[i]);
      if (++index[i] < axes[i].size) break;
      offset -= axes[i].size * stride(axes[i]);
      index[i] = 0;
    }
  }
}

std::int64_t bytes_of(std::int64_t elements, DType dtype) {
  return elements * static_cast<std::int64_t>(size_of(dtype));
}

// Panels of a block of rows, at most.
std::int64_t row_panels(const BlockPlan& plan) {
  return kernels::RowPanels(plan.mc, plan.kernel->rows).count;
}

// What a worker keeps where in its scratch: offsets in bytes.
struct Scratch {
  std::size_t size = 0;
  std::size_t packed_rows, packed_columns, line, sums, k, rows, columns, vectors, spans;

  explicit Scratch(const BlockPlan& plan) {
    const std::int64_t slots = plan.nc * plan.lanes(), bytes = plan.packed_bytes();
    const bool across = plan.columns.way == kernels::PackWay::kAcross;
    const bool collects = plan.apart() && plan.parts == 1;  // parts have memory of their own
    packed_rows = place(plan.mc * plan.kc, bytes);
    packed_columns = place(slots * plan.kc, bytes);
    line = place(across ? slots : 0, plan.acc_bytes());
    const std::int64_t apart = plan.apart_rows * plan.apart_vectors * plan.lanes();
    sums = place(collects ? apart : 0, plan.acc_bytes());
    k = place(2 * plan.kc, sizeof(std::int64_t));
    rows = place(3 * plan.mc, sizeof(std::int64_t));
    columns = place(2 * slots, sizeof(std::int64_t));
    vectors = place(2 * plan.nc, sizeof(ColumnVector));
    const bool has_spans = plan.type == kernels::BlockType::kBF16;
    spans = place(has_spans ? row_panels(plan) + plan.nc : 0, sizeof(kernels::BlockSpan));
  }

 private:
  std::size_t place(std::int64_t count, std::size_t element) {
    constexpr std::size_t kLine = 64;
    const std::size_t at = size;
    size += (static_cast<std::size_t>(count) * element + kernels::kPackSlack + kLine - 1) / kLine *
            kLine;
    return at;
  }
  std::size_t place(std::int64_t count, std::int64_t element) {
    return place(count, static_cast<std::size_t>(element));
  }
};

}  // namespace

std::size_t block_scratch_bytes(const BlockPlan& plan) { return Scratch(plan).size; }

BlockWorker::BlockWorker(const BlockPlan& plan, const std::byte* rows, const std::byte* columns)
    : plan_(plan), rows_(rows), columns_(columns), batch_rows_(rows), batch_columns_(columns) {
  const Scratch at(plan);
  std::byte* scratch = piece_scratch(at.size);
  const auto table = [&](std::size_t offset) {
    return reinterpret_cast<std::int64_t*>(scratch + offset);
  };
  packed_rows_ = scratch + at.packed_rows;
  packed_columns_ = scratch + at.packed_columns;
  line_ = scratch + at.line;
  sums_ = scratch + at.sums;
  row_k_ = table(at.k);
  column_k_ = row_k_ + plan.kc;
  row_slots_ = table(at.rows);
  row_c_ = row_slots_ + plan.mc;
  out_rows_ = row_c_ + plan.mc;
  column_slots_ = table(at.columns);
  column_c_ = column_slots_ + plan.nc * plan.lanes();
  vectors_ = reinterpret_cast<ColumnVector*>(scratch + at.vectors);
  out_vectors_ = vectors_ + plan.nc;
  row_spans_ = reinterpret_cast<kernels::BlockSpan*>(scratch + at.spans);
  column_spans_ = row_spans_ + row_panels(plan);
}

void BlockWorker::to_batch(std::int64_t batch) {
  std::int64_t a = 0, b = 0;
  batch_c_ = 0;
  for (auto axis = plan_.batch.rbegin(); axis != plan_.batch.rend() && batch > 0; ++axis) {
    const std::int64_t i = batch % axis->size;
    batch /= axis->size;
    a += i * axis->a;
    b += i * axis->b;
    batch_c_ += i * axis->c;
  }
  batch_rows_ = rows_ + bytes_of(a, plan_.rows.dtype);
  batch_columns_ = columns_ + bytes_of(b, plan_.columns.dtype);
}

void BlockWorker::run(BlockRange rows, BlockRange vectors, std::byte* c) {
  const BlockRange k{0, plan_.k_extent};
  std::byte* const batch_c = c + bytes_of(batch_c_, plan_.c_type);
  if (!plan_.apart()) {
    multiply_all(rows, vectors, k, {batch_c, 0, 0, 0, batch_c});
    return;
  }
  const std::int64_t width = plan_.apart_vectors * plan_.lanes();
  for (std::int64_t v = vectors.begin; v < vectors.end; v += plan_.apart_vectors)
    for (std::int64_t r = rows.begin; r < rows.end; r += plan_.apart_rows) {
      const BlockRange some_rows{r, std::min(r + plan_.apart_rows, rows.end)};
      const BlockRange some_vectors{v, std::min(v + plan_.apart_vectors, vectors.end)};
      multiply_all(some_rows, some_vectors, k, {sums_, width, r, v, batch_c});
      if (plan_.collected) scatter_all(some_rows, some_vectors, sums_, width, c);
    }
}

void BlockWorker::sum(BlockRange k, std::byte* sums) {
  multiply_all({0, plan_.rows.extent}, {0, plan_.vectors}, k,
               {sums, plan_.vectors * plan_.lanes(), 0, 0, nullptr});
}

void BlockWorker::multiply_all(BlockRange rows, BlockRange vectors, BlockRange k,
                               const Output& output) {
  const auto k_block = [&](std::int64_t at) {
    return BlockRange{at, std::min(at + plan_.kc, k.end)};
  };
  const auto columns = [&](std::int64_t at) {
    return BlockRange{at, std::min(at + plan_.nc, vectors.end)};
  };
  if (rows.size() <= plan_.mc) {  // rows are packed once for each block of k
    for (std::int64_t p = k.begin; p < k.end; p += plan_.kc) {
      set_k(k_block(p));
      set_rows(rows);
      pack_rows();
      for (std::int64_t v = vectors.begin; v < vectors.end; v += plan_.nc) {
        set_columns(columns(v));
        pack_columns();
        multiply(rows, columns(v), k, output);
      }
    }
    return;
  }
  for (std::int64_t v = vectors.begin; v < vectors.end; v += plan_.nc) {
    set_columns(columns(v));
    for (std::int64_t p = k.begin; p < k.end; p += plan_.kc) {
      set_k(k_block(p));
      pack_columns();
      for (std::int64_t r = rows.begin; r < rows.end; r += plan_.mc) {
        const BlockRange some{r, std::min(r + plan_.mc, rows.end)};
        set_rows(some);
        pack_rows();
        multiply(some, columns(v), k, output);
      }
    }
  }
}

void BlockWorker::multiply(BlockRange rows, BlockRange vectors, BlockRange all_k,
                           const Output& output) {
  const std::int64_t* row_offsets = row_c_;
  const ColumnVector* columns = vectors_;
  if (output.width != 0) {
    for (std::int64_t i = 0; i < rows.size(); ++i)
      out_rows_[i] = (rows.begin - output.first_row + i) * output.width;
    for (std::int64_t i = 0; i < vectors.size(); ++i)
      out_vectors_[i] = {(vectors.begin - output.first_vector + i) * plan_.lanes(), plan_.lanes()};
    row_offsets = out_rows_;
    columns = out_vectors_;
  }
  const bool last = k_.end == all_k.end;
  const kernels::NarrowOutput narrow{plan_.c_type, output.c, row_c_, vectors_};
  plan_.kernel->multiply({.rows = packed_rows_,
                          .columns = packed_columns_,
                          .row_spans = row_spans_,
                          .column_spans = column_spans_,
                          .k = k_.size(),
                          .c = output.to,
                          .row_offsets = row_offsets,
                          .row_count = rows.size(),
                          .vectors = columns,
                          .vector_count = vectors.size(),
                          .accumulate = k_.begin > all_k.begin,
                          .one_chain = plan_.one_chain,
                          .last = last && (output.width == 0 || plan_.narrow),
                          .rows_outer = plan_.rows_outer,
                          .stream = plan_.stream,
                          .narrow = last && plan_.narrow ? &narrow : nullptr});
}

void BlockWorker::scatter_all(BlockRange rows, BlockRange vectors, const std::byte* sums,
                              std::int64_t width, std::byte* c) {
  for (std::int64_t v = vectors.begin; v < vectors.end; v += plan_.nc)
    scatter(rows, {v, std::min(v + plan_.nc, vectors.end)},
            sums + (v - vectors.begin) * plan_.lanes() * plan_.acc_bytes(), width, c);
}

void BlockWorker::scatter(BlockRange rows, BlockRange vectors, const std::byte* sums,
                          std::int64_t width, std::byte* c) {
  set_columns(vectors);
  const kernels::ScatterFn store = kernels::find_block_scatter(plan_.c_type);
  const std::int64_t first = vectors.begin * plan_.lanes();
  const std::int64_t count = std::min(vectors.end * plan_.lanes(), plan_.columns.extent) - first;
  const std::int64_t begun = std::min((plan_.c_run - first % plan_.c_run) % plan_.c_run, count);
  for (std::int64_t r = rows.begin; r < rows.end; r += plan_.mc) {
    const BlockRange some{r, std::min(r + plan_.mc, rows.end)};
    set_rows(some);
    for (std::int64_t i = 0; i < some.size(); ++i) {
      const std::byte* from = sums + (r - rows.begin + i) * width * plan_.acc_bytes();
      std::byte* to = c + bytes_of(batch_c_ + row_c_[i], plan_.c_type);
      if (begun > 0) store(from, begun, to, column_c_, begun);
      store(from + begun * plan_.acc_bytes(), count - begun, to, column_c_ + begun, plan_.c_run);
    }
  }
}

// ---- tables

// The column that a vector begins with.
std::int64_t BlockWorker::position_of(std::int64_t vector) const {
  return vector / plan_.run_vectors * plan_.run + vector % plan_.run_vectors * plan_.lanes();
}

void BlockWorker::set_k(BlockRange k) {
  if (k == k_) return;
  k_ = k;
  fill_offsets(
      plan_.k, k.begin, k.size(), [](const PairAxis& x) { return x.a; }, row_k_);
  fill_offsets(
      plan_.k, k.begin, k.size(), [](const PairAxis& x) { return x.b; }, column_k_);
}

void BlockWorker::set_rows(BlockRange rows) {
  if (rows == row_range_) return;
  row_range_ = rows;
  const auto& axes = plan_.rows.axes;
  fill_offsets(
      axes, rows.begin, rows.size(), [](const BlockAxis& x) { return x.source; }, row_slots_);
  fill_offsets(
      axes, rows.begin, rows.size(), [](const BlockAxis& x) { return x.target; }, row_c_);
}

void BlockWorker::set_columns(BlockRange vectors) {
  if (vectors == vector_range_) return;
  vector_range_ = vectors;
  const std::int64_t lanes = plan_.lanes();
  const auto& axes = plan_.columns.axes;
  const bool one_run = plan_.run % lanes == 0 || plan_.run == plan_.columns.extent;
  for (std::int64_t v = vectors.begin; v < vectors.end;) {
    // The rest of a run, or everything where no run ends inside a vector.
    const std::int64_t run = v / plan_.run_vectors, in_run = v % plan_.run_vectors;
    const std::int64_t position = position_of(v);
    const std::int64_t end = one_run ? plan_.columns.extent : (run + 1) * plan_.run;
    const std::int64_t count =
        std::min(vectors.end - v, one_run ? vectors.end - v : plan_.run_vectors - in_run);
    const std::int64_t real = std::min(end - position, count * lanes);
    const std::int64_t at = (v - vectors.begin) * lanes;
    fill_offsets(
        axes, position, real, [](const BlockAxis& x) { return x.source; }, column_slots_ + at);
    fill_offsets(
        axes, position, real, [](const BlockAxis& x) { return x.target; }, column_c_ + at);
    for (std::int64_t i = real; i < count * lanes; ++i)
      column_slots_[at + i] = column_slots_[at + real - 1];
    for (std::int64_t i = 0; i < count; ++i)
      vectors_[v - vectors.begin + i] = {column_c_[at + i * lanes],
                                         std::min(lanes, real - i * lanes)};
    v += count;
  }
}

// ---- packing

void BlockWorker::pack_rows() {
  const BlockSide& side = plan_.rows;
  side.pack({.way = side.way,
             .far = side.far,
             .source = batch_rows_,
             .slots = row_slots_,
             .count = row_range_.size(),
             .vectors = nullptr,
             .k_offsets = row_k_,
             .k = k_.size(),
             .k_run = side.k_run,
             .k_phase = k_.begin % side.k_run,
             .x_step = 1,
             .line = nullptr,
             .packed = packed_rows_,
             .spans = row_spans_});
}

void BlockWorker::pack_columns() {
  const BlockSide& side = plan_.columns;
  side.pack({.way = side.way,
             .far = side.far,
             .source = batch_columns_,
             .slots = column_slots_,
             .count = vector_range_.size() * plan_.lanes(),
             .vectors = vectors_,
             .k_offsets = column_k_,
             .k = k_.size(),
             .k_run = side.k_run,
             .k_phase = k_.begin % side.k_run,
             .x_step = side.x_step,
             .line = line_,
             .packed = packed_columns_,
             .spans = column_spans_});
}

}  // namespace tenfold::einsum_detail
