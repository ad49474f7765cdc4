// Python arrays as views, and results as NumPy arrays: nothing is copied but what no view can
// describe. Used by every binding file.
#pragma once

#include <nanobind/nanobind.h>

#include <complex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/executor.hpp"
#include "tenfold/tensor.hpp"

namespace tenfold::python {

namespace nb = nanobind;

// An operand of a call: a NumPy array or scalar, any object with the buffer protocol, __dlpack__
// (CPU) or
// __array_interface__, a Python number or a list. Holds on to the object while the view is in use.
class Operand {
 public:
  // `who` names the call and `index` the operand in errors (-1: the only one). Raises TypeError for
  // what is no array: object arrays, subclasses of ndarray, arrays on other devices.
  Operand(nb::handle object, const char* who, int index);
  ~Operand();
  Operand(Operand&& other) noexcept;
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  const TensorView& view() const { return view_; }

 private:
  bool from_buffer(nb::handle object);
  void from_dlpack(nb::handle object);

  TensorView view_;
  nb::object keep_;
  Py_buffer buffer_{};
  bool has_buffer_ = false;
};

// A new NumPy array and the view to write it through.
struct Result {
  Result(DType dtype, const Dims& shape);
  Result(const Result&) = delete;  // the view may point into it
  Result& operator=(const Result&) = delete;
  nb::object take();  // the array; a NumPy scalar for rank 0

  MutableTensorView view;

 private:
  nb::object array_;             // none for a scalar
  std::complex<double> scalar_;  // large enough for an element of any type
};

// `out=`: a writable NumPy array of this dtype and shape.
class Output {
 public:
  Output(nb::handle array, const char* who);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  const MutableTensorView& view() const { return view_; }

 private:
  MutableTensorView view_;
  nb::object keep_;
  Py_buffer buffer_{};
};

// What axis= and axes= take: None, an integer or a sequence of integers.
std::optional<Dims> axes_of(nb::handle axes, const char* who);
// A dtype as NumPy spells it: a name, a type, a numpy.dtype; None is nullopt.
std::optional<DType> dtype_of_object(nb::handle dtype, const char* who);
nb::object dtype_object(DType dtype);  // numpy.dtype, ml_dtypes.bfloat16
nb::tuple shape_tuple(const Dims& shape);
// Text of a file or of a caller, which need not be UTF-8: what isn't becomes U+FFFD.
nb::str text_of(std::string_view text);

// An argument that is a whole number, or a text. Raises Error, which the package's users read; of
// what nanobind says of a wrong type they would see our own function's signature.
std::int64_t whole_number_of(nb::handle value, const char* who, const char* what);
std::string text_argument(nb::handle value, const char* who, const char* what);

// Threads of a call: its own number if given, else what set_num_threads said.
RunOptions run_options(nb::handle threads, const char* who);
RunOptions run_options();           // of a call that was given none
void set_num_threads(int threads);  // -1, after a fork: one, for good
int num_threads();

// Lets other Python threads run meanwhile, if the work is worth the switch.
class WithoutGil {
 public:
  explicit WithoutGil(std::int64_t elements) {
    if (elements > kWorthSwitching) state_ = PyEval_SaveThread();
  }
  ~WithoutGil() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  static constexpr std::int64_t kWorthSwitching = 4096;
  PyThreadState* state_ = nullptr;
};

void bind_errors(nb::module_& m);
void bind_reduce(nb::module_& m);
void bind_einsum(nb::module_& m);
void bind_graph(nb::module_& m);

}  // namespace tenfold::python
