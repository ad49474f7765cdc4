"""The NumPy dialect against NumPy: promotion, dtype=, axes, keepdims, and what is an error."""

import exact
import numpy as np
import pytest
from tenfold_cli import BF16, FLOATS, INTEGERS, TYPES, call, reduce, seed, to_npy

LOCAL = ("--dialect", "numpy")


def logsumexp(x, axis, keepdims):
    top = x.max(axis=axis, keepdims=True)
    y = np.log(np.exp(x - top).sum(axis=axis, keepdims=True)) + top
    return y if keepdims else np.squeeze(y, axis=axis)


def wide(x):
    """Sums of integers run in the platform integer, as NumPy's do."""
    if x.dtype.kind == "b":
        return x.astype(np.int64)
    return x.astype(np.uint64 if x.dtype.kind == "u" else np.int64) if x.dtype.kind in "iu" else x


def real(x):
    return x.astype(np.float64) if x.dtype.kind in "iub" else x


def every(x, axis):
    return tuple(range(x.ndim)) if axis is None else axis


# NumPy's function, or what it would be from NumPy's own parts.
NUMPY = {
    "sum": lambda x, axis, keep: np.sum(x, axis=axis, keepdims=keep),
    "mean": lambda x, axis, keep: np.mean(x, axis=axis, keepdims=keep),
    "max": lambda x, axis, keep: np.max(x, axis=axis, keepdims=keep),
    "min": lambda x, axis, keep: np.min(x, axis=axis, keepdims=keep),
    "prod": lambda x, axis, keep: np.prod(x, axis=axis, keepdims=keep),
    "all": lambda x, axis, keep: np.all(x, axis=axis, keepdims=keep),
    "any": lambda x, axis, keep: np.any(x, axis=axis, keepdims=keep),
    "l1": lambda x, axis, keep: np.sum(np.abs(wide(x)), axis=axis, keepdims=keep),
    "sumsquare": lambda x, axis, keep: np.sum(wide(x) ** 2, axis=axis, keepdims=keep),
    "l2": lambda x, axis, keep: np.sqrt(np.sum(real(x) ** 2, axis=axis, keepdims=keep)),
    "logsum": lambda x, axis, keep: np.log(np.sum(real(x), axis=axis, keepdims=keep)),
    "logsumexp": lambda x, axis, keep: logsumexp(real(x), every(x, axis), keep),
}
ARG = {"argmax": np.argmax, "argmin": np.argmin}
NEVER_ROUNDS = ("max", "min", "all", "any")


def data(name, shape, op):
    g = seed(name, op)
    if name == "bool":
        return g.integers(0, 2, shape).astype(bool)
    if name in FLOATS:
        return g.uniform(0.5, 1.5, shape).astype(TYPES[name])
    info = np.iinfo(TYPES[name])
    few = op in ("prod", "l2", "logsum", "logsumexp", "sumsquare")
    low, high = (1, 3) if few else (max(info.min, -100), 100)
    return g.integers(low, high, shape, dtype=TYPES[name], endpoint=True)


def words(axis):
    return () if axis is None else ("--axes", ",".join(map(str, np.atleast_1d(axis))) or "none")


def same(got, want, name, op, case):
    want = np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), f"{case}: {got.dtype} {got.shape}"
    if want.dtype.kind in "iub" or op in NEVER_ROUNDS:
        np.testing.assert_array_equal(got, want, err_msg=case)
    else:
        tolerance = {"f16": 2e-3, "f32": 1e-5}.get(name, 1e-13)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=case)


@pytest.mark.parametrize("op", NUMPY)
@pytest.mark.parametrize("name", [n for n in TYPES if n != "bf16"])
def test_functions(name, op):
    shape = (3, 4, 2)
    x = data(name, shape, op)
    for axis, keep in ((None, 0), (1, 1), ((0, 2), 0), (-1, 0)):
        got = reduce(op, x, *LOCAL, *words(axis), "--keepdims", keep)
        with np.errstate(divide="ignore"):  # the logarithm of no True at all
            want = NUMPY[op](x, axis, bool(keep))
        same(got, want, name, op, f"{op} {name} axis={axis} keepdims={keep}")


