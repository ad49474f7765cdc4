#include <algorithm>
#include <cmath>
#include <type_traits>

#include "graph/elementwise.hpp"
#include "graph/glue.hpp"

namespace tenfold::graph {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

struct AbsOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (kIsHalf<T>) {
      return T::from_bits(x.bits & 0x7fff);
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(x);
    } else if constexpr (std::is_signed_v<T>) {
      using U = std::make_unsigned_t<T>;  // the least value has no opposite and stays itself
      return x < 0 ? static_cast<T>(static_cast<U>(0u - static_cast<U>(x))) : x;
    } else {
      return x;
    }
  }
};

// Functions of floating-point numbers; 16-bit types compute in float and round once.
template <class Function>
struct InFloat {
  template <class T>
  T operator()(T x) const {
    if constexpr (kIsHalf<T>)
      return T(Function()(static_cast<float>(x)));
    else
      return Function()(x);
  }
};
struct ExpOf {
  float operator()(float x) const { return std::exp(x); }
  double operator()(double x) const { return std::exp(x); }
};
struct LogOf {
  float operator()(float x) const { return std::log(x); }
  double operator()(double x) const { return std::log(x); }
};
struct SqrtOf {
  float operator()(float x) const { return std::sqrt(x); }
  double operator()(double x) const { return std::sqrt(x); }
};

template <class F>
Held map_floats(const GlueCall& call) {
  return visit_real_dtype(call.view(0).dtype, [&]<class T>() -> Held {
    if constexpr (std::is_floating_point_v<T> || kIsHalf<T>)
      return map_elements<T, T>(call.view(0), call.options, InFloat<F>());
    else
      __builtin_unreachable();  // the row allows floating-point types only
  });
}

template <class T>
T product(T a, T b) {
  if constexpr (kIsHalf<T>) {
    return T(static_cast<float>(a) * static_cast<float>(b));
  } else if constexpr (std::is_integral_v<T>) {
    // Wraps. At least 32 bits and unsigned, since shorter types are promoted to signed int.
    using Wide = std::common_type_t<std::make_unsigned_t<T>, std::uint32_t>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  } else {
    return a * b;
  }
}

// The shapes of both operands after NumPy's rule: aligned at the end, 1 stretches.
struct Broadcast {
  Dims shape;
  std::array<Dims, 2> strides;
};

Broadcast broadcast_together(const GlueCall& call, const TensorView& a, const TensorView& b) {
  const int rank = std::max(a.rank(), b.rank());
  Broadcast both;
  both.shape.resize(rank, 1);
  for (int k = 0; k < 2; ++k) {
    const TensorView& x = k == 0 ? a : b;
    both.strides[static_cast<std::size_t>(k)].resize(rank, 0);
    for (int axis = 0; axis < x.rank(); ++axis) {
      const int to = rank - x.rank() + axis;
      if (x.shape[axis] == 1) continue;
      both.strides[static_cast<std::size_t>(k)][to] = x.strides[axis];
      if (both.shape[to] != 1 && both.shape[to] != x.shape[axis])
        call.fail(ErrorCode::kShapeMismatch, "shapes cannot be broadcast together",
                  "equal extents or 1, aligned at the last axis",
                  to_string(a.shape) + " and " + to_string(b.shape));
      both.shape[to] = x.shape[axis];
    }
  }
  return both;
}

// The rule before opset 7: only the second operand stretches, and only when `broadcast` says so;
// its shape stands somewhere within the first one's, at `axis` or at the end.
TensorView placed_as_of_old(const GlueCall& call, const TensorView& a, const TensorView& b) {
  const auto* broadcast = find_attribute<std::int64_t>(call.node, "broadcast");
  const auto* axis = find_attribute<std::int64_t>(call.node, "axis");
  const std::string shapes = to_string(a.shape) + " and " + to_string(b.shape);
  if (broadcast == nullptr || *broadcast == 0) {
    if (!(a.shape == b.shape))
      call.fail(ErrorCode::kShapeMismatch, "shapes differ", "equal shapes, or broadcast=1", shapes);
    return b;
  }
  TensorView placed = b;
  if (element_count(b.shape) == 1 && b.rank() <= a.rank()) {
    placed.shape = placed.strides = {};
    return placed;
  }
  const std::int64_t spare = a.rank() - b.rank();
  const std::int64_t at = axis != nullptr ? *axis : spare;
  bool fits = spare >= 0 && at >= 0 && at <= spare;
  for (int i = 0; i < b.rank() && fits; ++i) fits = b.shape[i] == a.shape[static_cast<int>(at) + i];
  if (!fits)
    call.fail(ErrorCode::kShapeMismatch, "the second shape is not a part of the first",
              axis != nullptr ? "a part from axis " + std::to_string(at) + " on" : "its last axes",
              shapes);
  for (std::int64_t i = at; i < spare; ++i) {  // trailing axes that only the first operand has
    placed.shape.push_back(1);
    placed.strides.push_back(0);
  }
  return placed;
}

}  // namespace

Held run_abs(const GlueCall& call) {
  return visit_real_dtype(call.view(0).dtype, [&]<class T>() -> Held {
    if constexpr (std::is_same_v<T, Bool>)
      __builtin_unreachable();  // no row allows bool
    else
      return map_elements<T, T>(call.view(0), call.options, AbsOf());
  });
}

Held run_exp(const GlueCall& call) { return map_floats<ExpOf>(call); }
Held run_log(const GlueCall& call) { return map_floats<LogOf>(call); }
Held run_sqrt(const GlueCall& call) { return map_floats<SqrtOf>(call); }

Held run_mul(const GlueCall& call) {
  const TensorView& a = call.view(0);
  if (call.view(1).dtype != a.dtype)
    call.fail(ErrorCode::kTypeMismatch, "the operands have different types",
              std::string(numpy_name_of(a.dtype)), std::string(numpy_name_of(call.view(1).dtype)));
  const bool old = call.row.since_version < 7;
  const TensorView b = old ? placed_as_of_old(call, a, call.view(1)) : call.view(1);
  const Broadcast both = broadcast_together(call, a, b);
  return visit_real_dtype(a.dtype, [&]<class T>() -> Held {
    if constexpr (std::is_same_v<T, Bool>) {
      __builtin_unreachable();  // no row allows bool
    } else {
      Held out = Held::of(Tensor(a.dtype, both.shape));
      const T* const x = static_cast<const T*>(a.data);
      const T* const y = static_cast<const T*>(b.data);
      T* const to = static_cast<T*>(out.owner->data());
      for_each_run<2>(
          both.shape, both.strides, call.options,
          [=](std::int64_t index, const auto& at, const auto& step, std::int64_t count) {
            const T* p = x + at[0];
            const T* q = y + at[1];
            if (step[0] == 1 && step[1] == 1) {
              for (std::int64_t i = 0; i < count; ++i) to[index + i] = product(p[i], q[i]);
            } else {
              for (std::int64_t i = 0; i < count; ++i)
                to[index + i] = product(p[i * step[0]], q[i * step[1]]);
            }
          });
      return out;
    }
  });
}

}  // namespace tenfold::graph
