#include "support/einsum.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "support/check.hpp"
#include "support/values.hpp"

namespace tenfold::testing {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// |re| + |im|: at least the absolute value of each part of any product.
template <class T>
double size_of_element(T x) {
  if constexpr (is_complex_type<T>)
    return size_of_element(x.real()) + size_of_element(x.imag());
  else if constexpr (std::is_same_v<T, Bool>)
    return bool(x);
  else if constexpr (kIsHalf<T>)
    return std::fabs(static_cast<float>(x));
  else
    return std::fabs(static_cast<double>(x));
}

// For each output the sum of the sizes of its terms.
Tensor sizes_of_terms(const EinsumLabels& labels, std::span<const TensorView> operands) {
  std::vector<Tensor> sizes;
  for (const TensorView& x : operands) {
    const Tensor dense = Tensor::copy_of(x);
    double* next = static_cast<double*>(sizes.emplace_back(DType::kF64, x.shape).data());
    visit_dtype(x.dtype, [&]<class T>() {
      for (const T& element : dense.values<T>()) *next++ = size_of_element(element);
    });
  }
  return reference_einsum(labels, views_of(sizes), DType::kF64);
}

// Products summed into each output.
double terms_of(const EinsumLabels& labels, std::span<const TensorView> operands) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (int axis = 0; axis < operands[i].rank(); ++axis) {
      const auto label = static_cast<std::size_t>(labels.inputs[i][static_cast<std::size_t>(axis)]);
      if (sizes.size() <= label) sizes.resize(label + 1, 1);
      if (operands[i].shape[axis] != 1) sizes[label] = operands[i].shape[axis];
    }
  double terms = 1;
  for (std::size_t label = 0; label < sizes.size(); ++label)
    if (std::ranges::find(labels.output, static_cast<int>(label)) == labels.output.end())
      terms *= static_cast<double>(sizes[label]);
  return terms;
}

double unit_roundoff(DType dtype) {
  if (dtype == DType::kF16) return 0x1p-11;
  if (dtype == DType::kBF16) return 0x1p-8;
  return dtype == DType::kF64 || dtype == DType::kC128 ? 0x1p-53 : 0x1p-24;
}

double smallest_subnormal(DType dtype) {
  if (dtype == DType::kF16) return 0x1p-24;
  if (dtype == DType::kBF16) return 0x1p-133;
  return dtype == DType::kF64 || dtype == DType::kC128 ? 0x1p-1074 : 0x1p-149;
}

// What a float result may be off by: roundings of the sums and of the products, in the type of the
// accumulator, and one more into the type of the result.
struct Bound {
  double relative_to_terms, relative_to_result, absolute;
};

Bound bound_of(const EinsumLabels& labels, std::span<const TensorView> operands, DType dtype) {
  double depth = terms_of(labels, operands) + static_cast<double>(operands.size());
  if (is_complex(dtype)) depth *= 2;  // each part of a product is a sum by itself
  const double u = unit_roundoff(dtype);
  return {depth * std::min(u, 0x1p-24), u, smallest_subnormal(dtype)};
}

// The oracle's type for results of `dtype`: wide enough to show a result before it is rounded.
DType oracle_type(DType dtype) {
  if (is_float(dtype)) return DType::kF64;
  return is_complex(dtype) ? DType::kC128 : dtype;
}

template <class T>
bool near_part(T got, double expected, double terms, const Bound& bound) {
  const double x = as_double(got), rounded = as_double(static_cast<T>(expected));
  if (x == rounded || (std::isnan(x) && std::isnan(rounded))) return true;
  if (!std::isfinite(expected)) return false;
  return std::fabs(x - expected) <= bound.relative_to_terms * terms +
                                        bound.relative_to_result * std::fabs(expected) +
                                        bound.absolute;
}

template <class T>
bool near(T got, const Tensor& expected, std::size_t i, double terms, const Bound& bound) {
  if constexpr (is_complex_type<T>) {
    const std::complex<double> wide = expected.values<std::complex<double>>()[i];
    return near_part(got.real(), wide.real(), terms, bound) &&
           near_part(got.imag(), wide.imag(), terms, bound);
  } else if constexpr (is_float(dtype_of<T>)) {
    return near_part(got, expected.values<double>()[i], terms, bound);
  } else {
    return std::memcmp(&got, &expected.values<T>()[i], sizeof(T)) == 0;
  }
}

std::string times(const Dims& sizes) {
  if (sizes.empty()) return "scalar";
  return fmt::format("{}", fmt::join(sizes.begin(), sizes.end(), "x"));
}

}  // namespace

