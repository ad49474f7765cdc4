#include "orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "einsum/path.hpp"
#include "tenfold/error.hpp"

namespace tenfold::bench {
namespace {

using einsum_detail::ContractionPath;
using einsum_detail::Network;

// Of this thread: the machine may have other work.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The least time of a call over several batches that take about 20 ms together.
double least_us(const Network& network) {
  const auto once = [&](int calls) {
    const double start = cpu_seconds();
    for (int i = 0; i < calls; ++i) find_path(network, {.flops_only = true});
    return (cpu_seconds() - start) / calls;
  };
  once(1);
  const int calls = std::max(1, static_cast<int>(1e-3 / once(3)));
  double least = once(calls);
  for (int batch = 1; batch < 20; ++batch) least = std::min(least, once(calls));
  return least * 1e6;
}

// Two edges and half a hyperedge a tensor, some labels kept.
Network random_network(unsigned tensors, unsigned seed) {
  std::mt19937 random(seed);
  Network network;
  network.inputs.resize(tensors);
  for (int label = 0; label < static_cast<int>(tensors * 5 / 2); ++label) {
    network.sizes.push_back(2 + static_cast<int>(random() % 30));
    const unsigned holders = std::min(tensors, label % 5 == 0 ? 3U : 2U), first = random();
    for (unsigned k = 0; k < holders; ++k)
      network.inputs[(first + k * (1 + first % (tensors - 1))) % tensors].push_back(label);
    if (random() % 8 == 0) network.output.push_back(label);
  }
  for (std::vector<int>& input : network.inputs)
    input.erase(std::unique(input.begin(), input.end()), input.end());
  return network;
}

}  // namespace

void time_orders(const std::string& path) {
  fmt::print("{:24}{:>9}{:>12}{:>14}{:>9}\n", "network", "operands", "time", "log10 flops",
             "excess");
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::kFile, path, "can't be read");
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const Network network{row.at("inputs").get<std::vector<std::vector<int>>>(),
                          row.at("output").get<std::vector<int>>(),
                          row.at("sizes").get<std::vector<std::int64_t>>()};
    const double flops = find_path(network, {.flops_only = true}).cost.log10_flops;
    fmt::print("{:24}{:>9}{:>9.1f} us{:>14.4f}{:>9.4f}\n", row.at("id").get<std::string>(),
               network.inputs.size(), least_us(network), flops,
               flops - row.at("log10_flops").get<double>());
  }
  for (const unsigned tensors : {2U, 3U, 4U, 6U, 8U, 10U, 11U, 12U, 13U, 14U}) {
    double mean = 0, most = 0;
    constexpr unsigned kSeeds = 5;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const double time = least_us(random_network(tensors, seed));
      mean += time / kSeeds;
      most = std::max(most, time);
    }
    fmt::print("{:24}{:>9}{:>9.2f} us, at most {:.2f}\n", "random", tensors, mean, most);
  }
}

}  // namespace tenfold::bench
