#include "graph/gemm.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "core/convert.hpp"
#include "graph/elementwise.hpp"

namespace tenfold::graph {
namespace {

bool is_half(DType dtype) { return is_float(dtype) && size_of(dtype) == 2; }

// C along the axes of a product of this shape: aligned at the last axis, 1 stretches.
Dims stretched_strides(const TensorView& c, const Dims& product) {
  Dims strides;
  strides.resize(product.size(), 0);
  for (int axis = 0; axis < c.rank(); ++axis)
    if (c.shape[axis] != 1) strides[product.size() - c.rank() + axis] = c.strides[axis];
  return strides;
}

// Floats: in double, where the product of two floats is exact, and rounded once.
struct InDouble {
  double alpha, beta;

  template <class T>
  static double wide(T x) {
    if constexpr (std::is_same_v<T, double>)
      return x;
    else
      return static_cast<double>(static_cast<float>(x));
  }
  template <class T, class Sum>
  T operator()(Sum product) const {
    return convert_element<T>(alpha * wide(product));
  }
  template <class T, class Sum>
  T operator()(Sum product, T c) const {
    return convert_element<T>(alpha * wide(product) + beta * wide(c));
  }
};

// Integers whose factors are whole numbers: everything wraps.
struct Wrapping {
  std::int64_t alpha, beta;

  template <class T, class Sum>
  T operator()(Sum product) const {
    return static_cast<T>(static_cast<std::uint64_t>(alpha) * static_cast<std::uint64_t>(product));
  }
  template <class T, class Sum>
  T operator()(Sum product, T c) const {
    return static_cast<T>(static_cast<std::uint64_t>(alpha) * static_cast<std::uint64_t>(product) +
                          static_cast<std::uint64_t>(beta) * static_cast<std::uint64_t>(c));
  }
};

// Other factors of integers: in double, truncated and saturated as a Cast does.
struct Truncating {
  double alpha, beta;

  template <class T, class Sum>
  T operator()(Sum product) const {
    return convert_element<T>(alpha * static_cast<double>(product));
  }
  template <class T, class Sum>
  T operator()(Sum product, T c) const {
    return convert_element<T>(alpha * static_cast<double>(product) + beta * static_cast<double>(c));
  }
};

bool is_whole(float factor) { return std::trunc(factor) == factor && std::fabs(factor) < 0x1p63F; }

// Writes f of every element of the product (and of C) over it if the types are one, else into a
// new tensor.
template <class T, class Sum, class F>
Held each(Held product, const TensorView* c, const RunOptions& options, F f) {
  const Dims& shape = product.view.shape;
  Held out = std::is_same_v<T, Sum> ? product : Held::of(Tensor(dtype_of<T>, shape));
  const Sum* const from = static_cast<const Sum*>(product.view.data);
  T* const to = static_cast<T*>(out.owner->data());
  if (c == nullptr) {
    for_each_run<1>(shape, {product.view.strides}, options,
                    [=](std::int64_t index, const auto&, const auto&, std::int64_t count) {
                      for (std::int64_t i = index; i < index + count; ++i)
                        to[i] = f.template operator()<T>(from[i]);
                    });
    return out;
  }
  const T* const addend = static_cast<const T*>(c->data);
  for_each_run<1>(shape, {stretched_strides(*c, shape)}, options,
                  [=](std::int64_t index, const auto& at, const auto& step, std::int64_t count) {
                    const T* const q = addend + at[0];
                    for (std::int64_t i = 0; i < count; ++i)
                      to[index + i] = f.template operator()<T>(from[index + i], q[i * step[0]]);
                  });
  return out;
}

}  // namespace

DType Affine::product_type(DType dtype) const {
  return is_half(dtype) && !is_identity() ? DType::kF32 : dtype;
}

void Affine::check_c(const std::string& where, const TensorView& c, DType dtype,
                     const Dims& product) const {
  if (c.dtype != dtype)
    throw Error(ErrorCode::kTypeMismatch, where, "C has another type than A and B",
                std::string(numpy_name_of(dtype)), std::string(numpy_name_of(c.dtype)));
  bool fits = c.rank() <= product.size();
  for (int axis = 0; axis < c.rank() && fits; ++axis)
    fits = c.shape[axis] == 1 || c.shape[axis] == product[product.size() - c.rank() + axis];
  if (!stretches_c && !(c.shape == product))
    throw Error(ErrorCode::kShapeMismatch, where, "C differs in shape from the product",
                to_string(product) + ", or the attribute broadcast", to_string(c.shape));
  if (!fits)
    throw Error(ErrorCode::kShapeMismatch, where, "C cannot be broadcast to the product",
                "1 or the extent of " + to_string(product) + ", aligned at the last axis",
                to_string(c.shape));
}

Held Affine::apply(Held product, const TensorView* c, DType dtype,
                   const RunOptions& options) const {
  if (is_identity()) return product;
  if (!adds()) c = nullptr;
  if (is_half(dtype))
    return visit_real_dtype(dtype, [&]<class T>() -> Held {
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
        return each<T, float>(std::move(product), c, options, InDouble{alpha, beta});
      else
        __builtin_unreachable();
    });
  return visit_real_dtype(dtype, [&]<class T>() -> Held {
    if constexpr (std::is_floating_point_v<T>) {
      return each<T, T>(std::move(product), c, options, InDouble{alpha, beta});
    } else if constexpr (std::is_integral_v<T>) {
      if (is_whole(alpha) && (c == nullptr || is_whole(beta)))
        return each<T, T>(std::move(product), c, options,
                          Wrapping{static_cast<std::int64_t>(alpha),
                                   c == nullptr ? 0 : static_cast<std::int64_t>(beta)});
      return each<T, T>(std::move(product), c, options, Truncating{alpha, beta});
    } else {
      __builtin_unreachable();  // the rows allow numbers only, and 16-bit floats went above
    }
  });
}

}  // namespace tenfold::graph
