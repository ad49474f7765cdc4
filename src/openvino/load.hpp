// Reads an OpenVINO IR (XML of version 10 or 11, and its weights) into the dialect-neutral form.
// Called by Graph::load and Graph::load_openvino.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "graph/model.hpp"

namespace tenfold::openvino {

// `weights`: the bytes of the .bin file; may be empty when the model has no constants. Throws
// Error.
graph::Model read_model(std::string_view xml, std::span<const std::byte> weights);

}  // namespace tenfold::openvino
