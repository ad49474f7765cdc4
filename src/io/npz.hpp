// NumPy's .npz format: a zip archive whose members are .npy files.
// Called by the public functions of io.hpp and by load.
#pragma once

#include <optional>
#include <string_view>

#include "tenfold/io.hpp"

namespace tenfold::io {

Tensor parse_npz(Bytes bytes, std::string_view member, std::optional<DType> wanted);

}  // namespace tenfold::io
