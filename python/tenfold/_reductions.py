"""Reductions: NumPy's face (axis, keepdims, out, dtype, initial, where) and the standards'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tenfold import _core, _masked
from tenfold._interchange import as_kind, as_ndarray, kind_of, shape_of
from tenfold.errors import AxisError, DTypeError, argument_error, whole_number

_OPS = _core.OPS
Axis = int | Sequence[int] | None
_NO: Any = _masked.NO  # an argument that was not given


def _run(name, a, axis, dtype, out, keepdims, initial, where, threads):
    if initial is not _NO or where is not _NO:
        result = _masked.reduce(name, a, axis, dtype, out, keepdims, initial, where, threads)
    else:
        try:
            result = _core.reduce_numpy(_OPS[name], a, axis, keepdims, out, dtype, threads)
        except (AxisError, TypeError) as error:
            result = _as_numpy_would(error, name, a, axis, dtype, out, keepdims, threads)
    if type(a) is np.ndarray or out is not None:
        return result
    return as_kind(result, kind_of(a))


def _as_numpy_would(error, name, a, axis, dtype, out, keepdims, threads):
    """What NumPy takes and the library refuses: axis 0 or -1 of rank 0, sums and products of
    booleans, an out that the result casts to, keepdims=1. Raises `error` for the rest."""
    if isinstance(error, AxisError):
        if not _masked.is_axis_of_scalar(name, axis, len(shape_of(a, name))):
            raise error
        return _run(name, a, None, dtype, out, keepdims, _NO, _NO, threads)
    if type(keepdims) is not bool:
        keepdims = whole_number(name, "keepdims", keepdims) != 0
        return _run(name, a, axis, dtype, out, keepdims, _NO, _NO, threads)
    whole_number(name, "threads", threads)
    if name in ("sum", "prod") and dtype is not None and np.dtype(dtype) == np.bool_:
        name = "any" if name == "sum" else "all"
        return _run(name, a, axis, None, out, keepdims, _NO, _NO, threads)
    if type(out) is not np.ndarray:
        raise error
    return _masked.reduce(name, a, axis, dtype, out, keepdims, _NO, _NO, threads)


def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Any = _NO,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Sum over the axes; small integers and booleans in 64 bits, as NumPy. Accurate: a fixed tree
    of additions, the same bits for every number of threads."""
    return _run("sum", a, axis, dtype, out, keepdims, initial, where, threads)


def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Any = _NO,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Product over the axes; integers wrap."""
    return _run("prod", a, axis, dtype, out, keepdims, initial, where, threads)


def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Arithmetic mean; of integers in float64. Right also where the sum overflows."""
    return _run("mean", a, axis, dtype, out, keepdims, _NO, where, threads)