@pytest.mark.parametrize("op", ARG)
def test_arg(op):
    for name in TYPES:
        if name == "bf16":
            continue
        x = data(name, (3, 4, 2), op)
        for axis in (0, 1, -1):
            for keep in (0, 1):
                got = reduce(op, x, *LOCAL, *words(axis), "--keepdims", keep)
                want = ARG[op](x, axis=axis, keepdims=bool(keep))
                np.testing.assert_array_equal(got, want)
                assert got.dtype == want.dtype
    flat = data("f32", 7, op)
    assert reduce(op, flat, *LOCAL) == ARG[op](flat)
    assert reduce(op, np.float32(5), *LOCAL) == 0
    with_nan = np.array([3, np.nan, 9, np.nan], np.float32)
    assert reduce(op, with_nan, *LOCAL) == 1 == ARG[op](with_nan)
    # NumPy flattens several axes; that is refused, not guessed
    call("reduce", op, "-", *LOCAL, stdin=to_npy(np.ones((2, 2))), code=4)


def test_bfloat16():
    """Nothing to compare with in NumPy: the type stays, the values are exact arithmetic's."""
    x = data("bf16", (5, 33), "sum")
    for op in ("sum", "mean", "max", "l2", "logsumexp"):
        got = reduce(op, x, *LOCAL, "--axes", 1)
        exact.check(op, x, [1], False, got)
    assert reduce("all", x, *LOCAL).dtype == np.bool_


@pytest.mark.parametrize("op", ["sum", "prod", "mean"])
def test_dtype(op):
    function = getattr(np, op)
    for source in ("f64", "f32", "i8", "u16", "i64", "bool"):
        x = data(source, (3, 4), op)
        targets = ("f64", "f32") if op == "mean" else ("f64", "f32", "i8", "i64", "u32")
        for target in targets:
            got = reduce(op, x, *LOCAL, "--axes", 0, "--dtype", target)
            want = function(x, axis=0, dtype=TYPES[target])
            same(got, want, target, op, f"{op} {source} dtype={target}")
    low = np.array([1.0, 2.0], np.float16)
    got = reduce(op, low, *LOCAL, "--dtype", "bf16")
    assert got.dtype == BF16
    assert float(got) == float(function(low))


def test_integers_wrap_in_the_platform_integer():
    x = np.array([2**62, 2**62, 2**62], np.int64)
    assert reduce("sum", x, *LOCAL) == np.sum(x)
    bytes_ = np.full(1000, 127, np.int8)
    assert reduce("sum", bytes_, *LOCAL) == 127000
    assert reduce("sum", bytes_, *LOCAL, "--dtype", "i8") == np.sum(bytes_, dtype=np.int8)
    for name in INTEGERS:
        product = reduce("prod", np.full(70, 2, TYPES[name]), *LOCAL)
        assert product == 0, name


def test_empty_sets():
    empty = np.zeros((0, 3), np.float32)
    for op in ("sum", "prod", "all", "any"):
        np.testing.assert_array_equal(
            reduce(op, empty, *LOCAL, "--axes", 0), NUMPY[op](empty, 0, False)
        )
    assert np.isnan(reduce("mean", empty, *LOCAL, "--axes", 0)).all()
    for op in ("max", "min", "argmax", "argmin"):
        with pytest.raises(ValueError):
            (NUMPY | ARG)[op](empty, 0, False) if op in NUMPY else ARG[op](empty, axis=0)
        call("reduce", op, "-", *LOCAL, "--axes", 0, stdin=to_npy(empty), code=3)
        # the other axis has nothing to reduce, and no result either
        if op in NUMPY:
            assert reduce(op, empty, *LOCAL, "--axes", 1).shape == (0,)


def test_axis_of_nothing_is_the_identity():
    x = data("f32", (2, 3), "max")
    for op in ("sum", "max", "prod"):
        np.testing.assert_array_equal(reduce(op, x, *LOCAL, "--axes", "none"), x)
        np.testing.assert_array_equal(reduce(op, x, *LOCAL, "--axes", ""), x)
