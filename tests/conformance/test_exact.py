"""Every reduction of floats against exact arithmetic, on ordinary and on nasty data, reduced along
inner, outer and middle axes; and the same for integers that wrap.
"""

import math

import exact
import numpy as np
import onnx
import pytest
from models import many_reductions
from tenfold_cli import FLOATS, INTEGERS, TYPES, reduce, run_model, seed

OPS = ("sum", "mean", "l1", "l2", "sumsquare", "prod", "logsum", "logsumexp", "max", "min")


def finish(values, dtype):
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float64).astype(dtype)


def largest(dtype):
    return float(exact.FORMATS[exact.NAME[dtype]][2])


def normal(g, n, dtype):
    return finish(g.standard_normal(n), dtype)


def positive(g, n, dtype):
    return finish(g.uniform(0.5, 1.5, n), dtype)


def wide(g, n, dtype):
    """Exponents from everywhere: 1e30 beside 1e-30 (less in f16)."""
    reach = 4 if dtype == np.float16 else 30
    return finish(g.choice([-1, 1], n) * 10.0 ** g.uniform(-reach, reach, n), dtype)


def huge(g, n, dtype):
    """Sums overflow, means and norms do not."""
    return finish(g.uniform(0.3, 0.6, n) * largest(dtype), dtype)


def tiny(g, n, dtype):
    """Squares underflow."""
    return finish(g.uniform(0.5, 2, n) * (1e-4 if dtype == np.float16 else 1e-30), dtype)


def subnormal(g, n, dtype):
    least = float(exact.FORMATS[exact.NAME[dtype]][1])
    return finish(g.integers(-50, 60, n) * least, dtype)


