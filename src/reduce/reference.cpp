#include "reduce/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace tenfold {
namespace {

using Int = __int128;  // holds every integer type, and sums of them
using Float = long double;
using UInt = unsigned __int128;

template <class T>
constexpr bool kIsFloat = is_float(dtype_of<T>);
template <class T>
using Wide = std::conditional_t<kIsFloat<T>, Float, Int>;

template <class T>
Wide<T> widen(T x) {
  if constexpr (std::is_same_v<T, Bool>)
    return bool(x);
  else if constexpr (sizeof(T) == 2 && kIsFloat<T>)
    return static_cast<float>(x);
  else
    return x;
}

// Into type T: floats round once, integers wrap, floats to integers truncate and saturate (NaN is
// 0), anything but zero is true.
template <class T, class W>
T narrow(W x) {
  if constexpr (std::is_same_v<T, Bool>) {
    return Bool(x != 0);
  } else if constexpr (kIsFloat<T>) {
    if constexpr (std::is_same_v<W, Float>)
      if (std::isnan(x)) return T(std::numeric_limits<double>::quiet_NaN());  // one NaN for all
    if constexpr (sizeof(T) == 2)
      return T(static_cast<double>(x));
    else
      return static_cast<T>(x);
  } else if constexpr (std::is_same_v<W, Int>) {
    return static_cast<T>(static_cast<std::uint64_t>(x));
  } else {
    if (std::isnan(x)) return 0;
    constexpr Float kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
    return x <= kLow    ? std::numeric_limits<T>::min()
           : x >= kHigh ? std::numeric_limits<T>::max()
                        : static_cast<T>(x);
  }
}

// f(… f(f(start, x0), x1) …)
template <class W, class State, class F>
State fold(std::span<const W> x, State start, F f) {
  for (W v : x) start = f(start, v);
  return start;
}

Float log_sum_exp(std::span<const Float> x) {
  const Float top =
      fold(x, Float{-INFINITY}, [](Float a, Float v) { return std::isnan(v) || v > a ? v : a; });
  if (std::isnan(top) || std::isinf(top)) return top;
  return top + std::log(fold(x, Float{0}, [&](Float a, Float v) { return a + std::exp(v - top); }));
}

// The largest integer whose square is at most x.
Int integer_root(UInt x) {
  UInt root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const UInt trial = root | UInt{1} << bit;
    if (trial * trial <= x) root = trial;
  }
  return static_cast<Int>(root);
}

// -1, 0, 1 by the order of Max and Min: NaN is above (Max) or below (Min) everything, -0 below +0.
int order(Float a, Float b, bool nan_is_high) {
  if (std::isnan(a) || std::isnan(b)) {
    const int by_nan = int(std::isnan(a)) - int(std::isnan(b));
    return nan_is_high ? by_nan : -by_nan;
  }
  if (a == 0 && b == 0) return int(std::signbit(b)) - int(std::signbit(a));
  return a < b ? -1 : a > b;
}

Float fold_floats(ReduceOp op, std::span<const Float> x) {
  const auto n = static_cast<Float>(x.size());
  const auto sum = [&] {
    return x.empty() ? Float{0} : fold(x, -Float{0}, [](Float a, Float v) { return a + v; });
  };
  const auto squares = [&] {
    return fold(x, Float{0}, [](Float a, Float v) { return a + v * v; });
  };
  switch (op) {
    case ReduceOp::kSum:
      return sum();
    case ReduceOp::kMean:
      return sum() / n;  // of nothing: NaN
    case ReduceOp::kMax:
      return fold(x, Float{-INFINITY},
                  [](Float a, Float v) { return order(v, a, true) > 0 ? v : a; });
    case ReduceOp::kMin:
      return fold(x, Float{INFINITY},
                  [](Float a, Float v) { return order(v, a, false) < 0 ? v : a; });
    case ReduceOp::kProd:
      return fold(x, Float{1}, [](Float a, Float v) { return a * v; });
    case ReduceOp::kL1:
      return fold(x, Float{0}, [](Float a, Float v) { return a + std::fabs(v); });
    case ReduceOp::kL2:
      return std::sqrt(squares());
    case ReduceOp::kLogSum:
      return std::log(sum());
    case ReduceOp::kLogSumExp:
      return log_sum_exp(x);
    case ReduceOp::kSumSquare:
      return squares();
    default:
      return 0;  // All and Any are for bool, ArgMax and ArgMin give indices
  }
}

UInt magnitude(Int v) { return static_cast<UInt>(v < 0 ? -v : v); }

// The root of the exact sum of squares, at most `highest`.
Int integer_norm(std::span<const Int> x, Int highest) {
  bool too_large = false;
  const UInt squares = fold(x, UInt{0}, [&](UInt a, Int v) {
    too_large |= __builtin_add_overflow(a, magnitude(v) * magnitude(v), &a);
    return a;
  });
  return too_large ? highest : std::min(integer_root(squares), highest);
}

