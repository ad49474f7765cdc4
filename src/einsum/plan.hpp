// What an einsum plan knows: the equation, the order, and the steps that carry it out.
// Made by plan.cpp and lower.cpp, executed by run.cpp, put in words by explain.cpp.
//
// A step reads one or two slots and writes one. Slots: 0 … n-1 the operands, n the output, n+1 the
// constants, from n+2 on the temporaries.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "einsum/equation.hpp"
#include "einsum/pair.hpp"
#include "einsum/path.hpp"
#include "einsum/plan_list.hpp"
#include "tenfold/einsum.hpp"
#include "tenfold/reduce.hpp"

namespace tenfold::einsum_detail {

// An operand, a temporary or the output seen through labels: no label twice, none of extent 1.
struct LabeledView {
  int slot = -1;
  DType dtype = DType::kF32;
  std::int64_t offset = 0;  // elements, to element (0, …, 0)
  std::vector<int> labels;
  std::vector<std::int64_t> strides;  // elements
};

// A value that few steps have, kept apart from them because it is large.
template <class T>
class Apart {
 public:
  Apart& operator=(const T& value) {
    value_ = std::make_unique<T>(value);
    return *this;
  }
  operator const T&() const { return *value_; }  // NOLINT(google-explicit-constructor)

 private:
  std::unique_ptr<T> value_;
};

// A shape or strides in less room than Dims take.
class Extents : public PlanList<std::int64_t, 6> {
 public:
  Extents() = default;
  Extents(const Dims& dims) : PlanList(dims.begin(), dims.end()) {}   // NOLINT
  operator Dims() const { return Dims(std::span(begin(), size())); }  // NOLINT
  friend bool operator==(const Dims& x, const Extents& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  }
};

struct Step {
  int a = -1, b = -1, c = -1;                             // slots; b is -1 for a step over one
  std::int64_t a_offset = 0, b_offset = 0, c_offset = 0;  // bytes
  // One of the two: a contraction or copy, or a reduction (or conversion) of one operand.
  Pair pair;
  const PairKind* kind = nullptr;
  std::unique_ptr<PairKernel> kernel;
  std::unique_ptr<ReducePlan> reduction;
  Apart<TensorView> reduce_input;
  Apart<MutableTensorView> reduce_output;

  // For explain.
  std::string equation, what;
  double flops = 0, bytes = 0;
};

struct Temporary {
  DType dtype;
  std::int64_t elements;
  std::int64_t bytes;         // rounded up to whole cache lines
  int first_step, last_step;  // written first and read last by these steps
  std::int64_t offset = 0;    // in the arena
  std::string labels;         // for explain
};

}  // namespace tenfold::einsum_detail

namespace tenfold {

struct EinsumPlan::Impl {
  Impl(const EinsumSpec& spec, std::span<const TensorView> operands, const Dims* output_strides);

  void run(std::span<const TensorView> operands, const MutableTensorView& output,
           const RunOptions& options) const;
  std::string explain(ExplainFormat format) const;

  enum class Work { kNothing, kZeros, kSteps };  // no outputs; an empty sum; the usual case

  struct Operand {
    DType dtype;
    einsum_detail::Extents shape, strides;
    ByteRange range;
  };
  struct Output {
    DType dtype;
    Dims shape;
    einsum_detail::Extents strides;
    ByteRange range;
  };

  std::string label;
  std::vector<Operand> operands;
  Output output;
  Work work = Work::kSteps;
  einsum_detail::Equation equation;
  DType common = DType::kF32;  // the type of the contraction
  einsum_detail::ContractionPath order;
  EinsumPath given_path;
  std::string method;
  std::vector<einsum_detail::Step> steps;
  std::vector<einsum_detail::Temporary> temporaries;
  std::int64_t arena_bytes = 0;  // temporaries placed in one piece of memory; 0: each by itself
  EinsumCost cost;

 private:
  void check_types(const EinsumSpec& spec, std::span<const TensorView> views);
  void check_call(std::span<const TensorView> views, const MutableTensorView& out) const;
  void lay_out_output(const Dims* strides);
  void make_steps(const EinsumSpec& spec);
  void place_temporaries();
  void run_steps(std::span<const TensorView> views, std::byte* out,
                 const RunOptions& options) const;
};

}  // namespace tenfold
