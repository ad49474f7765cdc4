// The short names of the reductions.
#include <array>

#include "tenfold/reduce.hpp"

namespace tenfold {
namespace {
constexpr std::string_view kNames[] = {
#define X(id, name) name,
    TENFOLD_REDUCE_OPS(X)
#undef X
};
}  // namespace

std::string_view name_of(ReduceOp op) { return kNames[static_cast<int>(op)]; }

std::optional<ReduceOp> parse_reduce_op(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<ReduceOp>(i);
  return std::nullopt;
}

}  // namespace tenfold
