"""Tenfold: tensor reductions and contractions with exact semantics, at the speed of the machine.

    import tenfold as tf
    tf.einsum("bqd,bkd->bqk", q, k)               # NumPy's einsum, any number of operands
    tf.max(x, axis=1), tf.logsumexp(x, axis=-1)   # NumPy's reductions, and more
    tf.reduce(x, "ReduceL2", axes=[1], dialect="onnx:18")   # the standards' operators
    tf.compile("ij,jk->ik", a, b)(a, b)           # planned once, run many times
    tf.load("model.onnx").run({"x": x})           # models of such operators

Operands are NumPy arrays of any strides, or anything with the buffer protocol, `__dlpack__` (CPU)
or `__array_interface__`; nothing is copied. Results are NumPy arrays, or of the kind of the first
operand (PyTorch, JAX).
"""

import importlib
from typing import TYPE_CHECKING

from tenfold import errors, named
from tenfold._core import __version__
from tenfold._einsum import Explanation, Plan, compile, einsum, einsum_path
from tenfold._models import load
from tenfold._products import (
    matmul,
    matrix_transpose,
    permute_dims,
    tensordot,
    transpose,
    vecdot,
)
from tenfold._reductions import (
    all,
    any,
    argmax,
    argmin,
    l1,
    l2,
    logsum,
    logsumexp,
    max,
    mean,
    min,
    prod,
    reduce,
    sum,
    sumsquare,
)
from tenfold._threads import get_num_threads, num_threads, set_num_threads
from tenfold.errors import (
    ArgumentError,
    AxisError,
    DTypeError,
    EquationError,
    MemoryLimitError,
    ModelError,
    ShapeError,
    TenfoldError,
    UnsupportedError,
)

__all__ = [
    "ArgumentError",
    "AxisError",
    "DTypeError",
    "EquationError",
    "Explanation",
    "MemoryLimitError",
    "ModelError",
    "Plan",
    "ShapeError",
    "TenfoldError",
    "UnsupportedError",
    "__version__",
    "all",
    "any",
    "argmax",
    "argmin",
    "compile",
    "einsum",
    "einsum_path",
    "errors",
    "get_num_threads",
    "l1",
    "l2",
    "load",
    "logsum",
    "logsumexp",
    "matmul",
    "matrix_transpose",
    "max",
    "mean",
    "min",
    "named",
    "num_threads",
    "path_optimizer",
    "permute_dims",
    "prod",
    "reduce",
    "set_num_threads",
    "sum",
    "sumsquare",
    "tensordot",
    "transpose",
    "vecdot",
]


if TYPE_CHECKING:
    from tenfold import compare as compare
    from tenfold import compat as compat
    from tenfold._paths import path_optimizer
else:

    def __getattr__(name):
        """What is imported only if it is wanted: path_optimizer derives from a class of opt_einsum,
        onnx_backend needs onnx."""
        if name == "path_optimizer":
            from tenfold._paths import path_optimizer

            return path_optimizer
        if name in ("compare", "compat", "onnx_backend"):
            try:
                return importlib.import_module(f"tenfold.{name}")
            except ImportError as error:
                raise AttributeError(f"tenfold.{name}: {error}") from error
        raise AttributeError(f"module 'tenfold' has no attribute {name!r}")
