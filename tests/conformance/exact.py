"""What a reduction must give: exact arithmetic (integers, fractions, 60 digits for exp and log) and
the tolerances of docs/semantics.md. Shares no code with the library.

`complaint(op, x, got, groups)` judges one reduced set; `check(...)` a whole result.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
from mpmath import mp, mpf
from tenfold_cli import BF16, TYPES

mp.dps = 60

NAME = {dtype: name for name, dtype in TYPES.items()}
# Type: (bits of precision, smallest subnormal, largest finite) as exact numbers.
FORMATS = {
    "f64": (53, Fraction(1, 2**1074), Fraction(2**1024 - 2**971)),
    "f32": (24, Fraction(1, 2**149), Fraction(2**128 - 2**104)),
    "f16": (11, Fraction(1, 2**24), Fraction(65504)),
    "bf16": (8, Fraction(1, 2**133), Fraction(2**128 - 2**120)),
}
ACCUMULATOR = {"f64": "f64", "f32": "f32", "f16": "f32", "bf16": "f32"}
CANONICAL_NAN = {"f64": 0x7FF8 << 48, "f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0}
BITS = {"f64": np.uint64, "f32": np.uint32, "f16": np.uint16, "bf16": np.uint16}


def unit(name: str) -> Fraction:
    """Half the distance from 1 to the next number."""
    return Fraction(1, 2 ** FORMATS[name][0])


def overflow_threshold(name: str) -> Fraction:
    """The least value that rounds to infinity."""
    precision, _, largest = FORMATS[name]
    return largest * (1 + Fraction(1, 2 ** (precision + 1) - 2))


def to_mp(value):
    if isinstance(value, Fraction):
        return mpf(value.numerator) / mpf(value.denominator)
    return mpf(value)


class Terms:
    """Finite floats as integers over one power of two: exact sums without fractions."""

    def __init__(self, x: np.ndarray):
        ratios = [v.as_integer_ratio() for v in x.astype(np.float64).tolist()]
        self.bits = max((d.bit_length() - 1 for _, d in ratios), default=0)
        self.values = [n << (self.bits - d.bit_length() + 1) for n, d in ratios]
        self.ratios = ratios

    def sum(self) -> Fraction:
        return Fraction(sum(self.values), 1 << self.bits)

    def magnitude(self) -> Fraction:
        return Fraction(sum(map(abs, self.values)), 1 << self.bits)

    def squares(self) -> Fraction:
        return Fraction(sum(v * v for v in self.values), 1 << 2 * self.bits)

    def product(self) -> Fraction:
        down = sum(d.bit_length() - 1 for _, d in self.ratios)
        return Fraction(math.prod(n for n, _ in self.ratios), 1 << down)

    def product_reach(self):
        """log2 of the largest and of the least partial product that some order can have."""
        logs = [math.log2(abs(n)) - math.log2(d) for n, d in self.ratios if n]
        return sum(v for v in logs if v > 0), sum(v for v in logs if v < 0)


def growth(groups) -> float:
    """How many roundings may add up, grade A: few for a tree, whatever the length."""
    n = math.prod(groups)
    return min(n, sum(35 + math.log2(max(1, g / 512)) for g in groups)) if n else 0


def special(op: str, x: np.ndarray):
    """The result where the input is not finite: nan, inf or -inf; None if there is none or the
    finite rest decides."""
    nan, above, below = np.isnan(x).any(), (x == np.inf).any(), (x == -np.inf).any()
    if nan:
        return math.nan
    if op in ("sum", "mean"):
        if above and below:
            return math.nan
        return math.inf if above else -math.inf if below else None
    if op == "logsum":
        if below:
            return math.nan
        return math.inf if above else None
    if op == "logsumexp":
        if above:
            return math.inf
        return -math.inf if (x == -np.inf).all() else None
    if op in ("l1", "l2", "sumsquare"):
        return math.inf if above or below else None
    if op == "prod" and (above or below):
        if (x == 0).any():
            return math.nan
        return math.inf if np.signbit(x).sum() % 2 == 0 else -math.inf
    return None


EMPTY = {
    "sum": 0.0,
    "mean": math.nan,
    "prod": 1.0,
    "l1": 0.0,
    "l2": 0.0,
    "sumsquare": 0.0,
    "logsum": -math.inf,
    "logsumexp": -math.inf,
    "max": -math.inf,
    "min": math.inf,
}


def exact_and_tolerance(op: str, name: str, x: np.ndarray, groups):
    """(exact value, tolerance) of finite input, or None where no value is promised."""
    terms = Terms(x)
    acc = ACCUMULATOR[name]
    u_acc, u, tiny = unit(acc), unit(name), FORMATS[name][1]
    grow = Fraction(growth(groups))
    if op == "prod":
        if not product_is_bounded(terms, acc):
            return None
        y = terms.product()
        return y, (grow * u_acc + u) * abs(y) + tiny
    if op in ("l2", "sumsquare"):
        y = terms.squares()
        if op == "sumsquare":
            return y, grow * u_acc * y + u * y + tiny
        y = mp.sqrt(to_mp(y))
        return y, y * to_mp((grow / 2 + 2) * u_acc + u) + to_mp(tiny)
    magnitude = terms.magnitude()
    if op == "l1":
        return magnitude, grow * u_acc * magnitude + u * magnitude + tiny
    y = terms.sum()
    if op == "mean":
        y /= len(x)
        return y, grow * u_acc * magnitude / len(x) + u * abs(y) + tiny
    assert op == "sum"
    if magnitude > FORMATS[acc][2]:
        return None  # whether it overflows depends on the order
    return y, grow * u_acc * magnitude + u * abs(y) + tiny


def product_is_bounded(terms: Terms, acc: str) -> bool:
    """Whether partial products stay in the normal range, in every order."""
    up, down = terms.product_reach()
    precision, tiny, largest = FORMATS[acc]
    return up < math.log2(largest) - 0.01 and down > math.log2(tiny) + precision - 1 + 0.01


def judge_log_sum(name, x, got, groups):
    """The sum's error, carried through the logarithm."""
    acc = ACCUMULATOR[name]
    terms = Terms(x)
    total, magnitude = terms.sum(), terms.magnitude()
    if magnitude > FORMATS[acc][2]:
        return None
    slack = Fraction(growth(groups)) * unit(acc) * magnitude if len(x) > 1 else Fraction(0)
    low, high = total - slack, total + slack
    if high < 0:
        return None if math.isnan(got) else "the logarithm of a negative sum is NaN"
    if high == 0:
        return None if got == -math.inf else "the logarithm of 0 is -inf"
    if low <= 0 and (math.isnan(got) or got == -math.inf):
        return None
    top = mp.log(to_mp(high))
    own = to_mp(8 * unit(acc) + unit(name)) * max(abs(top), 1 if slack else 0)
    own = own + to_mp(FORMATS[name][1])
    if not math.isfinite(got) or got > top + own:
        return f"at most {mp.nstr(top, 20)}"
    if low <= 0:
        return None
    bottom = mp.log(to_mp(low))
    own += to_mp(8 * unit(acc)) * abs(bottom)
    return None if got >= bottom - own else f"at least {mp.nstr(bottom, 20)}"


