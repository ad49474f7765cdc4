"""What the library's reductions lack of NumPy's face: where=, initial=, and an out of another type
than the result. Each is put in terms of a plain reduction."""

from __future__ import annotations

import operator

import numpy as np

from tenfold import _core
from tenfold._interchange import as_ndarray
from tenfold.errors import ArgumentError, AxisError, DTypeError, ShapeError, whole_number

NO = object()  # an argument that was not given
_OPS = _core.OPS

# What an element that `where` leaves out stands for, and how `initial` joins the others' result.
_NEUTRAL = {
    "sum": 0,
    "l1": 0,
    "l2": 0,
    "sumsquare": 0,
    "logsum": 0,
    "prod": 1,
    "logsumexp": -np.inf,
}
_JOIN = {"sum": "sum", "prod": "prod", "max": "max", "min": "min"}


def reduce(name, a, axis, dtype, out, keepdims, initial, where, threads):
    """The reduction `name` of the NumPy face with all of its arguments; `initial` and `where` may
    be NO. `initial` is one more element, joined with the result of the others."""
    x = _array(name, a)
    keepdims = whole_number(name, "keepdims", keepdims) != 0
    threads = whole_number(name, "threads", threads)
    dtype = None if dtype is None else np.dtype(dtype)
    if dtype is None and out is not None and name in ("sum", "prod") and _is_wider(out, x):
        dtype = out.dtype.newbyteorder("=")
    if is_axis_of_scalar(name, axis, x.ndim):
        axis = None
    initial = NO if initial is None else initial
    if where is not NO and where is not True:
        mask = _mask(name, where, x.shape)
        if name in ("max", "min") and initial is NO:
            raise ArgumentError(
                f"[{name}] where= needs initial=: a slice may be empty",
                "bad-argument",
                name,
                "initial=",
                "none",
            )
        if name == "mean":
            return _into(name, out, _masked_mean(x, axis, dtype, keepdims, mask, threads))
        if name == "logsumexp" and x.dtype.kind in "biu":
            x = x.astype(np.float64)
        x = np.where(mask, x, np.asarray(_neutral(name, x.dtype), x.dtype))
    if initial is NO:
        result = _core.reduce_numpy(_OPS[name], x, axis, keepdims, None, dtype, threads)
    else:
        result = _with_initial(name, x, axis, dtype, keepdims, initial, threads)
    return _into(name, out, result)


def is_axis_of_scalar(name, axis, rank):
    """NumPy takes axis 0 and -1 of rank 0, but for the mean."""
    if rank != 0 or name == "mean" or axis is None:
        return False
    try:
        return operator.index(axis) in (0, -1)
    except TypeError:
        return False


def _array(name, a):
    """In native byte order. Raises TypeError for what the library refuses."""
    x = as_ndarray(a, name)
    if x.dtype.kind not in "biufc" and x.dtype.name != "bfloat16":
        message = f"[{name}] element type not allowed: expected numbers or booleans, got {x.dtype}"
        raise DTypeError(message, "type-not-allowed", name, "numbers or booleans", str(x.dtype))
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def _is_wider(out, x):
    return isinstance(out, np.ndarray) and np.can_cast(x.dtype, out.dtype, "safe")


