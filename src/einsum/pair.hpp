// A contraction of two operands (or the copy of one) as loops over strided memory, and the table of
// kernels that can run it. The planner makes Pairs; a kernel accepts, prices and runs them.
//
//   c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n]
//
// Each of the four letters is a list of axes, and each may be empty.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "einsum/plan_list.hpp"
#include "tenfold/dtype.hpp"
#include "tenfold/executor.hpp"

namespace tenfold::einsum_detail {

// One loop; strides in elements of each operand's own type, 0 where the operand does not have the
// axis (or repeats along it). Strides may be negative.
struct PairAxis {
  std::int64_t size, a, b, c;
};
using PairAxes = PlanList<PairAxis, 4>;

// Types: kernels see kF32, kF16, kBF16, kBool, kF64, kI8, kU8, kI16, kU16, kI32, kI64 (u32 and u64
// come as kI32 and kI64: the same bits). Everything is computed in `acc`: kF32 for f32, f16, bf16
// and bool, kF64, kI32 for integers up to 32 bits, kI64; integers wrap. Complex types only where
// nothing is summed, all three alike. An element is converted
// when it is loaded and once more when the finished sum is stored (to bool: not zero). a, b and c
// may differ from each other (an intermediate has type acc) but not in acc.
struct Pair {
  PairAxes batch, m, n, k;  // outermost in c first (k: in a); every size >= 2; neighbours merged
  DType a_type = DType::kF32, b_type = DType::kF32, c_type = DType::kF32;
  bool has_b = true;  // false: c[m] = a[m], everything in m, b absent
  // Every sum is one chain in the order of k from beginning to end: no kernel may begin anew.
  bool one_chain = false;
};

DType acc_type(DType dtype);                // for the types above
std::int64_t extent(const PairAxes& axes);  // product of the sizes, 1 for none
// Multiplications, and elements of each operand and of the output (those at distinct addresses).
double pair_terms(const Pair& pair);

// Reduces the lists: no size 1, ordered, neighbours that step as one in all operands merged.
void fold_pair(Pair& pair);
// The same contraction with a and b exchanged, m and n too.
Pair swapped(const Pair& pair);

// A Pair planned for one kernel. Immutable; run is safe from many threads and never throws but
// std::bad_alloc. The result must not depend on the number of threads.
class PairKernel {
 public:
  virtual ~PairKernel() = default;
  // Pointers to element (0, …, 0) of each.
  virtual void run(const void* a, const void* b, void* c, const RunOptions& options) const = 0;
  // Blocking and orientation in words, for explain().
  virtual std::string describe() const { return {}; }
};

// A row of the table of kernels. The planner takes the accepted one with the least cost on operands
// without gaps (gapless.hpp).
struct PairKind {
  std::string_view name;  // "block"
  std::string_view for_what;
  bool (*accepts)(const Pair& pair);
  // Estimated time on one thread, in nanoseconds; see cost.hpp for the common assumptions.
  double (*cost)(const Pair& pair);
  std::unique_ptr<PairKernel> (*make)(const Pair& pair);
};
std::span<const PairKind> pair_kinds();
// The order of the strides decides, not their size; may set `one_chain`.
const PairKind& choose_kind(Pair& pair);
// The contraction whose costs decide: without gaps, where the order of a sum changes its bits.
Pair priced(const Pair& pair);

}  // namespace tenfold::einsum_detail