def cancelling(g, n, dtype):
    """Pairs that cancel, and a little that does not."""
    half = g.standard_normal(n // 2) * 1e3
    values = np.concatenate([half, -half, [1e-3] * (n - 2 * (n // 2))])
    return finish(g.permutation(values), dtype)


def zeros(g, n, dtype):
    return finish(g.choice([0.0, -0.0], n), dtype)


def one_of(value):
    def family(g, n, dtype):
        values = normal(g, n, dtype)
        values[g.integers(n)] = value
        return values

    return family


def both_infinities(g, n, dtype):
    values = normal(g, n, dtype)
    values[g.integers(n)] = np.inf
    values[g.integers(n)] = -np.inf
    return values


def all_below(g, n, dtype):
    return np.full(n, -np.inf, dtype)


FAMILIES = {
    "normal": normal,
    "positive": positive,
    "wide": wide,
    "huge": huge,
    "tiny": tiny,
    "subnormal": subnormal,
    "cancelling": cancelling,
    "zeros": zeros,
    "nan": one_of(np.nan),
    "inf": one_of(np.inf),
    "minus-inf": one_of(-np.inf),
    "both-infinities": both_infinities,
    "all-minus-inf": all_below,
}
# Shape with the reduced axis, which one it is. Lengths around vectors, leaves and blocks.
LAYOUTS = {
    "inner": ((3, 131), 1),
    "outer": ((131, 3), 0),
    "middle": ((2, 37, 5), 1),
    "long": ((1, 2053), 1),
    "tall": ((2053, 1, 2), 0),
    "narrow": ((40, 3), 1),
}


def fill(family, dtype, shape, axis, *key):
    g = seed(family, dtype, shape, *key)
    rest = [n for a, n in enumerate(shape) if a != axis]
    sets = [FAMILIES[family](g, shape[axis], dtype) for _ in range(int(np.prod(rest)))]
    stacked = np.array(sets, dtype=dtype).reshape(*rest, shape[axis])
    return np.ascontiguousarray(np.moveaxis(stacked, -1, axis))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FLOATS)
def test_floats(name, layout, family, tmp_path):
    """All operators at once: one model, one node for each."""
    shape, axis = LAYOUTS[layout]
    x = fill(family, TYPES[name], shape, axis)
    calls = [(op, {"axes": [axis], "keepdims": 0}) for op in OPS]
    model = many_reductions(calls, x.dtype, x.shape, opset=onnx.defs.onnx_opset_version())
    results = run_model(model, {"x": x}, tmp_path)
    for index, op in enumerate(OPS):
        exact.check(op, x, [axis], False, results[f"y{index}"], f"{name} {layout} {family}")


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("name", FLOATS)
def test_reduce_command(name, op):
    for index, family in enumerate(FAMILIES):
        layout = list(LAYOUTS)[index % len(LAYOUTS)]
        shape, axis = LAYOUTS[layout]
        x = fill(family, TYPES[name], shape, axis, op)
        got = reduce(op, x, "--axes", axis - len(shape), "--keepdims", 1)
        exact.check(op, x, [axis], True, got, f"{name} {layout} {family}")


@pytest.mark.parametrize("name", FLOATS)
def test_long_sums(name):
    """Many terms: the error grows with the logarithm of their number, whatever the axis."""
    n = 300_007
    for family in ("positive", "normal", "cancelling"):
        x = FAMILIES[family](seed(name, family), n, TYPES[name])
        wide_x = x.astype(np.float64)
        if name == "f64":
            x = wide_x = np.round(x * 2**20) / 2**20  # squares and sums of squares fit one double
        terms = {"sum": wide_x, "mean": wide_x, "l1": np.abs(wide_x), "sumsquare": wide_x**2}
        for op, values in terms.items():
            y, magnitude = math.fsum(values), math.fsum(np.abs(values))
            acc = exact.ACCUMULATOR[name]
            bound = exact.growth((n,)) * float(exact.unit(acc)) * magnitude
            bound += float(exact.unit(name)) * abs(y)
            if op == "mean":
                y, bound = y / n, bound / n
            for laid in (x.reshape(1, n), x.reshape(n, 1), np.stack([x, x], axis=1)):
                axis = int(np.argmax(laid.shape))
                got = reduce(op, laid, "--axes", axis, "--keepdims", 0).astype(np.float64)
                case = f"{op} {family} {laid.shape}"
                if abs(y) > float(exact.FORMATS[name][2]):
                    assert np.isinf(got).all(), case
                else:
                    assert (np.abs(got - y) <= bound).all(), f"{case}: {got}, not {y} in {bound}"


@pytest.mark.parametrize("name", FLOATS)
def test_several_axes(name):
    """Neighbours, both ends, and every second axis."""
    for axes in ([0, 1], [0, 3], [1, 3], [0, 2], [0, 1, 2, 3]):
        shape = (3, 7, 5, 11)
        x = seed(name, axes).standard_normal(shape).astype(TYPES[name])
        for op in ("sum", "mean", "l2", "logsumexp", "max"):
            got = reduce(op, x, "--axes", ",".join(map(str, axes)), "--keepdims", 0)
            exact.check(op, x, axes, False, got, f"{name} {axes}")


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    """Whole-range values: sums and products wrap, means and norms are exact."""
    dtype = TYPES[name]
    info = np.iinfo(dtype)
    x = seed(name).integers(info.min, info.max, (5, 67), dtype=dtype, endpoint=True)
    x[0, :3] = info.min
    # Only the numpy dialect has the small types in every operator; told to keep them, it does.
    small = name in ("i8", "i16", "u8", "u16")
    dialect = ("--dialect", "numpy", "--dtype", name) if small else ("--dialect", "onnx:13")
    for op in ("sum", "mean", "prod", "l1", "l2", "sumsquare", "max", "min"):
        for axis in (0, 1):
            got = reduce(op, x, "--axes", axis, "--keepdims", 0, *dialect)
            exact.check(op, x, [axis], False, got, f"{name} axis {axis}")


@pytest.mark.parametrize("name", FLOATS)
def test_wrong_values_are_seen(name):
    """The judge itself: what is off by more than the roundings that are allowed is refused."""
    dtype = TYPES[name]
    x = positive(seed(name), 513, dtype)
    wide_x = x.astype(np.float64)
    top = np.exp(wide_x).sum()
    right = {
        "sum": wide_x.sum(),
        "mean": wide_x.mean(),
        "l1": wide_x.sum(),
        "l2": np.sqrt((wide_x**2).sum()),
        "sumsquare": (wide_x**2).sum(),
        "logsum": np.log(wide_x.sum()),
        "logsumexp": np.log(top),
        "max": wide_x.max(),
        "min": wide_x.min(),
    }
    for op, value in right.items():
        off = 4 if name in ("f16", "bf16") else 1000  # roundings of the type
        step = float(exact.unit(name)) * off
        assert exact.complaint(op, x, finish(value, dtype)[()]) is None, op
        for wrong in (value * (1 + step), value * (1 - step), np.nan, np.inf, -value, 0.0):
            assert exact.complaint(op, x, finish(wrong, dtype)[()]) is not None, (op, wrong)


def test_promised_values():
    """The values that docs/semantics.md names."""
    f16 = np.float16
    cases = [
        ("sum", np.array([60000, 60000, -60000], f16), 60000),
        ("mean", np.array([60000, 60000], f16), 60000),
        ("l2", np.array([300, 400], f16), 500),
        ("sum", np.ones(4096, f16), 4096),
        ("sum", np.ones(4096, TYPES["bf16"]), 4096),
        ("l2", np.array([3e30, 4e30], np.float32), np.float32(5e30)),
        ("l2", np.array([3e-30, 4e-30], np.float32), np.float32(5e-30)),
        ("l2", np.array([3e300, 4e300]), 5e300),
        ("mean", np.array([3e38, 3e38], np.float32), np.float32(3e38)),
        ("mean", np.array([1.5e308, 1.5e308]), 1.5e308),
        ("logsumexp", np.array([1e4, 1e4], np.float32), np.float32(1e4 + np.log(2))),
        ("sum", np.array([2**53 + 1, 2], np.int64), 2**53 + 3),
    ]
    for op, x, expected in cases:
        dialect = "onnx:13" if x.dtype.kind == "i" else "onnx:28"
        for laid in (x, x.reshape(-1, 1)):
            got = reduce(op, laid, "--axes", 0, "--keepdims", 0, "--dialect", dialect)
            assert got.dtype == x.dtype
            assert (got.astype(np.float64) == np.float64(expected)).all(), (op, x, got)
