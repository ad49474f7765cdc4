#include "arrays.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "ndarrays.hpp"
#include "tenfold/error.hpp"

namespace tenfold::python {
namespace {

// The objects of NumPy that every call needs, found once. Never released: the interpreter may be
// gone.
struct NumPy {
  nb::object ndarray, asarray, dtype;
  nb::object uint16;
  nb::object bfloat16;  // None without ml_dtypes
  std::vector<nb::object> dtypes;
};

std::unique_ptr<NumPy> find_numpy() {
  auto n = std::make_unique<NumPy>();
  const nb::module_ m = nb::module_::import_("numpy");
  n->ndarray = m.attr("ndarray");
  n->asarray = m.attr("asarray");
  n->dtype = m.attr("dtype");
  n->uint16 = n->dtype("uint16");
  try {
    n->bfloat16 = n->dtype(nb::module_::import_("ml_dtypes").attr("bfloat16"));
  } catch (nb::python_error&) {
    n->bfloat16 = nb::none();
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto d = static_cast<DType>(i);
    n->dtypes.push_back(d == DType::kBF16 ? n->bfloat16
                                          : nb::object(n->dtype(std::string(numpy_name_of(d)))));
  }
  return n;
}

// No lock and no static with one: the import lets other Python threads run, and one that waited
// here would keep the interpreter from the thread it waits for. So several may look; one is kept.
NumPy& numpy() {
  static constinit std::atomic<NumPy*> known{nullptr};
  if (NumPy* np = known.load(std::memory_order_acquire)) return *np;
  std::unique_ptr<NumPy> found = find_numpy();
  NumPy* first = nullptr;
  if (known.compare_exchange_strong(first, found.get(), std::memory_order_acq_rel))
    return *found.release();
  return *first;
}

std::string name_of_operand(const char* who, int index) {
  return index < 0 ? std::string(who) + ": the operand"
                   : std::string(who) + ": operand " + std::to_string(index);
}

std::string element_type_of(int index) {
  return index < 0 ? std::string("element type not allowed")
                   : "element type of operand " + std::to_string(index) + " not allowed";
}

// What is no array at all; a wrong type or layout of an array is an Error.
[[noreturn]] void refuse(const std::string& text) { throw nb::type_error(text.c_str()); }

[[noreturn]] void refuse_dtype(const char* who, const std::string& what, nb::handle dtype) {
  throw Error(ErrorCode::kTypeNotAllowed, who, what,
              "numbers or booleans of a type that Tenfold has",
              nb::cast<std::string>(nb::str(dtype)));
}

// The element type of a buffer in native byte order; nothing for any other format.
std::optional<DType> dtype_of_format(const char* format, Py_ssize_t itemsize) {
  if (format == nullptr) return DType::kU8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const auto integer = [&](bool is_signed) -> std::optional<DType> {
    switch (itemsize) {
      case 1:
        return is_signed ? DType::kI8 : DType::kU8;
      case 2:
        return is_signed ? DType::kI16 : DType::kU16;
      case 4:
        return is_signed ? DType::kI32 : DType::kU32;
      case 8:
        return is_signed ? DType::kI64 : DType::kU64;
      default:
        return std::nullopt;
    }
  };
  if (format[0] == 'Z' && format[1] == 'f' && format[2] == 0) return DType::kC64;
  if (format[0] == 'Z' && format[1] == 'd' && format[2] == 0) return DType::kC128;
  if (format[0] == 0 || format[1] != 0) return std::nullopt;
  switch (format[0]) {
    case '?':
      return DType::kBool;
    case 'e':
      return DType::kF16;
    case 'f':
      return DType::kF32;
    case 'd':
      return DType::kF64;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return integer(true);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return integer(false);
    default:
      return std::nullopt;
  }
}

// Shape and strides of a buffer; false if a stride is no whole number of elements.
bool layout_of(const Py_buffer& buffer, TensorView& view) {
  view.shape = Dims();
  view.strides = Dims();
  for (int axis = 0; axis < buffer.ndim; ++axis) view.shape.push_back(buffer.shape[axis]);
  if (buffer.strides == nullptr) {  // row-major, though they were asked for: ctypes
    view.strides = contiguous_strides(view.shape);
    return true;
  }
  for (int axis = 0; axis < buffer.ndim; ++axis) {
    if (buffer.strides[axis] % buffer.itemsize != 0) return false;
    view.strides.push_back(buffer.strides[axis] / buffer.itemsize);
  }
  return true;
}

DType dtype_of_dlpack(nb::dlpack::dtype d, const std::string& operand) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(d.code);
  if (d.lanes == 1) {
    if (code == Code::Bool) return DType::kBool;
    if (code == Code::Bfloat && d.bits == 16) return DType::kBF16;
    if (code == Code::Float) {
      if (d.bits == 16) return DType::kF16;
      if (d.bits == 32) return DType::kF32;
      if (d.bits == 64) return DType::kF64;
    }
    if (code == Code::Complex && d.bits == 64) return DType::kC64;
    if (code == Code::Complex && d.bits == 128) return DType::kC128;
    if (code == Code::Int || code == Code::UInt) {
      const char* sign = code == Code::Int ? "i" : "u";
      if (auto t = parse_dtype(sign + std::to_string(d.bits))) return *t;
    }
  }
  refuse(operand + " has an element type that Tenfold does not know");
}

}  // namespace

