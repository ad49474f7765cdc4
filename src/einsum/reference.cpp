#include "einsum/reference.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "core/convert.hpp"

namespace tenfold {
namespace {

// What products are taken and summed in: of 64-bit integers the lowest 64 bits, which is what
// wrapping in any integer type means; of floats a type so wide that only the last rounding counts.
template <class T>
struct WideOf {
  using Type = std::conditional_t<std::is_integral_v<T>, std::uint64_t, long double>;
};
template <>
struct WideOf<Bool> {
  using Type = bool;
};
template <class P>
struct WideOf<std::complex<P>> {
  using Type = std::complex<long double>;
};
template <class T>
using Wide = typename WideOf<T>::Type;

template <class T>
Wide<T> widen(T x) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return static_cast<float>(x);
  else
    return static_cast<Wide<T>>(x);
}

template <class T>
T narrow(Wide<T> x) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return T(static_cast<double>(x));
  else
    return static_cast<T>(x);
}

// Products and sums: of truth values and, or; of complex numbers by the formula of the schoolbook,
// without C's detour for infinities.
template <class W>
W product(W a, W b) {
  if constexpr (std::is_same_v<W, std::complex<long double>>)
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}
bool product(bool a, bool b) { return a && b; }
template <class W>
W sum(W a, W b) {
  return a + b;
}
bool sum(bool a, bool b) { return a || b; }

// A loop over one label: how far a step moves in each operand and in the output.
struct Loop {
  std::int64_t size = 1, out_step = 0;
  std::vector<std::int64_t> steps;
};

std::vector<Loop> loops_of(const EinsumLabels& labels, std::span<const TensorView> operands) {
  std::vector<Loop> loops;
  const auto loop = [&](int label) -> Loop& {
    if (loops.size() <= static_cast<std::size_t>(label)) loops.resize(std::size_t(label) + 1);
    loops[std::size_t(label)].steps.resize(operands.size());
    return loops[std::size_t(label)];
  };
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (int axis = 0; axis < operands[i].rank(); ++axis) {
      const std::int64_t size = operands[i].shape[axis];
      if (size == 1) continue;  // stands still, whatever the others do
      Loop& along = loop(labels.inputs[i][std::size_t(axis)]);
      along.size = size;
      along.steps[i] += operands[i].strides[axis];
    }
  for (const int label : labels.output) loop(label);
  for (Loop& l : loops) l.steps.resize(operands.size());
  return loops;
}

Tensor converted(const TensorView& x, DType dtype) {
  const Tensor dense = Tensor::copy_of(x);
  Tensor out(dtype, x.shape);
  find_convert(x.dtype, dtype)(dense.data(), 1, dense.size(), out.data());
  return out;
}

template <class T>
class Evaluation {
 public:
  Evaluation(std::vector<Loop> kept, std::vector<Loop> summed, std::span<const TensorView> operands,
             T* out)
      : kept_(std::move(kept)), summed_(std::move(summed)), out_(out) {
    for (const TensorView& x : operands) at_.push_back(static_cast<const T*>(x.data));
  }

  void run() { write(0, out_); }

 private:
  void write(std::size_t depth, T* out) {
    if (depth == kept_.size()) {
      *out = narrow<T>(sum_from(0));
      return;
    }
    walk(kept_[depth], [&](std::int64_t i) { write(depth + 1, out + i * kept_[depth].out_step); });
  }

  Wide<T> sum_from(std::size_t depth) {
    Wide<T> total{};
    if (depth == summed_.size()) {
      total = widen(*at_[0]);
      for (std::size_t i = 1; i < at_.size(); ++i) total = product(total, widen(*at_[i]));
      return total;
    }
    walk(summed_[depth], [&](std::int64_t) { total = sum(total, sum_from(depth + 1)); });
    return total;
  }

  // Calls f at each index with the operands moved there, and moves them back.
  template <class F>
  void walk(const Loop& loop, F&& f) {
    for (std::int64_t i = 0; i < loop.size; ++i) {
      f(i);
      for (std::size_t k = 0; k < at_.size(); ++k) at_[k] += loop.steps[k];
    }
    for (std::size_t k = 0; k < at_.size(); ++k) at_[k] -= loop.size * loop.steps[k];
  }

  std::vector<Loop> kept_, summed_;
  std::vector<const T*> at_;
  T* out_;
};

}  // namespace

Tensor reference_einsum(const EinsumLabels& labels, std::span<const TensorView> operands,
                        DType dtype) {
  std::vector<Tensor> owned;
  std::vector<TensorView> same_type(operands.begin(), operands.end());
  for (TensorView& x : same_type)
    if (x.dtype != dtype) x = owned.emplace_back(converted(x, dtype)).view();

  std::vector<Loop> loops = loops_of(labels, same_type), kept, summed;
  Dims shape;
  for (const int label : labels.output) shape.push_back(loops[std::size_t(label)].size);
  const Dims steps = contiguous_strides(shape);
  for (int axis = 0; axis < shape.size(); ++axis) {
    kept.push_back(loops[std::size_t(labels.output[std::size_t(axis)])]);
    kept.back().out_step = steps[axis];
  }
  for (std::size_t label = 0; label < loops.size(); ++label)
    if (std::ranges::find(labels.output, static_cast<int>(label)) == labels.output.end())
      summed.push_back(std::move(loops[label]));

  Tensor out(dtype, shape);
  visit_dtype(dtype, [&]<class T>() {
    Evaluation<T>(kept, summed, same_type, static_cast<T*>(out.data())).run();
  });
  return out;
}

}  // namespace tenfold