// Integers and bool. What is wider than T is cut to it, which is what wrapping means; only the
// root saturates.
template <class T>
T fold_integers(ReduceOp op, std::span<const Int> x) {
  constexpr bool kBool = std::is_same_v<T, Bool>;
  const Int lowest = kBool ? 0 : widen(std::numeric_limits<T>::min());
  const Int highest = kBool ? 1 : widen(std::numeric_limits<T>::max());
  const auto n = static_cast<Int>(x.size());
  const auto sum = [&] { return fold(x, Int{0}, [](Int a, Int v) { return a + v; }); };
  const auto wrapped = [&](UInt start, auto f) {
    return narrow<T>(static_cast<Int>(fold(x, start, f)));
  };
  switch (op) {
    case ReduceOp::kSum:
      return narrow<T>(sum());
    case ReduceOp::kMean:
      return narrow<T>(n == 0 ? 0 : sum() / n);  // towards zero
    case ReduceOp::kAny:
    case ReduceOp::kMax:
      return narrow<T>(fold(x, lowest, [](Int a, Int v) { return std::max(a, v); }));
    case ReduceOp::kAll:
    case ReduceOp::kMin:
      return narrow<T>(fold(x, highest, [](Int a, Int v) { return std::min(a, v); }));
    case ReduceOp::kProd:
      return wrapped(1, [](UInt a, Int v) { return a * static_cast<UInt>(v); });
    case ReduceOp::kL1:
      return wrapped(0, [](UInt a, Int v) { return a + magnitude(v); });
    case ReduceOp::kSumSquare:
      return wrapped(0, [](UInt a, Int v) { return a + magnitude(v) * magnitude(v); });
    case ReduceOp::kL2:
      return narrow<T>(integer_norm(x, highest));
    case ReduceOp::kLogSum:
      return narrow<T>(std::log(static_cast<Float>(sum())));
    case ReduceOp::kLogSumExp:
      return narrow<T>(log_sum_exp(std::vector<Float>(x.begin(), x.end())));
    default:
      return T{};  // ArgMax and ArgMin give indices
  }
}

// Where the largest (or least) stands: NaN before all else, zeros equal, the first or the last of
// equals.
template <class W>
std::int64_t best_index(std::span<const W> x, bool largest, bool last) {
  const auto is_nan = [](W v) { return v != v; };
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const bool equal = x[i] == x[best] || (is_nan(x[i]) && is_nan(x[best]));
    const bool better =
        !is_nan(x[best]) && (is_nan(x[i]) || (largest ? x[i] > x[best] : x[i] < x[best]));
    if (better || (equal && last)) best = i;
  }
  return static_cast<std::int64_t>(best);
}

// Calls f(offset) for each index of `shape`, in row-major order.
template <class F>
void for_each_offset(const Dims& shape, const Dims& strides, F&& f, int axis = 0,
                     std::int64_t offset = 0) {
  if (axis == shape.size()) return f(offset);
  for (std::int64_t i = 0; i < shape[axis]; ++i)
    for_each_offset(shape, strides, f, axis + 1, offset + i * strides[axis]);
}

Tensor converted(const TensorView& input, DType to) {
  Tensor out(to, input.shape);
  visit_real_dtype(input.dtype, [&]<class From>() {
    visit_real_dtype(to, [&]<class To>() {
      To* next = static_cast<To*>(out.data());
      for_each_offset(input.shape, input.strides, [&](std::int64_t offset) {
        *next++ = narrow<To>(widen(static_cast<const From*>(input.data)[offset]));
      });
    });
  });
  return out;
}

}  // namespace

Tensor reference_reduce(const TensorView& original, const ReduceSpec& spec) {
  const bool of_truth = spec.op == ReduceOp::kAll || spec.op == ReduceOp::kAny;
  const DType type = of_truth ? DType::kBool : spec.dtype.value_or(original.dtype);
  if (type != original.dtype) {
    ReduceSpec same_type = spec;
    same_type.dtype.reset();
    return reference_reduce(converted(original, type), same_type);
  }
  const TensorView& input = original;
  std::vector<bool> reduced(static_cast<std::size_t>(input.rank()), !spec.axes.has_value());
  for (std::int64_t axis : spec.axes.value_or(Dims{}))
    reduced[static_cast<std::size_t>(axis < 0 ? axis + input.rank() : axis)] = true;
  Dims output_shape, kept_shape, kept_strides, reduced_shape, reduced_strides;
  for (int axis = 0; axis < input.rank(); ++axis) {
    const bool folds = reduced[static_cast<std::size_t>(axis)];
    (folds ? reduced_shape : kept_shape).push_back(input.shape[axis]);
    (folds ? reduced_strides : kept_strides).push_back(input.strides[axis]);
    if (!folds || spec.keepdims) output_shape.push_back(folds ? 1 : input.shape[axis]);
  }
  const bool arg = spec.op == ReduceOp::kArgMax || spec.op == ReduceOp::kArgMin;
  Tensor output(arg ? DType::kI64 : input.dtype, output_shape);
  visit_real_dtype(input.dtype, [&]<class T>() {
    std::vector<Wide<T>> set;
    std::int64_t at = 0;
    for_each_offset(kept_shape, kept_strides, [&](std::int64_t start) {
      set.clear();
      for_each_offset(reduced_shape, reduced_strides, [&](std::int64_t offset) {
        set.push_back(widen(static_cast<const T*>(input.data)[start + offset]));
      });
      const std::span<const Wide<T>> x = set;
      if (arg) {
        static_cast<std::int64_t*>(output.data())[at++] =
            best_index(x, spec.op == ReduceOp::kArgMax, spec.select_last_index);
      } else if constexpr (kIsFloat<T>) {
        static_cast<T*>(output.data())[at++] = narrow<T>(fold_floats(spec.op, x));
      } else {
        static_cast<T*>(output.data())[at++] = fold_integers<T>(spec.op, x);
      }
    });
  });
  return output;
}

}  // namespace tenfold
