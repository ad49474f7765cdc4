// What a call costs when there is next to nothing to reduce, and what a run asks of the heap.
//
//     bench_micro                times of small calls
//     bench_micro --heap FILE    the heap check alone, on the rows of FILE; exit code 1 if a run
//                                allocates after its first call, or the scratch passes 1 MiB
//     bench_micro --orders FILE  how long orders of contraction take to find; FILE is
//                                tests/data/networks.jsonl
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "orders.hpp"
#include "row.hpp"
#include "tenfold/tenfold.hpp"

namespace tenfold::bench {
namespace {

// 1 MiB, and what the allocator adds to a block for its alignment and its own account.
constexpr std::int64_t kScratchLimit = (std::int64_t{1} << 20) + (16 << 10);

// The least nanoseconds per call over several batches.
template <class F>
double least_ns(F&& call) {
  constexpr int kBatches = 50, kCalls = 2000;
  double least = 1e300;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    least = std::min(least, spent.count() / kCalls);
  }
  return least;
}

void time_small_calls() {
  fmt::print("2x3x4 f32, axes=1, one thread{:>18}{:>14}{:>14}\n", "plan and run", "plan.run",
             "reduce()");
  Tensor x(DType::kF32, {2, 3, 4});
  for (std::size_t i = 0; i < 24; ++i) x.values<float>()[i] = 0.5F + static_cast<float>(i % 7);
  const RunOptions one{.threads = 1};
#define X(id, name) ReduceOp::id,
  for (const ReduceOp op : {TENFOLD_REDUCE_OPS(X)}) {
#undef X
    if (op == ReduceOp::kAll || op == ReduceOp::kAny) continue;
    const ReduceSpec spec{.op = op, .axes = Dims{1}};
    const ReducePlan plan(spec, x.view());
    Tensor y(plan.output_dtype(), plan.output_shape());
    const TensorView from = x.view();
    const MutableTensorView to = y.view();
    const double both = least_ns([&] { ReducePlan(spec, from).run(from, to, one); });
    const double run = least_ns([&] { plan.run(from, to, one); });
    const double call = least_ns([&] { reduce(from, spec, one); });
    fmt::print("{:29}{:>15.0f} ns{:>11.0f} ns{:>11.0f} ns\n", name_of(op), both, run, call);
  }
}

// Zeros: what a run asks of the heap does not depend on the values.
Buffer input_for(const Row& row) {
  Buffer data(element_count(row.shapes[0]) * static_cast<std::int64_t>(size_of(row.dtype)));
  std::memset(data.data(), 0, static_cast<std::size_t>(data.bytes()));
  return data;
}

// Returns whether all is well. The scratch of all rows together is counted, since it is pooled.
bool check_heap(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::kFile, path, "can't be read");
  const RunOptions one{.threads = 1};
  bool well = true;
  int count = 0;
  std::int64_t kept = 0, most = 0;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text.front() == '#') continue;
    const Row row = parse_row(text);
    const Buffer input = input_for(row);
    const ReducePlan plan(row.spec, row.view(0, input.data()));
    const auto item = static_cast<std::int64_t>(size_of(plan.output_dtype()));
    const Buffer output(element_count(plan.output_shape()) * item);
    const MutableTensorView y(output.data(), plan.output_dtype(), plan.output_shape());
    const TensorView x = row.view(0, input.data());

    reset_peak();
    const Heap before = heap();
    plan.run(x, y, one);
    const Heap first = heap();
    plan.run(x, y, one);
    const Heap second = heap();

    most = std::max(most, kept + first.peak_bytes - before.live_bytes);
    kept += first.live_bytes - before.live_bytes;
    if (second.calls != first.calls) {
      fmt::print("{} allocations in a second run: {}\n", second.calls - first.calls, text);
      well = false;
    }
    ++count;
  }
  fmt::print("{} rows: {} in a second run, at most {} KiB of scratch\n", count,
             well ? "no allocation" : "allocations", (most + 1023) / 1024);
  if (count == 0) throw Error(ErrorCode::kFile, path, "no rows");
  return well && most <= kScratchLimit;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--heap") return check_heap(arguments[1]) ? 0 : 1;
  if (arguments.size() == 2 && arguments[0] == "--orders") {
    time_orders(arguments[1]);
    return 0;
  }
  if (!arguments.empty()) {
    fmt::print(stderr, "usage: bench_micro [--heap FILE | --orders FILE]\n");
    return 2;
  }
  time_small_calls();
  return 0;
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  try {
    return tenfold::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_micro: {}\n", error.what());
    return 2;
  }
}