def _mask(name, where, shape):
    mask = np.asarray(where)
    if isinstance(where, int):  # NumPy takes 0 and 1
        mask = mask != 0
    if mask.dtype != np.bool_:
        message = f"[{name}] where= of another type: expected bool, got {mask.dtype}"
        raise DTypeError(message, "type-mismatch", name, "bool", str(mask.dtype))
    try:
        fits = np.broadcast_shapes(mask.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        message = f"[{name}] where= does not fit: expected a shape that broadcasts to {shape}"
        message += f", got {mask.shape}"
        raise ShapeError(message, "shape-mismatch", name, str(shape), str(mask.shape))
    return mask


def _neutral(name, dtype):
    if name in _NEUTRAL:
        return _NEUTRAL[name]
    if name in ("all", "any"):
        return name == "all"
    lowest = name == "max"
    if dtype.kind == "b":
        return not lowest
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if lowest else info.max
    return -np.inf if lowest else np.inf


def _with_initial(name, x, axis, dtype, keepdims, initial, threads):
    # The library has the last word on axis and dtype, also where nothing is left to reduce.
    is_empty = name in ("max", "min") and x.size == 0
    if is_empty:
        axes = axes_of(name, axis, x.ndim)
        shape = [1 if i in axes else n for i, n in enumerate(x.shape) if i not in axes or keepdims]
        rest = np.empty(shape, x.dtype)
    else:
        rest = _core.reduce_numpy(_OPS[name], x, axis, keepdims, None, dtype, threads)
    kind = rest.dtype
    pair = np.empty((2, *np.shape(rest)), kind)
    pair[0] = _scalar(name, initial, kind)
    if is_empty:
        return pair[0]
    pair[1] = rest
    return _core.reduce_numpy(_OPS[_JOIN[name]], pair, 0, False, None, kind, 1)


def _scalar(name, initial, kind):
    """Converted as NumPy does: toward zero. What does not fit is refused."""
    element = np.empty((), kind)
    try:
        if np.ndim(initial) != 0:
            raise ValueError(f"an array of shape {np.shape(initial)}")
        element[()] = initial
    except (OverflowError, TypeError, ValueError) as error:
        message = f"[{name}] initial= is no value of the result: expected a number that {kind}"
        message += f" holds, got {error}"
        raise ArgumentError(message, "attribute-value", name, str(kind), str(error)) from error
    return element


def axes_of(name, axis, rank):
    """The axes from 0 on. Raises AxisError as the library does."""
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for each in axes:
        if not -rank <= each < rank:
            expected = f"{-rank} .. {rank - 1} (rank {rank})" if rank else "no axis (rank 0)"
            message = f"[{name}] axis out of range: expected {expected}, got {each}"
            raise AxisError(message, "axis-out-of-range", name, expected, str(each))
    found = tuple(i + rank if i < 0 else i for i in axes)
    if len(set(found)) < len(found):
        expected = "each axis at most once"
        message = f"[{name}] the same axis twice: expected {expected}, got axes {tuple(axes)}"
        raise AxisError(message, "duplicate-axis", name, expected, str(tuple(axes)))
    return found


def _masked_mean(x, axis, dtype, keepdims, mask, threads):
    """Sums in a type that holds them: the mean fits wherever its elements do."""
    is_float = x.dtype.kind in "fc" or x.dtype.name == "bfloat16"
    kind = dtype or (x.dtype if is_float else np.dtype(np.float64))
    wide = np.dtype(np.float64) if x.dtype.kind != "c" else x.dtype
    kept = np.where(mask, x, np.zeros((), x.dtype)).astype(wide, copy=False)
    ones = np.broadcast_to(mask, x.shape)
    count = _core.reduce_numpy(_OPS["sum"], ones, axis, keepdims, None, None, threads)

    def total(values):
        return _core.reduce_numpy(_OPS["sum"], values, axis, keepdims, None, None, threads)

    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.asarray(total(kept) / count)
        if not np.isfinite(mean).all():
            # Beyond the range of float64: the sum of 2^-64 times the elements is within it.
            again = np.asarray(total(kept * 2.0**-64) / count * 2.0**64)
            mean = np.where(np.isfinite(mean), mean, again)
        return mean.astype(kind)[()]


def _into(name, out, result):
    """The result in `out`, as NumPy's functions put it there; the result if `out` is None."""
    if out is None:
        return result[()]
    check_out(name, out, np.shape(result))
    casting = "unsafe" if name == "mean" else "same_kind"
    if not np.can_cast(result.dtype, out.dtype, casting):
        message = f"[{name}] output of another kind: expected one that {result.dtype} casts to"
        message += f", got {out.dtype}"
        raise DTypeError(message, "type-mismatch", name, str(result.dtype), str(out.dtype))
    with np.errstate(over="ignore", invalid="ignore"):
        np.copyto(out, result, casting=casting)
    return out


def check_out(name, out, shape):
    """Raises what the library does for an out that it cannot write."""
    if type(out) is not np.ndarray:
        raise TypeError(f"{name}: out must be a numpy.ndarray")
    if out.shape != shape:
        message = f"[{name}] output shape is not the planned one: expected {shape}, got {out.shape}"
        raise ShapeError(message, "shape-mismatch", name, str(shape), str(out.shape))
    if not out.flags.writeable:
        message = f"[{name}] out cannot be written: expected a writable array, got a read-only one"
        raise ArgumentError(message, "bad-argument", name, "a writable array", "a read-only one")
