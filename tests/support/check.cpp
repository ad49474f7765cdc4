#include "support/check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "reduce/reference.hpp"
#include "support/accuracy.hpp"
#include "support/problem.hpp"
#include "support/values.hpp"

namespace tenfold::testing {
namespace {

bool is_exact(ReduceOp op, DType dtype) {
  if (is_arg(op) || op == ReduceOp::kMax || op == ReduceOp::kMin) return true;
  const bool logarithm = op == ReduceOp::kLogSum || op == ReduceOp::kLogSumExp;
  return !is_float(dtype) && !logarithm;
}

// Float results that the standards leave to rounding. NaN, infinities and empty sets are exact.
template <class T>
std::string check_float(ReduceOp op, const T* data, std::span<const std::int64_t> offsets,
                        double depth, T got, T reference) {
  if (std::memcmp(&got, &reference, sizeof(T)) == 0) return {};
  std::vector<double> x;
  bool finite = true;
  for (std::int64_t offset : offsets) {
    x.push_back(as_double(data[offset]));
    finite &= std::isfinite(x.back());
  }
  const T nan = T(std::numeric_limits<float>::quiet_NaN());
  const bool odd_nan = std::isnan(as_double(got)) && std::memcmp(&got, &nan, sizeof(T)) != 0;
  if (op == ReduceOp::kLogSumExp && !finite && std::isfinite(as_double(reference))) {
    std::erase(x, -std::numeric_limits<double>::infinity());  // exp of it is nothing
    finite = true;
  }
  if (!finite || x.empty() || odd_nan)
    return fmt::format("got {}, expected {}", element_text(dtype_of<T>, &got),
                       element_text(dtype_of<T>, &reference));
  return inaccuracy(op, x, depth, dtype_of<T>, as_double(got));
}

// Logarithms of integer sums: undefined unless the sum is positive, and one step of slack.
template <class T>
std::string check_integer_log(const T* data, std::span<const std::int64_t> offsets, ReduceOp op,
                              T got, T reference) {
  __int128 sum = 0;
  for (std::int64_t offset : offsets) sum += static_cast<__int128>(data[offset]);
  if (op == ReduceOp::kLogSum && sum <= 0) return {};
  if (op == ReduceOp::kLogSumExp && offsets.empty()) return {};
  const __int128 gap = static_cast<__int128>(got) - static_cast<__int128>(reference);
  if (gap >= -1 && gap <= 1) return {};
  return fmt::format("got {}, expected {} give or take 1", got, reference);
}

template <class T>
std::string check_cell(const TensorView& input, ReduceOp op, std::span<const std::int64_t> offsets,
                       double depth, T got, T reference) {
  const T* data = static_cast<const T*>(input.data);
  if constexpr (is_float(dtype_of<T>))
    return check_float(op, data, offsets, depth, got, reference);
  else if constexpr (!std::is_same_v<T, Bool>)
    return check_integer_log(data, offsets, op, got, reference);
  else
    return "no rule for bool";
}

}  // namespace

std::string element_text(DType dtype, const void* element) {
  return visit_dtype(dtype, [&]<class T>() {
    const T value = *static_cast<const T*>(element);
    if constexpr (is_complex_type<T>) {
      using Part = typename T::value_type;
      const auto* parts = static_cast<const Part*>(element);
      return element_text(dtype_of<Part>, parts) + " + i " +
             element_text(dtype_of<Part>, parts + 1);
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(T));
      if constexpr (is_float(dtype_of<T>))
        return fmt::format("{:.17g} ({:#x})", as_double(value), bits);
      else if constexpr (std::is_same_v<T, Bool>)
        return fmt::format("byte {}", bits);
      else
        return fmt::format("{}", value);
    }
  });
}

std::string difference(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype())
    return fmt::format("dtypes {} and {}", name_of(a.dtype()), name_of(b.dtype()));
  if (!(a.shape() == b.shape()))
    return fmt::format("shapes {} and {}", to_string(a.shape()), to_string(b.shape()));
  const std::size_t size = size_of(a.dtype());
  std::string text;
  int shown = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const auto* pa = static_cast<const char*>(a.data()) + i * static_cast<std::int64_t>(size);
    const auto* pb = static_cast<const char*>(b.data()) + i * static_cast<std::int64_t>(size);
    if (std::memcmp(pa, pb, size) == 0) continue;
    if (shown++ == kShown) return text + " …";
    text += fmt::format(" [{}] {} and {};", i, element_text(a.dtype(), pa),
                        element_text(b.dtype(), pb));
  }
  return text;
}

std::string mismatch(const TensorView& input, const ReduceSpec& spec, const Tensor& got) {
  if (spec.dtype && *spec.dtype != input.dtype) {  // converted first: by the sum over no axis
    const ReduceOp identity = *spec.dtype == DType::kBool ? ReduceOp::kMax : ReduceOp::kSum;
    const Tensor converted =
        reference_reduce(input, {.op = identity, .axes = Dims{}, .dtype = spec.dtype});
    const std::string wrong = mismatch(converted, spec, got);
    return wrong.empty() ? "" : fmt::format("from {}: {}", name_of(input.dtype), wrong);
  }
  const Tensor reference = reference_reduce(input, spec);
  const std::string name = problem_string(input, spec) + ":";
  if (got.dtype() != reference.dtype() || !(got.shape() == reference.shape()))
    return name + " got and expected " + difference(got, reference);
  if (is_exact(spec.op, spec.dtype.value_or(input.dtype))) {
    const std::string wrong = difference(got, reference);
    return wrong.empty() ? "" : name + " got and expected" + wrong;
  }
  const double depth = tree_depth(reduced_extents(input, spec.axes));
  std::string text;
  int shown = 0;
  visit_real_dtype(input.dtype, [&]<class T>() {
    for_each_cell(input, spec.axes, [&](std::int64_t cell, std::span<const std::int64_t> offsets) {
      const std::string wrong =
          check_cell(input, spec.op, offsets, depth, static_cast<const T*>(got.data())[cell],
                     static_cast<const T*>(reference.data())[cell]);
      if (!wrong.empty() && shown++ < kShown) text += fmt::format(" [{}] {};", cell, wrong);
    });
  });
  return text.empty() ? "" : name + text;
}

}  // namespace tenfold::testing
