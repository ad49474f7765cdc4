// How long an order of contraction takes to find. Called by micro.cpp.
#pragma once

#include <string>

namespace tenfold::bench {

// Prints a line for each network of FILE (as tests/data/networks.jsonl) and for random ones of 2 to
// 14 operands: time, multiplications, excess over the least known.
void time_orders(const std::string& path);

}  // namespace tenfold::bench