def max(
    a: ArrayLike,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Any = _NO,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Maximum; a NaN anywhere in a slice is its maximum."""
    return _run("max", a, axis, None, out, keepdims, initial, where, threads)


def min(
    a: ArrayLike,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Any = _NO,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Minimum; a NaN anywhere in a slice is its minimum."""
    return _run("min", a, axis, None, out, keepdims, initial, where, threads)


def l1(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Sum of magnitudes."""
    return _run("l1", a, axis, dtype, out, keepdims, _NO, where, threads)


def l2(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Root of the sum of squares, right at 1e30 and 1e-30 in float32."""
    return _run("l2", a, axis, dtype, out, keepdims, _NO, where, threads)


def logsum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Logarithm of the sum."""
    return _run("logsum", a, axis, dtype, out, keepdims, _NO, where, threads)


def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Logarithm of the sum of exponentials, shifted by the maximum: never overflows."""
    return _run("logsumexp", a, axis, dtype, out, keepdims, _NO, where, threads)


def sumsquare(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    where: Any = _NO,
    *,
    threads: int = 0,
) -> Any:
    """Sum of squares."""
    return _run("sumsquare", a, axis, dtype, out, keepdims, _NO, where, threads)


def all(
    a: ArrayLike,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    where: Any = _NO,
    threads: int = 0,
) -> Any:
    """Is every element true (not zero)?"""
    return _run("all", a, axis, None, out, keepdims, _NO, where, threads)


def any(
    a: ArrayLike,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    where: Any = _NO,
    threads: int = 0,
) -> Any:
    """Is an element true (not zero)?"""
    return _run("any", a, axis, None, out, keepdims, _NO, where, threads)


def _arg(largest, a, axis, out, keepdims, select_last_index, dialect, threads):
    name = "argmax" if largest else "argmin"
    keepdims = None if keepdims is None else whole_number(name, "keepdims", keepdims)
    last = select_last_index
    last = None if last is None else whole_number(name, "select_last_index", last)
    threads = whole_number(name, "threads", threads)
    if dialect is not None:
        name = "ArgMax" if largest else "ArgMin"
        result = _core.reduce_standard(a, name, axis, keepdims, None, last, dialect, out, threads)
        return result if out is not None else as_kind(result, kind_of(a))
    keepdims, last = bool(keepdims), bool(last)
    if axis is not None and not _masked.is_axis_of_scalar(name, axis, len(shape_of(a, name))):
        result = _core.arg_numpy(largest, a, axis, keepdims, out, last, threads)
        return result if out is not None else as_kind(result, kind_of(a))
    x = as_ndarray(a, name)
    result = _core.arg_numpy(largest, x.reshape(-1), 0, False, None, last, threads)
    if keepdims:
        result = np.full((1,) * x.ndim, result)[()]
    if out is None:
        return as_kind(result, kind_of(a))
    _masked.check_out(name, out, np.shape(result))
    if out.dtype != result.dtype:
        message = f"[{name}] output type is not the planned one: expected int64, got {out.dtype}"
        raise DTypeError(message, "type-mismatch", name, "int64", str(out.dtype))
    out[...] = result
    return out


def argmax(
    a: ArrayLike,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    *,
    keepdims: bool | int | None = None,
    select_last_index: bool | None = None,
    dialect: str | None = None,
    threads: int = 0,
) -> Any:
    """Index of the maximum along the axis (of the flattened array without one): the first of
    equals, or the last with select_last_index; a NaN counts as the maximum. With `dialect`
    ("onnx:13") by the rules and defaults of that standard: keepdims is 1 there, here False."""
    return _arg(True, a, axis, out, keepdims, select_last_index, dialect, threads)


def argmin(
    a: ArrayLike,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    *,
    keepdims: bool | int | None = None,
    select_last_index: bool | None = None,
    dialect: str | None = None,
    threads: int = 0,
) -> Any:
    """Index of the minimum, as argmax."""
    return _arg(False, a, axis, out, keepdims, select_last_index, dialect, threads)


def reduce(
    x: ArrayLike,
    op: str,
    axes: Axis = None,
    keepdims: bool | int | None = None,
    noop_with_empty_axes: bool | int | None = None,
    select_last_index: bool | int | None = None,
    *,
    dialect: str = "onnx",
    out: NDArray[Any] | None = None,
    threads: int = 0,
) -> Any:
    """A standard's operator by its own rules: `op` is "ReduceMax", "ArgMin", …; `dialect` is
    "onnx:N" (opset, 1 to 28; "onnx": the newest) or "openvino". What is not given has that
    version's default."""
    for what, text in (("op", op), ("dialect", dialect)):
        if not isinstance(text, str):
            raise argument_error("reduce", what, "a name", text)
    attributes = {
        "keepdims": keepdims,
        "noop_with_empty_axes": noop_with_empty_axes,
        "select_last_index": select_last_index,
    }
    numbers = [None if v is None else whole_number(op, k, v) for k, v in attributes.items()]
    threads = whole_number(op, "threads", threads)
    result = _core.reduce_standard(x, op, axes, *numbers, dialect, out, threads)
    return result if out is not None else as_kind(result, kind_of(x))
