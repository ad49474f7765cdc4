// Puts the nodes of a model in an order in which each finds its inputs ready.
// Called by `compile`.
#pragma once

#include <vector>

#include "graph/model.hpp"

namespace tenfold::graph {

// Indices of model.nodes, in the file's order where that is free. Throws Error(kMalformedModel) for
// a value that nothing or more than one thing gives, and for a cycle, naming node and value.
std::vector<int> schedule(const Model& model);

// "node 'r1' ReduceMax".
std::string full_label(const Node& node);

}  // namespace tenfold::graph