Operand::Operand(nb::handle object, const char* who, int index) : keep_(nb::borrow(object)) {
  if (view_of_ndarray(object, view_)) return;
  NumPy& np = numpy();
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  const bool is_array = type == np.ndarray.ptr();
  if (!is_array && PyObject_IsInstance(object.ptr(), np.ndarray.ptr()) == 1)
    refuse(name_of_operand(who, index) + " is a subclass of numpy.ndarray (" +
           nb::cast<std::string>(nb::handle(type).attr("__name__")) +
           "), which may mean something else by the same call; pass numpy.asarray(x)");
  if (!is_array) {
    const bool is_plain = PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()) ||
                          PyComplex_Check(object.ptr()) || PyList_Check(object.ptr()) ||
                          PyTuple_Check(object.ptr()) || PyRange_Check(object.ptr());
    if (is_plain) {
      keep_ = np.asarray(object);
    } else if (PyObject_HasAttrString(object.ptr(), "__dlpack__") &&
               !PyObject_CheckBuffer(object.ptr())) {
      from_dlpack(object);
      return;
    } else if (!PyObject_CheckBuffer(object.ptr())) {
      if (!PyObject_HasAttrString(object.ptr(), "__array_interface__"))
        refuse(name_of_operand(who, index) + ": expected an array, got " +
               nb::cast<std::string>(nb::handle(type).attr("__name__")));
      keep_ = np.asarray(object);
    }
  }
  if (from_buffer(keep_)) return;
  // A type or layout that no buffer describes: bfloat16, other byte orders, odd strides.
  nb::object array = np.asarray(keep_);
  nb::object dtype = array.attr("dtype");
  if (dtype.is(np.bfloat16) || (!np.bfloat16.is_none() && dtype.equal(np.bfloat16))) {
    keep_ = array.attr("view")(np.uint16);
    if (!from_buffer(keep_)) keep_ = np.asarray(keep_, nb::arg("order") = "C"), from_buffer(keep_);
    view_.dtype = DType::kBF16;
    return;
  }
  const auto kind = nb::cast<std::string>(dtype.attr("kind"));
  if (std::string("biufc").find(kind) == std::string::npos)
    refuse_dtype(who, element_type_of(index), dtype);
  keep_ = np.asarray(array.attr("astype")(dtype.attr("newbyteorder")("=")), nb::arg("order") = "C");
  if (!from_buffer(keep_)) refuse_dtype(who, element_type_of(index), dtype);
}

bool Operand::from_buffer(nb::handle object) {
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  const std::optional<DType> dtype = dtype_of_format(buffer_.format, buffer_.itemsize);
  if (!dtype || !layout_of(buffer_, view_)) {
    PyBuffer_Release(&buffer_);
    return false;
  }
  has_buffer_ = true;
  view_.dtype = *dtype;
  view_.data = buffer_.buf;
  return true;
}

void Operand::from_dlpack(nb::handle object) {
  using Array = nb::ndarray<nb::ro>;
  Array array;
  // PyTorch's lazy conjugates and negatives: their memory has the values from before.
  nb::object resolved = nb::borrow(object);
  for (const auto& [is_lazy, resolve] :
       {std::pair{"is_conj", "resolve_conj"}, std::pair{"is_neg", "resolve_neg"}}) {
    if (nb::hasattr(resolved, is_lazy) && nb::cast<bool>(resolved.attr(is_lazy)()))
      resolved = resolved.attr(resolve)();
  }
  try {
    array = nb::cast<Array>(resolved);
  } catch (nb::cast_error&) {
    refuse("expected an array in the memory of the CPU, got one that gives no such view");
  }
  if (array.device_type() != nb::device::cpu::value)
    refuse("expected an array in the memory of the CPU, got one on another device");
  view_.dtype = dtype_of_dlpack(array.dtype(), "the operand");
  view_.data = array.data();
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    view_.shape.push_back(static_cast<std::int64_t>(array.shape(axis)));
    view_.strides.push_back(array.stride(axis));
  }
  keep_ = nb::cast(std::move(array));
}

