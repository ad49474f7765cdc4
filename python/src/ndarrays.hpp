// NumPy's own arrays through its C interface: a view costs a few loads, where the buffer protocol
// takes longer than a small contraction. Used by arrays.cpp alone.
#pragma once

#include <nanobind/nanobind.h>

#include "tenfold/tensor.hpp"

namespace tenfold::python {

namespace nb = nanobind;

// Makes NumPy's functions known; before anything else here. Raises ImportError.
void import_ndarrays();

// Fills the view of a numpy.ndarray (no subclass) of one of the library's types, aligned and in
// native byte order. False for everything else, bfloat16 included.
bool view_of_ndarray(nb::handle object, TensorView& view);
bool is_writeable_ndarray(nb::handle ndarray);

// A new row-major array, and its view; not for bfloat16.
nb::object new_ndarray(DType dtype, const Dims& shape, MutableTensorView& view);
// A NumPy scalar of the element there; not for bfloat16.
nb::object numpy_scalar(DType dtype, void* element);

}  // namespace tenfold::python