def exact_log_sum_exp(name, x, groups):
    values = [mpf(v) for v in x.astype(np.float64).tolist() if v != -math.inf]
    top = max(values)
    rest = mp.log(mp.fsum(mp.exp(v - top) for v in values))
    y = top + rest
    u_acc = to_mp(unit(ACCUMULATOR[name]))
    tolerance = (growth(groups) + 8) * u_acc + 4 * u_acc * (abs(top) + abs(rest))
    return y, tolerance + to_mp(unit(name)) * abs(y) + to_mp(FORMATS[name][1])


def same_special(expected: float, got: float) -> bool:
    return math.isnan(got) if math.isnan(expected) else got == expected


def rest_is_bounded(op, name, x, expected) -> bool:
    """Whether the finite part cannot overflow on its own and meet the infinite part as NaN."""
    if len(x) == 0 or math.isnan(expected) or op not in ("prod", "sum", "mean", "logsum"):
        return True
    finite = Terms(x[np.isfinite(x.astype(np.float64))])
    if op == "prod":
        return product_is_bounded(finite, ACCUMULATOR[name])
    return finite.magnitude() <= FORMATS[ACCUMULATOR[name]][2]


def complaint_float(op, name, x, got, groups):
    if op in ("max", "min"):
        return judge_extreme(op, x, got)
    expected = EMPTY[op] if len(x) == 0 else special(op, x.astype(np.float64))
    if expected is not None:
        if not rest_is_bounded(op, name, x, expected):
            return None
        return None if same_special(expected, got) else f"{expected}"
    if op == "logsum":
        return judge_log_sum(name, x, got, groups)
    if op == "logsumexp":
        promise = exact_log_sum_exp(name, x, groups)
    else:
        promise = exact_and_tolerance(op, name, x, groups)
    if promise is None:
        return None
    y, tolerance = (to_mp(v) for v in promise)
    if math.isinf(got):
        reach = abs(y) + tolerance >= to_mp(overflow_threshold(name))
        return None if reach and (got > 0) == (y > 0) else mp.nstr(y, 20)
    if math.isnan(got) or abs(mpf(got) - y) > tolerance:
        return f"{mp.nstr(y, 20)} within {mp.nstr(tolerance, 3)}"
    if op == "sum" and got == 0 and y == 0:
        negative = bool(np.signbit(x.astype(np.float64)).all())
        if (math.copysign(1, got) < 0) != negative:
            return "-0" if negative else "+0"
    return None


def judge_extreme(op, x, got):
    """NaN wherever it stands; -0 below +0."""
    x = x.astype(np.float64)
    if len(x) == 0:
        expected = EMPTY[op]
    elif np.isnan(x).any():
        expected = math.nan
    else:
        key = [(v, math.copysign(1, v)) for v in x.tolist()]
        expected = (max(key) if op == "max" else min(key))[0]
    ok = same_special(expected, got) and (
        math.isnan(got) or math.copysign(1, got) == math.copysign(1, expected)
    )
    return None if ok else f"{expected}"


