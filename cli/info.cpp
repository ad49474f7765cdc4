// `tenfold info`: version, SIMD target, threads, and the measured limits of this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "common.hpp"
#include "render.hpp"
#include "terminal.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kInfoExamples = R"(
The limits are measured with one thread, in about a second: the best of several plain read loops
over memory larger than the last cache, and f32 fused multiply-adds on registers.

Examples:
  tenfold info
  tenfold info --no-measure --json
)";

struct InfoArguments {
  Common common;
  bool no_measure = false;
};

struct Limits {
  double bytes_per_second, flops;
};

Limits measure() {
  // Four times the last cache, so that nearly every line comes from memory.
  constexpr std::int64_t kLeast = std::int64_t{256} << 20;
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  constexpr int kRounds = 3;
  const std::int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const std::int64_t bytes = std::clamp(4 * cache, kLeast, kMost);
  Tensor memory(DType::kU8, Dims{bytes});
  std::memset(memory.data(), 1, static_cast<std::size_t>(bytes));  // zeros might share one page
  return {measure_read_bandwidth(memory.data(), bytes, kRounds), measure_fma_peak_f32()};
}

void show(const InfoArguments& arguments) {
  std::optional<Limits> limits;
  if (!arguments.no_measure) {
    Progress progress(arguments.common.quiet);
    progress.stage("measuring");
    limits = measure();
  }
  const auto targets = simd_targets();
  const int threads = default_executor().concurrency();
  const unsigned cpus = std::thread::hardware_concurrency();

  if (arguments.common.json) {
    Json object;
    object["version"] = TENFOLD_VERSION;
    object["simd_target"] = simd_target();
    object["simd_targets"] = targets;
    object["threads"] = threads;
    object["cpus"] = cpus;
    object["newest_onnx_opset"] = kNewestOnnxOpset;
    object["read_bytes_per_second"] = limits ? Json(limits->bytes_per_second) : Json();
    object["fma_f32_flops"] = limits ? Json(limits->flops) : Json();
    return print(dump(object));
  }
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<16}  {}\n", name, value);
  };
  line("version", TENFOLD_VERSION);
  line("SIMD target", simd_target());
  line("compiled in", fmt::format("{}", fmt::join(targets, ", ")));
  line("threads", fmt::format("{} of {} CPUs", threads, cpus));
  line("ONNX opsets", fmt::format("1 to {}", kNewestOnnxOpset));
  if (limits) {
    line("read bandwidth", fmt::format("{:.1f} GB/s, one thread", limits->bytes_per_second / 1e9));
    line("FMA peak", fmt::format("{:.1f} GFLOP/s in f32, one thread", limits->flops / 1e9));
  }
  print(text);
}

}  // namespace

Command add_info(CLI::App& app) {
  const auto arguments = std::make_shared<InfoArguments>();
  CLI::App* sub = add_subcommand(app, "info", "Show the version, the machine and its limits",
                                 kInfoExamples, arguments->common);
  sub->add_flag("--no-measure", arguments->no_measure, "Leave out bandwidth and FMA peak");
  sub->add_flag("--json", arguments->common.json, "Print as JSON");
  return {sub, [arguments] { show(*arguments); }};
}

}  // namespace tenfold::cli
