#include "ndarrays.hpp"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <array>
#include <optional>

namespace tenfold::python {
namespace {

// NumPy has two numbers for the integers of 64 bits.
static_assert(sizeof(npy_long) == 8 && sizeof(npy_longlong) == 8 && sizeof(npy_intp) == 8);

std::optional<DType> dtype_of_number(int number) {
  switch (number) {
    case NPY_BOOL:
      return DType::kBool;
    case NPY_BYTE:
      return DType::kI8;
    case NPY_UBYTE:
      return DType::kU8;
    case NPY_SHORT:
      return DType::kI16;
    case NPY_USHORT:
      return DType::kU16;
    case NPY_INT:
      return DType::kI32;
    case NPY_UINT:
      return DType::kU32;
    case NPY_LONG:
    case NPY_LONGLONG:
      return DType::kI64;
    case NPY_ULONG:
    case NPY_ULONGLONG:
      return DType::kU64;
    case NPY_HALF:
      return DType::kF16;
    case NPY_FLOAT:
      return DType::kF32;
    case NPY_DOUBLE:
      return DType::kF64;
    case NPY_CFLOAT:
      return DType::kC64;
    case NPY_CDOUBLE:
      return DType::kC128;
    default:
      return std::nullopt;
  }
}

// The other way round, by DType; -1 where NumPy has none of its own.
const std::array<int, kDTypeCount>& numbers() {
  static const std::array<int, kDTypeCount> table = [] {
    std::array<int, kDTypeCount> of{};
    of.fill(-1);
    for (int number = NPY_NTYPES_LEGACY - 1; number >= 0; --number) {
      if (const auto dtype = dtype_of_number(number)) of[static_cast<std::size_t>(*dtype)] = number;
    }
    return of;
  }();
  return table;
}

int number_of(DType dtype) { return numbers()[static_cast<std::size_t>(dtype)]; }

nb::object owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

}  // namespace

void import_ndarrays() {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}

bool view_of_ndarray(nb::handle object, TensorView& view) {
  if (!PyArray_CheckExact(object.ptr())) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
  const auto dtype = dtype_of_number(PyArray_TYPE(array));
  if (!dtype || !PyArray_ISALIGNED(array) || !PyArray_ISNOTSWAPPED(array)) return false;
  const auto size = static_cast<npy_intp>(size_of(*dtype));
  const int rank = PyArray_NDIM(array);
  const npy_intp* shape = PyArray_DIMS(array);
  const npy_intp* strides = PyArray_STRIDES(array);
  for (int axis = 0; axis < rank; ++axis) {
    if (strides[axis] % size != 0) return false;  // a field of a record
  }
  view.shape.resize(rank);
  view.strides.resize(rank);
  for (int axis = 0; axis < rank; ++axis) {
    view.shape[axis] = shape[axis];
    view.strides[axis] = strides[axis] / size;
  }
  view.dtype = *dtype;
  view.data = PyArray_DATA(array);
  return true;
}

bool is_writeable_ndarray(nb::handle ndarray) {
  return PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(ndarray.ptr()));
}

nb::object new_ndarray(DType dtype, const Dims& shape, MutableTensorView& view) {
  std::array<npy_intp, kMaxRank> extents;
  for (int axis = 0; axis < shape.size(); ++axis)
    extents[static_cast<std::size_t>(axis)] = shape[axis];
  nb::object array = owned(PyArray_SimpleNew(shape.size(), extents.data(), number_of(dtype)));
  view =
      MutableTensorView(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())), dtype, shape);
  return array;
}

nb::object numpy_scalar(DType dtype, void* element) {
  const nb::object descriptor =
      owned(reinterpret_cast<PyObject*>(PyArray_DescrFromType(number_of(dtype))));
  return owned(
      PyArray_Scalar(element, reinterpret_cast<PyArray_Descr*>(descriptor.ptr()), nullptr));
}

}  // namespace tenfold::python
