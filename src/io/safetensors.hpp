// The safetensors format: a JSON header that says where each named tensor's bytes are.
// Called by the public functions of io.hpp and by load.
#pragma once

#include <string_view>

#include "tenfold/io.hpp"

namespace tenfold::io {

Tensor parse_safetensors(Bytes bytes, std::string_view member);

}  // namespace tenfold::io
