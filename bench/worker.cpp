// Tenfold as a contender: obeys the driver's commands, one line of JSON each, on the standard
// input, and answers on the standard output. bench/peers/serve.py lists the commands.
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

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
    if (what == "machine") return machine();
    throw Error(ErrorCode::kBadArgument, "worker", "unknown command", {}, what);
  }

 private:
  Json setup(const Json& command) {
    plan_.reset();
    row_ = parse_row(command.at("row"));
    options_.threads = command.at("threads");
    const TensorView layout = row_.view(nullptr);
    const auto item = static_cast<std::int64_t>(size_of(row_.dtype));
    input_ = Buffer(element_count(row_.shape) * item);
    std::ifstream file(command.at("data").get<std::string>(), std::ios::binary);
    file.read(reinterpret_cast<char*>(input_.data()), input_.bytes());
    if (!file) throw Error(ErrorCode::kFile, "worker", "the data are shorter than the row says");
    plan_ = std::make_unique<ReducePlan>(row_.spec, layout);
    const auto out_item = static_cast<std::int64_t>(size_of(plan_->output_dtype()));
    output_ = Buffer(element_count(plan_->output_shape()) * out_item);
    x_ = row_.view(input_.data());
    y_ = MutableTensorView(output_.data(), plan_->output_dtype(), plan_->output_shape());
    plan_->run(x_, y_, options_);
    return {{"how", plan_->explain()}};
  }

  Json time(std::int64_t calls) const {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) plan_->run(x_, y_, options_);
    const auto spent = std::chrono::steady_clock::now() - start;
    return {{"ns", std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count()}};
  }

  Json result(const std::string& path) const {
    plan_->run(x_, y_, options_);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(output_.data()), output_.bytes());
    if (!file.flush()) throw Error(ErrorCode::kFile, path, "can't be written");
    const Dims& shape = plan_->output_shape();
    return {{"dtype", std::string(name_of(plan_->output_dtype()))},
            {"shape", std::vector<std::int64_t>(shape.begin(), shape.end())}};
  }

  Json bandwidth(int rounds) const {
    Json answer;
    const auto kernel = [&](std::int64_t) { plan_->run(x_, y_, options_); };
    for (const bool cold : {true, false}) {
      const Beside times = time_beside_reads(kernel, {input_.data(), input_.bytes()},
                                             {output_.data(), output_.bytes()}, rounds, cold);
      answer[cold ? "cold" : "hot"] = {{"kernel_ns", times.kernel_ns},
                                       {"read_ns", times.read_ns},
                                       {"loop", std::string(probe::kReadLoopNames[times.loop])}};
    }
    return answer;
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
  Buffer input_, output_;
  std::unique_ptr<ReducePlan> plan_;
  TensorView x_;
  MutableTensorView y_;
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
