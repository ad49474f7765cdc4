// Files that hold several tensors by name: which one is meant, and the tensors to write.
// Called by the .npz and safetensors readers, writers and by save.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/tensor.hpp"

namespace tenfold::io {

// The index of `wanted` in `names`; the only one when `wanted` is empty. `suffix` may stand behind
// either without making a difference. Throws Error(kUnknownName) with the nearest name or the names
// there are, and Error(kMalformedData) when there is none or a name stands twice.
std::size_t choose_member(std::span<const std::string> names, std::string_view wanted,
                          std::string_view suffix = {});

struct NamedView {
  std::string name;
  TensorView tensor;
};
std::vector<std::byte> write_npz(std::span<const NamedView> tensors);
std::vector<std::byte> write_safetensors(std::span<const NamedView> tensors);

}  // namespace tenfold::io
