"""Is a contender's value right? The exact value, and how far from it a result may lie.

The tolerance is the floor that any careful implementation meets, in any order of adding (grade B
of docs/semantics.md, "Numerical contract"): no contender is asked for Tenfold's own accuracy.
"""

import dataclasses
import math

import numpy as np

import problem as rows

# Unit roundoff and smallest subnormal.
ROUNDOFF = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
SUBNORMAL = {"f64": 2.0**-1074, "f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}


@dataclasses.dataclass
class Verdict:
    right: bool
    why: str = ""  # the worst element, or what else is wrong


@dataclasses.dataclass
class Exact:
    value: np.ndarray
    tolerance: np.ndarray | None  # None: equal or wrong


def values_of(dtype, array):
    """Storage to numbers."""
    return rows.from_bf16(array) if dtype == "bf16" else array


def exact(problem, data):
    """`data`: the operands in storage type."""
    if problem.op == "einsum":
        return _exact_einsum(problem, [values_of(problem.dtype, each) for each in data])
    x = problem.view(values_of(problem.dtype, data[0]))
    value = tolerance = None
    if problem.op.startswith("Arg"):
        find = np.argmax if problem.op == "ArgMax" else np.argmin
        value = find(x, axis=problem.axes[0]).reshape(problem.output_shape)
    elif problem.op in ("ReduceMax", "ReduceMin"):
        pick = np.maximum if problem.op == "ReduceMax" else np.minimum
        value = pick.reduce(x, axis=problem.axes, keepdims=problem.keepdims)
    elif problem.dtype in ROUNDOFF:
        value, tolerance = _exact_float(problem, x)
    else:
        value = _exact_integer(problem, x)
    shape = problem.output_shape
    value = np.asarray(value).reshape(shape)
    return Exact(value, None if tolerance is None else np.asarray(tolerance).reshape(shape))


def _exact_float(problem, x):
    """Value and tolerance, both in a type with far more digits than the result's."""
    wide = np.longdouble if problem.dtype == "f64" else np.float64
    u = ROUNDOFF[problem.dtype]
    u_acc = min(u, ROUNDOFF["f32"])
    n = problem.reduced

    def fold(ufunc, array):
        return ufunc.reduce(array, axis=problem.axes, keepdims=problem.keepdims, dtype=wide)

    if problem.op == "ReduceProd":
        y = fold(np.multiply, x)
        return y, (n * u_acc + u) * np.abs(y)
    if problem.op == "ReduceLogSumExp":
        peak = np.max(x, axis=problem.axes, keepdims=True).astype(wide)
        total = fold(np.add, np.exp(np.subtract(x, peak, dtype=wide)))
        peak = peak.reshape(total.shape)
        y = peak + np.log(total)
        scale = np.abs(peak) + np.abs(np.log(total))
        return y, (n + 8) * u_acc + 4 * u_acc * scale + u * np.abs(y)
    if problem.op in ("ReduceL2", "ReduceSumSquare"):
        square = fold(np.add, np.square(x, dtype=wide))
        if problem.op == "ReduceL2":
            y = np.sqrt(square)
            return y, ((n / 2 + 2) * u_acc + u) * y
        return square, (n * u_acc + u) * square + SUBNORMAL[problem.dtype]
    total_abs = fold(np.add, np.abs(x))
    if problem.op == "ReduceL1":
        return total_abs, (n * u_acc + u) * total_abs + SUBNORMAL[problem.dtype]
    total = fold(np.add, x)
    if problem.op == "ReduceLogSum":
        y = np.log(total)
        return y, n * u_acc * total_abs / np.abs(total) + (8 * u_acc + u) * np.abs(y)
    parts = n if problem.op == "ReduceMean" else 1
    y = total / parts
    slack = n * u_acc * total_abs / parts + u * np.abs(y) + SUBNORMAL[problem.dtype]
    return y, slack


def _exact_einsum(problem, operands):
    """In f64, whose own error is far below the tolerance, or twice that for f64 itself."""
    if problem.dtype not in ROUNDOFF:
        wide = [each.astype(np.int64) for each in operands]  # products and sums wrap alike
        total = np.einsum(problem.equation, *wide, optimize=True)
        return Exact(np.asarray(total).astype(operands[0].dtype), None)
    u = ROUNDOFF[problem.dtype]
    u_acc = min(u, ROUNDOFF["f32"])
    wide = [each.astype(np.float64) for each in operands]
    y = np.asarray(np.einsum(problem.equation, *wide, optimize=True))
    size = np.einsum(problem.equation, *map(np.abs, wide), optimize=True)
    slack = (problem.reduced + len(operands)) * u_acc * size + u * np.abs(y)
    slack *= 2 if problem.dtype == "f64" else 1
    return Exact(y, np.asarray(slack + SUBNORMAL[problem.dtype]))


def _exact_integer(problem, x):
    def fold(ufunc, array):
        return ufunc.reduce(array, axis=problem.axes, keepdims=problem.keepdims, dtype=x.dtype)

    if problem.op == "ReduceSum":
        return fold(np.add, x)
    if problem.op == "ReduceProd":
        return fold(np.multiply, x)
    if problem.op == "ReduceL1":
        return fold(np.add, np.abs(x))
    if problem.op == "ReduceSumSquare":
        return fold(np.add, np.square(x))
    if problem.op == "ReduceMean":
        info = np.iinfo(np.int64 if x.dtype.kind == "i" else np.uint64)
        largest = max(abs(int(x.min())), abs(int(x.max())))
        if largest * problem.reduced > info.max:
            raise ValueError(f"the sum may pass 64 bits, no exact mean here: {problem.text!r}")
        total = np.add.reduce(x, axis=problem.axes, keepdims=problem.keepdims, dtype=info.dtype)
        if x.dtype.kind == "u":
            return (total // problem.reduced).astype(x.dtype)
        return (np.sign(total) * (np.abs(total) // problem.reduced)).astype(x.dtype)
    raise ValueError(f"no exact value for integers: {problem.text!r}")


def judge(problem, expected, dtype, shape, result):
    """`result` in storage type, as the contender gave it back."""
    if dtype != problem.output_dtype:
        return Verdict(False, f"gives {dtype}, not {problem.output_dtype}")
    if tuple(shape) != problem.output_shape:
        return Verdict(False, f"gives shape {tuple(shape)}, not {problem.output_shape}")
    got = values_of(dtype, result)
    if expected.tolerance is None:
        bad = ~_same(got, expected.value)
        if not bad.any():
            return Verdict(True)
        where = np.unravel_index(np.argmax(bad), bad.shape)
        return Verdict(False, _worst(where, got, expected.value, bad))
    wide = expected.value.dtype
    equal = _same(got, expected.value)
    with np.errstate(invalid="ignore"):
        error = np.abs(got.astype(wide) - expected.value)
        share = np.where(equal, 0, error / expected.tolerance)
    share = np.where(np.isnan(share), np.inf, share)
    if not (share > 1).any():
        return Verdict(True)
    where = np.unravel_index(np.argmax(share), share.shape)
    return Verdict(False, _worst(where, got, expected.value, share > 1))


def _same(a, b):
    if a.dtype.kind == "f":
        return (a == b) | (np.isnan(a) & np.isnan(b))
    return a == b


def _worst(where, got, value, bad):
    place = ",".join(str(int(i)) for i in where)
    digits = "{:.9g}" if got.dtype.kind == "f" else "{}"
    a, b = digits.format(got[where]), digits.format(value[where])
    return f"[{place}] is {a}, exact {b}; {int(bad.sum())} of {bad.size} wrong"


def narrower(problem, computes_in):
    """Does a contender that computes in `computes_in` throw away digits of the row's type?"""
    if computes_in is None or computes_in == problem.dtype:
        return False
    floats = ("f64", "f32", "f16", "bf16")
    digits = {name: -math.log2(ROUNDOFF[name]) for name in floats}
    if problem.dtype in floats:
        return computes_in not in floats or digits[computes_in] < digits[problem.dtype]
    if computes_in in floats:
        return digits[computes_in] < np.dtype(rows.STORAGE[problem.dtype]).itemsize * 8
    size = np.dtype(rows.STORAGE[computes_in]).itemsize
    return size < np.dtype(rows.STORAGE[problem.dtype]).itemsize
