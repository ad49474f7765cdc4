// Finishers that are rare or integer: one output at a time.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/keys.hpp"
#include "kernels/reduce_kernels.hpp"

namespace tenfold::kernels {

FinishFn find_float_finish(Finish finish, DType state, DType output);

namespace {

using U128 = unsigned __int128;

// A result in A as an element of T: rounded for floats, truncated toward zero and saturated for
// integers (the logarithms of integers of opsets before 28).
template <class T, class A>
T convert_result(A value) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(value)) return std::bit_cast<T>(kNanBits<T>);
    return static_cast<T>(value);
  } else {
    if (std::isnan(value)) return T{};
    if (value <= static_cast<A>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    if (value >= static_cast<A>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  }
}

// f32 logarithms are taken in f64 and rounded once.
template <class A, class T>
bool finish_log(const void* states, std::int64_t n, void* out, const FinishArgs&) {
  const A* p = static_cast<const A*>(states);
  T* q = static_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i)
    q[i] = convert_result<T>(std::log(static_cast<double>(p[i])));
  return true;
}

template <class A, class T>
bool finish_logsumexp(const void* states, std::int64_t n, void* out, const FinishArgs&) {
  const auto* p = static_cast<const LogSumExpState<A>*>(states);
  T* q = static_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    const double max = p[i].max;  // infinite or NaN: the answer by itself
    q[i] =
        convert_result<T>(std::isfinite(max) ? max + std::log(static_cast<double>(p[i].sum)) : max);
  }
  return true;
}

template <class T>
bool finish_key(const void* states, std::int64_t n, void* out, const FinishArgs& args) {
  const auto* p = static_cast<const KeyOf<T>*>(states);
  T* q = static_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i) q[i] = element_of_key<T>(p[i], args.flip, args.offset);
  return true;
}

template <class T>
bool finish_copy(const void* states, std::int64_t n, void* out, const FinishArgs&) {
  std::memcpy(out, states, static_cast<std::size_t>(n) * sizeof(T));
  return true;
}

template <class T>
bool finish_wide_mean(const void* states, std::int64_t n, void* out, const FinishArgs& args) {
  const auto* p = static_cast<const WideState*>(states);
  T* q = static_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto narrow =
        static_cast<std::int64_t>(p[i]);  // a 64-bit division is several times faster
    q[i] = narrow == p[i] ? static_cast<T>(narrow / args.count) : static_cast<T>(p[i] / args.count);
  }
  return true;
}

// Largest r with r * r <= v, by Newton's iteration from above.
U128 integer_root(U128 v) {
  if (v < (U128{1} << 52)) return static_cast<U128>(std::sqrt(static_cast<double>(v)));
  U128 r = (U128{1} << 64) - 1;
  const auto estimate = static_cast<long double>(std::sqrt(static_cast<double>(v)));
  if (estimate * 1.001L < static_cast<long double>(r)) r = static_cast<U128>(estimate * 1.001L);
  for (;;) {
    const U128 next = (r + v / r) / 2;
    if (next >= r) return r;
    r = next;
  }
}

template <class T>
bool finish_wide_sqrt(const void* states, std::int64_t n, void* out, const FinishArgs&) {
  const auto* p = static_cast<const WideState*>(states);
  T* q = static_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    const U128 root = integer_root(static_cast<U128>(p[i]));
    constexpr auto kMax = static_cast<U128>(std::numeric_limits<T>::max());
    q[i] = static_cast<T>(root < kMax ? root : kMax);
  }
  return true;
}

bool finish_arg(const void* states, std::int64_t n, void* out, const FinishArgs&) {
  const auto* p = static_cast<const ArgState*>(states);
  auto* q = static_cast<std::int64_t*>(out);
  for (std::int64_t i = 0; i < n; ++i) q[i] = p[i].index;
  return true;
}

}  // namespace

FinishFn find_finish(Finish finish, DType state, DType output) {
  if (finish == Finish::kArg) return &finish_arg;
  if (FinishFn f = find_float_finish(finish, state, output)) return f;
  return visit_real_dtype(output, [&]<class T>() -> FinishFn {
    if (finish == Finish::kKey) return &finish_key<T>;
    if constexpr (!std::is_same_v<T, Bool>) {
      if (finish == Finish::kLog)
        return state == DType::kF64 ? &finish_log<double, T> : &finish_log<float, T>;
      if (finish == Finish::kLogSumExp)
        return state == DType::kF64 ? &finish_logsumexp<double, T> : &finish_logsumexp<float, T>;
    }
    if constexpr (std::is_integral_v<T>) {
      if (finish == Finish::kCopy) return &finish_copy<T>;
      if (finish == Finish::kWideMean) return &finish_wide_mean<T>;
      if (finish == Finish::kWideSqrt) return &finish_wide_sqrt<T>;
    }
    return nullptr;
  });
}

}  // namespace tenfold::kernels