Operand::Operand(Operand&& other) noexcept
    : view_(std::move(other.view_)),
      keep_(std::move(other.keep_)),
      buffer_(other.buffer_),
      has_buffer_(std::exchange(other.has_buffer_, false)) {}

Operand::~Operand() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

Result::Result(DType dtype, const Dims& shape) {
  if (dtype == DType::kBF16) {
    if (numpy().bfloat16.is_none()) refuse("a bfloat16 result needs the package ml_dtypes");
    array_ = new_ndarray(DType::kU16, shape, view);
    view.dtype = DType::kBF16;
  } else if (shape.empty()) {
    view = MutableTensorView(&scalar_, dtype, shape);
  } else {
    array_ = new_ndarray(dtype, shape, view);
  }
}

nb::object Result::take() {
  if (view.dtype == DType::kBF16) {
    array_ = array_.attr("view")(numpy().bfloat16);
    return view.rank() == 0 ? nb::object(array_[nb::tuple()]) : array_;
  }
  return view.rank() == 0 ? numpy_scalar(view.dtype, &scalar_) : array_;
}

Output::Output(nb::handle array, const char* who) : keep_(nb::borrow(array)) {
  if (view_of_ndarray(array, view_) && is_writeable_ndarray(array)) return;
  view_ = {};
  NumPy& np = numpy();
  if (reinterpret_cast<PyObject*>(Py_TYPE(array.ptr())) != np.ndarray.ptr())
    refuse(std::string(who) + ": out must be a numpy.ndarray");
  nb::object storage = keep_;
  const bool bfloat16 = !np.bfloat16.is_none() && keep_.attr("dtype").equal(np.bfloat16);
  if (bfloat16) storage = keep_.attr("view")(np.uint16);
  if (PyObject_GetBuffer(storage.ptr(), &buffer_, PyBUF_STRIDED | PyBUF_FORMAT | PyBUF_WRITABLE) !=
      0) {
    PyErr_Clear();
    if (!nb::cast<bool>(keep_.attr("flags").attr("writeable")))
      throw Error(ErrorCode::kBadArgument, who, "out cannot be written", "a writable array",
                  "a read-only one");
    refuse_dtype(who, "output type not allowed", keep_.attr("dtype"));
  }
  const auto dtype = bfloat16 ? DType::kBF16 : dtype_of_format(buffer_.format, buffer_.itemsize);
  if (!dtype || !layout_of(buffer_, view_)) {
    PyBuffer_Release(&buffer_);
    refuse_dtype(who, "output type or strides not allowed", keep_.attr("dtype"));
  }
  view_.dtype = *dtype;
  view_.data = buffer_.buf;
}

Output::~Output() { PyBuffer_Release(&buffer_); }

std::optional<DType> dtype_of_object(nb::handle dtype, const char* who) {
  if (dtype.is_none()) return std::nullopt;
  // Names are NumPy's: its "i8" has eight bytes. ml_dtypes need not have told NumPy of bfloat16.
  const auto known = [](std::string_view name) -> std::optional<DType> {
    const std::optional<DType> found = parse_dtype(name);
    return found && numpy_name_of(*found) == name ? found : std::nullopt;
  };
  if (PyUnicode_Check(dtype.ptr()))
    if (auto named = known(nb::cast<std::string>(dtype))) return named;
  const nb::object resolved = numpy().dtype(dtype);
  if (auto named = known(nb::cast<std::string>(resolved.attr("name")))) return named;
  refuse_dtype(who, "dtype not allowed", resolved);
}

nb::object dtype_object(DType dtype) { return numpy().dtypes[static_cast<std::size_t>(dtype)]; }

nb::tuple shape_tuple(const Dims& shape) {
  nb::object tuple = nb::steal(PyTuple_New(shape.size()));
  for (int i = 0; i < shape.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), i, PyLong_FromLongLong(shape[i]));
  return nb::borrow<nb::tuple>(tuple);
}

}  // namespace tenfold::python
