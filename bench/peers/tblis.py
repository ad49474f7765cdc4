"""TBLIS: contractions of two strided operands, by its C interface. Only where a copy is found.

TBLIS_LIBRARY names the library, libtblis.so; without it the system's linker is asked. It must have
been built with its own defaults: lengths and strides of ptrdiff_t, labels of char.
"""

import ctypes
import ctypes.util
import os
import string

import numpy as np

import problem as rows
from peers import serve

# The library's numbers for the types it knows (complex ones are in no row).
TYPES = {"f32": (0, ctypes.c_float), "f64": (1, ctypes.c_double)}
VARIABLE = "TBLIS_LIBRARY"


def find():
    """The path or name of the library, or why there is none: (library, why)."""
    named = os.environ.get(VARIABLE)
    if named:
        return (named, "") if os.path.isfile(named) else (None, f"{VARIABLE}: no file {named}")
    found = ctypes.util.find_library("tblis")
    return (found, "") if found else (None, f"no libtblis found, and {VARIABLE} is not set")


class Value(ctypes.Union):
    _fields_ = [("s", ctypes.c_float), ("d", ctypes.c_double), ("z", ctypes.c_double * 2)]


class Scalar(ctypes.Structure):
    _fields_ = [("value", Value), ("type", ctypes.c_int)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("conj", ctypes.c_int),
        ("scalar", Scalar),
        ("data", ctypes.c_void_p),
        ("ndim", ctypes.c_uint),
        ("len", ctypes.POINTER(ctypes.c_ssize_t)),
        ("stride", ctypes.POINTER(ctypes.c_ssize_t)),
    ]


def tensor_of(array, dtype, factor):
    """An array as the library sees it, times a factor. The array must outlive it."""
    number, kind = TYPES[dtype]
    scalar = Scalar(type=number)
    if kind is ctypes.c_float:
        scalar.value.s = factor
    else:
        scalar.value.d = factor
    integers = ctypes.c_ssize_t * max(array.ndim, 1)
    return Tensor(
        type=number,
        scalar=scalar,
        data=array.ctypes.data,
        ndim=array.ndim,
        len=integers(*array.shape),
        stride=integers(*(step // array.itemsize for step in array.strides)),
    )


def labels_of(problem):
    """The terms of the operands and of the output as byte strings, an ellipsis spelled out."""
    inputs, _, output = problem.equation.partition("->")
    terms = inputs.split(",")
    dots = 0
    for term, shape in zip(terms, problem.shapes, strict=True):
        if "..." in term:
            if 1 in shape:
                raise serve.Unsupported("no broadcasting")
            dots = max(dots, len(shape) - len(term.replace("...", "")))
    unused = [each for each in string.ascii_letters if each not in problem.equation]
    return [term.replace("...", "".join(unused[:dots])).encode() for term in (*terms, output)]


def prepare(problem, data, threads):
    del data, threads
    raise serve.Unsupported(problem.op)


def einsum_with(library):
    def einsum(problem, operands, threads):
        if problem.dtype not in TYPES or len(operands) != 2:
            raise serve.Unsupported("two operands of f32 or f64 only")
        library.tblis_set_num_threads(ctypes.c_uint(threads))
        output = rows.aligned_empty(problem.output_shape, operands[0].dtype)
        terms = labels_of(problem)
        arrays = [(operands[0], 1), (operands[1], 1), (output, 0)]
        tensors = [tensor_of(array, problem.dtype, factor) for array, factor in arrays]
        pairs = [
            each
            for tensor, term in zip(tensors, terms, strict=True)
            for each in (ctypes.byref(tensor), ctypes.c_char_p(term))
        ]

        into = tensors[2].scalar.value

        def call():
            into.d = 0  # what was there doesn't count; the library makes it a 1 as it ends
            library.tblis_tensor_mult(None, None, *pairs)

        return [("tensor_mult", call, lambda: (problem.output_dtype, np.asarray(output)))]

    return einsum


def main():
    path, why = find()
    if path is None:
        raise SystemExit(why)
    library = ctypes.CDLL(path)
    library.tblis_tensor_mult.restype = None
    serve.main(prepare, os.path.basename(path), einsum_with(library))


if __name__ == "__main__":
    main()
