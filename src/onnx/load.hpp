// Reads an ONNX model into the dialect-neutral form. Called by Graph::load and Graph::load_onnx.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "graph/model.hpp"

namespace tenfold::onnx {

// `folder`: where external data may lie; empty: external data is refused. Model-local functions are
// inlined. Throws Error.
graph::Model read_model(std::span<const std::byte> bytes, const std::filesystem::path& folder);

}  // namespace tenfold::onnx