def wrap(value: int, dtype: np.dtype) -> int:
    info = np.iinfo(dtype)
    return (value - info.min) % (1 << info.bits) + info.min


def complaint_integer(op, dtype, x, got):
    values = [int(v) for v in x.tolist()]
    info = np.iinfo(dtype)
    total = sum(values)
    if op in ("logsum", "logsumexp"):
        return judge_integer_log(op, info, values, total, got)
    if op == "mean":
        magnitude = abs(total) // len(values) if values else 0
        expected = -magnitude if total < 0 else magnitude
    else:
        expected = {
            "sum": lambda: wrap(total, dtype),
            "prod": lambda: wrap(math.prod(values), dtype),
            "l1": lambda: wrap(sum(map(abs, values)), dtype),
            "sumsquare": lambda: wrap(sum(v * v for v in values), dtype),
            "l2": lambda: min(math.isqrt(sum(v * v for v in values)), int(info.max)),
            "max": lambda: max(values, default=int(info.min)),
            "min": lambda: min(values, default=int(info.max)),
        }[op]()
    return None if int(got) == expected else f"{expected}"


def judge_integer_log(op, info, values, total, got):
    if op == "logsum":
        if total <= 0 or total > int(info.max):
            return None
        y = mp.log(total)
        slack = mpf("1e-12")
    else:
        if not values:
            return None
        top = max(values)
        y = top + mp.log(mp.fsum(mp.exp(v - top) for v in values))
        slack = 1 + abs(y) / 2**52
    low, high = int(y - slack), int(y + slack)  # int() truncates
    return None if low <= int(got) <= high else f"{mp.nstr(y, 20)}, truncated"


def complaint(op: str, x: np.ndarray, got, groups=None):
    """None if `got` is right for the reduction of the one-dimensional `x`; else what is expected.
    `got` is a scalar of the result's type; `groups`: the extents of the axes reduced."""
    groups = (len(x),) if groups is None else groups
    if op in ("argmax", "argmin"):
        raise ValueError("judged by check_arg")
    if x.dtype == np.bool_:
        expected = bool(x.any()) if op in ("max", "any") else bool(x.all())
        return None if bool(got) == expected else f"{expected}"
    if x.dtype.kind in "iu":
        return complaint_integer(op, x.dtype, x, got)
    name = NAME[x.dtype]
    wide = float(got)
    if math.isnan(wide) and int(np.asarray(got).view(BITS[name])) != CANONICAL_NAN[name]:
        if not np.isnan(x.astype(np.float64)).any():
            return "the canonical NaN"
    return complaint_float(op, name, x, wide, groups)


def sets_of(x: np.ndarray, axes):
    """Index of the result without reduced axes -> the one-dimensional reduced set."""
    axes = sorted(a % x.ndim for a in axes) if x.ndim else []
    kept = [a for a in range(x.ndim) if a not in axes]
    moved = x.transpose(kept + axes)
    for index in itertools.product(*(range(x.shape[a]) for a in kept)):
        yield index, moved[index].reshape(-1)


def result_shape(shape, axes, keepdims: bool):
    axes = {a % len(shape) for a in axes} if shape else set()
    if keepdims:
        return tuple(1 if a in axes else n for a, n in enumerate(shape))
    return tuple(n for a, n in enumerate(shape) if a not in axes)


def check(op: str, x: np.ndarray, axes, keepdims: bool, got: np.ndarray, case: str = ""):
    """Asserts dtype, shape and every element of the reduction of `axes` (a list)."""
    assert got.dtype == x.dtype, f"{case}: {got.dtype}, not {x.dtype}"
    shape = result_shape(x.shape, axes, keepdims)
    assert got.shape == shape, f"{case}: shape {got.shape}, not {shape}"
    flat = got.reshape(result_shape(x.shape, axes, False))
    groups = tuple(x.shape[a] for a in axes) or (1,)
    for index, values in sets_of(x, axes):
        wrong = complaint(op, values, flat[index], groups)
        assert wrong is None, f"{case} {op} at {index}: {flat[index]!r}, not {wrong}; of {values!r}"


def check_arg(op: str, x: np.ndarray, axis: int, keepdims: bool, last: bool, got: np.ndarray, case):
    """NaN wins, the first (or last) of equals, -0 equals +0."""
    assert got.dtype == np.int64, case
    assert got.shape == result_shape(x.shape, [axis], keepdims), case
    flat = got.reshape(result_shape(x.shape, [axis], False))
    for index, values in sets_of(x, [axis]):
        if x.dtype == BF16:
            values = values.astype(np.float32)
        if values.dtype.kind == "f" and np.isnan(values).any():
            at = np.flatnonzero(np.isnan(values))
        else:
            at = np.flatnonzero(values == (values.max() if op == "argmax" else values.min()))
        expected = at[-1 if last else 0]
        assert flat[index] == expected, f"{case} {op} at {index}: {flat[index]}, not {expected}"