std::vector<std::string> split_terms(std::string_view equation) {
  std::vector<std::string> terms(1);
  for (const char c : equation.substr(0, equation.find('-'))) {
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  }
  return terms;
}

EinsumLabels labels_of(std::string_view equation) {
  std::string letters;
  const auto labels = [&](std::string_view term) {
    std::vector<int> list;
    for (const char c : term) {
      if (letters.find(c) == letters.npos) letters += c;
      list.push_back(static_cast<int>(letters.find(c)));
    }
    return list;
  };
  EinsumLabels all;
  for (const std::string& term : split_terms(equation)) all.inputs.push_back(labels(term));
  all.output = labels(equation.substr(equation.find('>') + 1));
  return all;
}

Tensor random_operand(DType dtype, const Dims& shape, Random& random) {
  Tensor tensor(dtype, shape);
  const auto number = [&] {
    return std::ldexp(random.between(-1, 1), static_cast<int>(random.below(5)) - 2);
  };
  visit_dtype(dtype, [&]<class T>() {
    for (T& x : tensor.values<T>()) {
      if constexpr (is_complex_type<T>)
        x = T(static_cast<typename T::value_type>(number()),
              static_cast<typename T::value_type>(number()));
      else if constexpr (std::is_same_v<T, Bool>)
        x = Bool(random.below(2) != 0);
      else if constexpr (is_float(dtype_of<T>))
        x = T(number());
      else
        x = static_cast<T>(random.bits());
    }
  });
  return tensor;
}

std::vector<Tensor> random_operands(std::string_view equation, DType dtype,
                                    std::span<const std::int64_t> sizes, Random& random) {
  std::vector<Tensor> operands;
  for (const std::vector<int>& term : labels_of(equation).inputs) {
    Dims shape;
    for (const int label : term) shape.push_back(sizes[static_cast<std::size_t>(label)]);
    operands.push_back(random_operand(dtype, shape, random));
  }
  return operands;
}

std::vector<TensorView> views_of(std::span<const Tensor> tensors) {
  return {tensors.begin(), tensors.end()};
}

std::string problem_string(std::string_view equation, std::span<const TensorView> operands) {
  std::vector<std::string> types, shapes, strides;
  bool dense = true;
  for (const TensorView& x : operands) {
    if (types.empty() || types.back() != name_of(x.dtype)) types.emplace_back(name_of(x.dtype));
    shapes.push_back(times(x.shape));
    strides.push_back(times(x.strides));
    dense &= is_contiguous(x);
  }
  std::string text = fmt::format("einsum '{}' dt={} shapes={}", equation, fmt::join(types, ","),
                                 fmt::join(shapes, ","));
  if (!dense) text += fmt::format(" strides={}", fmt::join(strides, ","));
  return text;
}

std::string mismatch(std::string_view equation, std::span<const TensorView> operands,
                     const Tensor& got) {
  const EinsumLabels labels = labels_of(equation);
  const Tensor expected = reference_einsum(labels, operands, oracle_type(got.dtype()));
  const std::string name = problem_string(equation, operands) + ":";
  if (!(got.shape() == expected.shape()))
    return fmt::format("{} got shape {}, expected {}", name, to_string(got.shape()),
                       to_string(expected.shape()));
  const bool exact = expected.dtype() != DType::kF64 && expected.dtype() != DType::kC128;
  const Tensor terms =
      exact ? Tensor::zeros(DType::kF64, got.shape()) : sizes_of_terms(labels, operands);
  const Bound bound = bound_of(labels, operands, got.dtype());
  const auto* oracle = static_cast<const std::byte*>(expected.data());
  std::string text;
  int shown = 0;
  visit_dtype(got.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(got.size()); ++i) {
      const T& element = got.values<T>()[i];
      if (near(element, expected, i, terms.values<double>()[i], bound)) continue;
      if (shown++ == kShown) return;
      text += fmt::format(" [{}] got {}, expected {};", i, element_text(got.dtype(), &element),
                          element_text(expected.dtype(), oracle + i * size_of(expected.dtype())));
    }
  });
  return text.empty() ? "" : name + text;
}

Tensor run_plan(const EinsumSpec& spec, std::span<const TensorView> operands,
                const RunOptions& options) {
  const EinsumPlan plan(spec, operands);
  Tensor out(plan.output_dtype(), plan.output_shape());
  // Whatever was there before must not matter.
  std::memset(out.data(), 0xA5, static_cast<std::size_t>(out.bytes()));
  plan.run(operands, out, options);
  return out;
}

std::vector<DType> einsum_dtypes() {
  return {
#define X(id, type, name, numpy) DType::id,
      TENFOLD_DTYPES(X)
#undef X
  };
}

}  // namespace tenfold::testing
