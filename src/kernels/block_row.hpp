// A row of the table of packed block contractions, as its kernel file hands it to the lookup.
// Called by block_kernels.cpp.
#pragma once

#include <span>

#include "kernels/block_kernels.hpp"

namespace tenfold::kernels {

struct BlockPackRow {
  DType source;
  PackFn rows, columns;
};
struct BlockRow {
  BlockKernel kernel;
  std::span<const BlockPackRow> packs;
};

}  // namespace tenfold::kernels
