"""Reductions: NumPy's face (axis, keepdims, out, dtype, initial, where) and the standards'."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tenfold import _core
from tenfold._interchange import as_kind, kind_of

_OPS = _core.OPS
Axis = int | Sequence[int] | None
_NO: Any = object()  # an argument that was not given


def _run(name, a, axis, dtype, out, keepdims, initial, where, threads):
    if initial is not _NO or where is not _NO:
        return _masked(name, a, axis, dtype, out, keepdims, initial, where, threads)
    result = _core.reduce_numpy(_OPS[name], a, axis, keepdims, out, dtype, threads)
    if type(a) is np.ndarray:
        return result
    return as_kind(result, kind_of(a))


# What an element that `where` leaves out stands for.
def _neutral(name, dtype):
    if name in ("sum", "l1", "l2", "sumsquare", "logsum"):
        return 0
    if name == "prod":
        return 1
    if name == "logsumexp":
        return -np.inf
    if name == "all":
        return True
    if name == "any":
        return False
    lowest = name == "max"
    if dtype.kind == "b":
        return not lowest
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if lowest else info.max
    return -np.inf if lowest else np.inf


def _masked(name, a, axis, dtype, out, keepdims, initial, where, threads):
    """`where` puts the neutral element in place of what is left out; `initial` is one more element,
    joined with the result of the others."""
    x = np.asarray(a)
    if dtype is not None:
        x = x.astype(dtype)
    if name in ("max", "min") and initial is _NO and where is not _NO:
        raise ValueError(f"{name} with where= needs initial=: a slice may be empty")
    if where is not _NO:
        mask = np.asarray(where)
        if mask.dtype != np.bool_:
            raise TypeError(f"where must be boolean, got {mask.dtype}")
        if name == "mean":
            return _masked_mean(x, axis, dtype, out, keepdims, mask, threads)
        wide = x if name != "logsumexp" or x.dtype.kind == "f" else x.astype(np.float64)
        x = np.where(mask, wide, np.asarray(_neutral(name, wide.dtype), wide.dtype))
    axes = _axes_tuple(axis, x.ndim)
    if (
        initial is not _NO
        and name in ("max", "min")
        and builtins.any(x.shape[i] == 0 for i in axes)
    ):
        shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
        result = np.full(shape, initial, x.dtype)
        result = result if keepdims else np.squeeze(result, axes)
    else:
        result = _core.reduce_numpy(_OPS[name], x, axis, keepdims, None, dtype, threads)
        if initial is not _NO:
            result = _joined(name, result, initial)
    result = result[()]
    if out is not None:
        out[...] = result
        return out
    return result


def _joined(name, result, initial):
    """One more element, through the library itself: a reduction of two."""
    kind = np.result_type(result, initial) if np.asarray(initial).ndim else result.dtype
    pair = np.empty((2, *np.shape(result)), kind)
    pair[0], pair[1] = initial, result
    operator = {"l1": "sum", "sumsquare": "sum", "logsum": None, "l2": None}.get(name, name)
    if operator is None:
        raise TypeError(f"{name} takes no initial=")
    return _core.reduce_numpy(_OPS[operator], pair, 0, False, None, pair.dtype, 1)


def _masked_mean(x, axis, dtype, out, keepdims, mask, threads):
    kind = dtype or (x.dtype if x.dtype.kind in "fc" else np.float64)
    kept = np.where(mask, x, np.zeros((), x.dtype)).astype(kind, copy=False)
    total = np.asarray(_core.reduce_numpy(_OPS["sum"], kept, axis, keepdims, None, None, threads))
    ones = np.broadcast_to(mask, x.shape)
    count = _core.reduce_numpy(_OPS["sum"], ones, axis, keepdims, None, None, threads)
    with np.errstate(invalid="ignore", divide="ignore"):
        result = (total / count).astype(kind)[()]
    if out is not None:
        out[...] = result
        return out
    return result


def _axes_tuple(axis, rank):
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(i + rank if i < 0 else i for i in axes)


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
    if dialect is not None:
        name = "ArgMax" if largest else "ArgMin"
        last = int(select_last_index) if select_last_index is not None else None
        keep = None if keepdims is None else int(keepdims)
        result = _core.reduce_standard(a, name, axis, keep, None, last, dialect, out, threads)
        return as_kind(result, kind_of(a))
    keepdims = bool(keepdims)
    if axis is None:
        x = np.asarray(a).reshape(-1)
        result = _core.arg_numpy(largest, x, 0, False, None, bool(select_last_index), threads)
        if keepdims:
            result = np.full((1,) * np.ndim(a), result)
        if out is not None:
            out[...] = result
            return out
        return as_kind(result, kind_of(a))
    last = bool(select_last_index)
    return as_kind(_core.arg_numpy(largest, a, axis, keepdims, out, last, threads), kind_of(a))


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
    keep = None if keepdims is None else int(keepdims)
    noop = None if noop_with_empty_axes is None else int(noop_with_empty_axes)
    last = None if select_last_index is None else int(select_last_index)
    result = _core.reduce_standard(x, op, axes, keep, noop, last, dialect, out, threads)
    return as_kind(result, kind_of(x))
