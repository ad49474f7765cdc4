"""Products of two arrays by the names of the array-API standard, and axes in another order."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold import _core
from tenfold._interchange import as_kind, as_ndarray, kind_of, shape_of
from tenfold.errors import AxisError, ShapeError


def _einsum(equation, labels, output, operands, threads=0):
    result = _core.einsum(
        equation, operands, labels, output, None, None, None, 0, "numpy", "auto", threads
    )
    return as_kind(result, kind_of(operands[0]))


def _axis(name, axis, rank):
    axis = operator.index(axis)
    if not -rank <= axis < rank:
        message = f"{name}: axis {axis} is out of range for an array of rank {rank}"
        raise AxisError(message, "axis-out-of-range", name, f"{-rank} to {rank - 1}", str(axis))
    return axis % rank


def _same_extent(name, first, second, n, m):
    if n != m:
        message = f"{name}: {first} has extent {n}, {second} has {m}: expected equal extents"
        raise ShapeError(message, "shape-mismatch", name, str(n), str(m))


def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2, *, threads: int = 0) -> Any:
    """Sum of products over pairs of axes: the last `axes` of `a` with the first of `b`, or the
    pairs of two lists ([1, 0], [0, 1]). The result has a's other axes, then b's. Raises ShapeError
    and AxisError."""
    rank_a, rank_b = len(shape_of(a, "tensordot")), len(shape_of(b, "tensordot"))
    try:
        count = operator.index(axes)
    except TypeError:
        left, right = (
            [each] if isinstance(each, (int, np.integer)) else list(each) for each in axes
        )
    else:
        if not 0 <= count <= min(rank_a, rank_b):
            message = f"tensordot: axes={count} for arrays of ranks {rank_a} and {rank_b}"
            raise AxisError(message, "axis-out-of-range", "tensordot")
        left, right = range(rank_a - count, rank_a), range(count)
    left = [_axis("tensordot", axis, rank_a) for axis in left]
    right = [_axis("tensordot", axis, rank_b) for axis in right]
    if len(left) != len(right):
        message = f"tensordot: {len(left)} axes of a and {len(right)} of b: expected as many"
        raise ShapeError(message, "shape-mismatch", "tensordot")
    if len(set(left)) < len(left) or len(set(right)) < len(right):
        raise AxisError("tensordot: an axis is there twice", "duplicate-axis", "tensordot")
    for i, j in zip(left, right, strict=True):
        names = (f"axis {i} of a", f"axis {j} of b")
        _same_extent("tensordot", *names, shape_of(a, "tensordot")[i], shape_of(b, "tensordot")[j])
    labels_a = list(range(rank_a))
    labels_b = list(range(rank_a, rank_a + rank_b))
    for i, j in zip(left, right, strict=True):
        labels_b[j] = labels_a[i]
    output = [x for i, x in enumerate(labels_a) if i not in left]
    output += [x for j, x in enumerate(labels_b) if j not in right]
    return _einsum(None, [labels_a, labels_b], output, (a, b), threads)


def matmul(x1: ArrayLike, x2: ArrayLike, /, *, threads: int = 0) -> Any:
    """Matrix product over the last two axes, the others broadcast; a vector is a row on the left
    and a column on the right. Raises ShapeError."""
    one, two = shape_of(x1, "matmul"), shape_of(x2, "matmul")
    if not one or not two:
        raise ShapeError("matmul: expected at least one axis, got a scalar", "rank-zero", "matmul")
    _same_extent("matmul", "x1's last axis", "x2's first of the last two", one[-1], two[-2:][0])
    left = "...ij" if len(one) > 1 else "j"
    right = "...jk" if len(two) > 1 else "j"
    output = "..." + "i" * (len(one) > 1) + "k" * (len(two) > 1)
    return _einsum(f"{left},{right}->{output}", None, None, (x1, x2), threads)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1, threads: int = 0) -> Any:
    """Sum of conj(x1) * x2 over one axis, the others broadcast. Raises ShapeError
    and AxisError."""
    one, two = as_ndarray(x1, "vecdot"), as_ndarray(x2, "vecdot")
    one = np.moveaxis(one, _axis("vecdot", axis, one.ndim), -1)
    two = np.moveaxis(two, _axis("vecdot", axis, two.ndim), -1)
    _same_extent("vecdot", "x1's axis", "x2's axis", one.shape[-1], two.shape[-1])
    if one.dtype.kind == "c":
        one = one.copy()
        minus = np.array(-1, one.real.dtype)
        one.imag = _einsum("...,", None, None, (one.imag, minus), threads)
    return as_kind(_einsum("...i,...i->...", None, None, (one, two), threads), kind_of(x1))


def permute_dims(x: ArrayLike, /, axes: Iterable[int]) -> Any:
    """The axes in another order: a view. Raises AxisError."""
    array = as_ndarray(x, "permute_dims")
    order = [_axis("permute_dims", axis, array.ndim) for axis in axes]
    if sorted(order) != list(range(array.ndim)):
        message = f"permute_dims: axes {tuple(axes)} for an array of rank {array.ndim}"
        raise AxisError(message, "duplicate-axis", "permute_dims", f"each of {array.ndim} once")
    return as_kind(array.transpose(order), kind_of(x))


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Any:
    """The axes reversed, or in the order of `axes`: a view. Raises AxisError."""
    return permute_dims(a, range(len(shape_of(a, "transpose")))[::-1] if axes is None else axes)


def matrix_transpose(x: ArrayLike, /) -> Any:
    """The last two axes exchanged: a view. Raises ShapeError for fewer than two."""
    rank = len(shape_of(x, "matrix_transpose"))
    if rank < 2:
        message = f"matrix_transpose: expected at least two axes, got {rank}"
        raise ShapeError(message, "axes-rank", "matrix_transpose", "2", str(rank))
    return permute_dims(x, (*range(rank - 2), rank - 1, rank - 2))
