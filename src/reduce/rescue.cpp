#include "reduce/rescue.hpp"

#include <cmath>
#include <limits>

namespace tenfold {
namespace {

// A pairwise sum in long double (x87: range 2^16384, 64-bit significand), as a binary counter.
class WideSum {
 public:
  void add(long double v) {
    int level = 0;
    for (; filled_ >> level & 1; ++level) v += node_[level];
    node_[level] = v;
    ++filled_;
  }
  long double total() const {
    long double sum = 0;
    for (int level = 0; level < 64; ++level)
      if (filled_ >> level & 1) sum += node_[level];
    return sum;
  }

 private:
  long double node_[64];
  std::uint64_t filled_ = 0;
};

template <class T>
void add_slice(const ReducePlan::Impl& plan, const std::byte* in, int depth, WideSum& sum) {
  const auto size = static_cast<std::int64_t>(size_of(plan.in_dtype));
  const bool block = depth == plan.reduced.size();
  const Loop& loop = block ? plan.n : plan.reduced[depth];
  const ConvertFn convert = find_convert(plan.in_dtype, plan.row.compute);
  for (std::int64_t i = 0; i < loop.size; ++i) {
    const std::byte* at = in + i * loop.in * size;
    if (!block) {
      add_slice<T>(plan, at, depth + 1, sum);
      continue;
    }
    T element;
    convert(at, 1, 1, &element);
    const auto v = static_cast<long double>(static_cast<double>(convert_element<double>(element)));
    sum.add(plan.row.finish == kernels::Finish::kSqrt ? v * v : v);
  }
}

// Is this a result that a state out of range could have given?
template <class T>
bool suspect(const ReducePlan::Impl& plan, T value) {
  const auto v = convert_element<double>(value);
  if (plan.row.finish == kernels::Finish::kMean) return !std::isfinite(v);
  return std::isinf(v) || v < 0x1p-480;  // the square root of the smallest state that is trusted
}

}  // namespace

void rescue(const ReducePlan::Impl& plan, const std::byte* in, std::byte* out) {
  visit_real_dtype(plan.out_dtype, [&]<class T>() {
    T* result = reinterpret_cast<T*>(out);
    if (!suspect(plan, *result)) return;
    WideSum sum;
    add_slice<T>(plan, in, 0, sum);
    const long double total = sum.total();
    const double value =
        static_cast<double>(plan.row.finish == kernels::Finish::kMean
                                ? total / static_cast<long double>(plan.finish_args.count)
                                : std::sqrt(total));
    *result = std::isnan(value) ? convert_element<T>(std::numeric_limits<double>::quiet_NaN())
                                : convert_element<T>(value);
  });
}

}  // namespace tenfold
