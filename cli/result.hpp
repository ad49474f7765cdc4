// The one result of a command on its way out: to a file, to standard output as .npy, as JSON, or as
// text for people.
// Called by `tenfold reduce` and `tenfold einsum`.
#pragma once

#include <functional>
#include <string>

#include "common.hpp"
#include "render.hpp"
#include "terminal.hpp"

namespace tenfold::cli {

// What -o and --json ask for can be done; throws a usage error of `command`.
void check_result_options(const std::string& command, const std::string& output, bool json);

// Computes the result under a line of progress, writes it and prints it, or says where it was
// written. `head`: what comes first in the JSON.
void deliver_result(const Common& common, const std::string& output, Json head,
                    const std::function<Tensor(Progress&)>& compute);

}  // namespace tenfold::cli
