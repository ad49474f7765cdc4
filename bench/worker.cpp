// Tenfold as a contender: obeys the driver's commands, one line of JSON each, on the standard
// input, and answers on the standard output. bench/peers/serve.py lists the commands.
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "beside.hpp"
#include "kernels/probe.hpp"
#include "row.hpp"
#include "tenfold/tenfold.hpp"

namespace tenfold::bench {
namespace {

using Json = nlohmann::json;

class Worker {
 public:
  Json obey(const Json& command) {
    const std::string what = command.at("cmd");
    if (what == "setup") return setup(command);
    if (what == "time") return time(command.at("calls"));
    if (what == "result") return result(command.at("path"));
    if (what == "bandwidth") return bandwidth(command.at("rounds"));
    if (what == "peak") return peak(command.at("rounds"));
    if (what == "machine") return machine();
    throw Error(ErrorCode::kBadArgument, "worker", "unknown command", {}, what);
  }

 private:
  Json setup(const Json& command) {
    row_ = parse_row(command.at("row"));
    options_.threads = command.at("threads");
    load(command.at("data"));
    std::string how = row_.is_einsum ? set_up_einsum() : set_up_reduce();
    run_();
    return {{"how", std::move(how)}};
  }

  // One buffer for each operand, from the driver's file.
  void load(const std::string& path) {
    const auto item = static_cast<std::int64_t>(size_of(row_.dtype));
    std::ifstream file(path, std::ios::binary);
    inputs_.clear();
    x_.clear();
    for (std::size_t i = 0; i < row_.shapes.size(); ++i) {
      inputs_.emplace_back(element_count(row_.shapes[i]) * item);
      file.read(reinterpret_cast<char*>(inputs_[i].data()), inputs_[i].bytes());
      x_.push_back(row_.view(i, inputs_[i].data()));
    }
    if (!file) throw Error(ErrorCode::kFile, "worker", "the data are shorter than the row says");
  }

  void make_output(DType dtype, const Dims& shape) {
    output_ = Buffer(element_count(shape) * static_cast<std::int64_t>(size_of(dtype)));
    y_ = MutableTensorView(output_.data(), dtype, shape);
  }

  std::string set_up_reduce() {
    const auto plan = std::make_shared<ReducePlan>(row_.spec, x_[0]);
    make_output(plan->output_dtype(), plan->output_shape());
    run_ = [this, plan] { plan->run(x_[0], y_, options_); };
    return plan->explain();
  }

  std::string set_up_einsum() {
    const auto plan = std::make_shared<EinsumPlan>(row_.einsum, x_);
    make_output(plan->output_dtype(), plan->output_shape());
    run_ = [this, plan] { plan->run(x_, y_, options_); };
    return plan->explain();
  }

  Json time(std::int64_t calls) const {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) run_();
    const auto spent = std::chrono::steady_clock::now() - start;
    return {{"ns", std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count()}};
  }

  Json result(const std::string& path) const {
    run_();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(output_.data()), output_.bytes());
    if (!file.flush()) throw Error(ErrorCode::kFile, path, "can't be written");
    return {{"dtype", std::string(name_of(y_.dtype))},
            {"shape", std::vector<std::int64_t>(y_.shape.begin(), y_.shape.end())}};
  }

  Json bandwidth(int rounds) const {
    Json answer;
    const auto kernel = [&](std::int64_t) { run_(); };
    for (const bool cold : {true, false}) {
      const Beside times = time_beside_reads(kernel, {inputs_[0].data(), inputs_[0].bytes()},
                                             {output_.data(), output_.bytes()}, rounds, cold);
      answer[cold ? "cold" : "hot"] = {{"kernel_ns", times.kernel_ns},
                                       {"read_ns", times.read_ns},
                                       {"loop", std::string(probe::kReadLoopNames[times.loop])}};
    }
    return answer;
  }

  // The warm kernel and the peak rate of fused multiply-adds, in turn.
  Json peak(int rounds) const {
    constexpr std::int64_t kSteps = 20000;  // a burst of some tens of microseconds
    std::vector<std::int64_t> kernel_ns;
    std::vector<double> fma_gflops;
    const auto spent_ns = [](auto call) {
      const auto start = std::chrono::steady_clock::now();
      call();
      const auto spent = std::chrono::steady_clock::now() - start;
      return std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
    };
    run_();
    for (int i = 0; i < rounds; ++i) {
      kernel_ns.push_back(spent_ns(run_));
      double best = 0;
      for (int burst = 0; burst < 5; ++burst) {
        float sink = 0;
        std::int64_t flops = 0;
        const auto ns = spent_ns([&] { flops = probe::fma_burst(kSteps, &sink); });
        best = std::max(best, static_cast<double>(flops) / static_cast<double>(ns));
      }
      fma_gflops.push_back(best);
    }
    return {{"kernel_ns", kernel_ns}, {"fma_gflops", fma_gflops}};
  }

  static Json machine() {
    Json reads;
    for (const std::int64_t kib : {512, 4096, 262144}) {
      const Buffer buffer(kib << 10);
      std::fill_n(buffer.data(), buffer.bytes(), std::byte{1});
      const int rounds = static_cast<int>(std::max<std::int64_t>(5, (64 << 10) / kib));
      reads[std::to_string(kib)] =
          measure_read_bandwidth(buffer.data(), buffer.bytes(), rounds) / 1e9;
    }
    return {{"target", simd_target()},
            {"read_gb_per_s_by_kib", reads},
            {"fma_gflops_f32", measure_fma_peak_f32() / 1e9}};
  }

  Row row_;
  RunOptions options_;
  std::vector<Buffer> inputs_;
  Buffer output_;
  std::vector<TensorView> x_;
  MutableTensorView y_;
  std::function<void()> run_;
};

void answer(Json fields) {
  fields.emplace("ok", true);
  std::cout << fields.dump() << std::endl;
}

int serve() {
  Worker worker;
  answer({{"version", TENFOLD_VERSION}});
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const Json command = Json::parse(line);
      if (command.at("cmd") == "quit") return 0;
      answer(worker.obey(command));
    } catch (const std::exception& error) {
      answer({{"ok", false}, {"why", error.what()}});
    }
  }
  return 0;
}

}  // namespace
}  // namespace tenfold::bench

int main() {
  std::ios::sync_with_stdio(false);
  return tenfold::bench::serve();
}
