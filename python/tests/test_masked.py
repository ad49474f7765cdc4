"""where=, initial=, and an out of another type: NumPy's values, and errors of Tenfold's own."""

import ml_dtypes
import numpy as np
import pytest

import tenfold as tf

NAMES = ["sum", "prod", "max", "min", "all", "any", "mean"]


def x():
    return np.arange(-6.0, 6.0, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", [True, np.bool_(True), [[True], [False], [True]], [True] * 4])
def test_where_is_broadcast_as_numpy_does(name, where):
    more = {"initial": 1} if name in ("max", "min") else {}
    for axis in (None, 0, (1, 0)):
        ours = getattr(tf, name)(x(), axis=axis, where=where, **more)
        assert np.array_equal(ours, getattr(np, name)(x(), axis=axis, where=where, **more))
    with pytest.raises(tf.ShapeError, match=r"broadcasts to \(3, 4\), got \(2, 3, 4\)"):
        getattr(tf, name)(x(), where=np.ones((2, 3, 4), bool), **more)
    with pytest.raises(tf.DTypeError, match="expected bool, got int64"):
        getattr(tf, name)(x(), where=np.ones((3, 4), np.int64), **more)


def test_where_without_initial_is_refused_for_extremes_only():
    with pytest.raises(tf.ArgumentError, match="needs initial="):
        tf.max(x(), where=x() > 0)
    assert tf.max(x(), where=True) == 5
    assert tf.max(x(), where=x() > 9, initial=-1) == -1


def test_mistakes_beside_where_and_initial_are_those_of_the_plain_call():
    for more in ({"initial": 1}, {"where": np.array(True), "initial": 1}):
        for array in (x(), x()[:0]):
            with pytest.raises(tf.AxisError, match=r"axis out of range: expected -2 .. 1"):
                tf.max(array, axis=2, **more)
            with pytest.raises(tf.AxisError, match="the same axis twice"):
                tf.max(array, axis=(0, -2), **more)
        with pytest.raises(TypeError, match="subclass"):
            tf.sum(np.ma.masked_array(x()), **more)
        with pytest.raises(tf.DTypeError, match="element type not allowed"):
            tf.sum(np.array(["a"]), **more)


def test_an_initial_that_the_result_cannot_hold_is_refused():
    for array in (np.ones(2, "i4"), np.ones(0, "i4")):
        for initial in (np.inf, np.nan, 2**40, np.ones(2), "a"):
            with pytest.raises(tf.ArgumentError, match="initial= is no value of the result"):
                tf.max(array, initial=initial)
        assert tf.max(array, initial=2.5) == np.max(array, initial=2.5) == 2
    assert tf.max(np.zeros((2, 0), ">f8"), axis=1, initial=3).dtype == np.dtype(np.float64)


def test_a_mean_of_some_elements_fits_where_they_do():
    for dtype, large in (("f2", 6e4), ("f4", 3e38), ("f8", 1.7e308), (ml_dtypes.bfloat16, 3e38)):
        array = np.full(5, large, dtype)
        some = np.array([True, True, False, True, True])
        mean = tf.mean(array, where=some)
        assert mean.dtype == array.dtype and mean == array[0]
    assert np.isnan(tf.mean(x(), where=False))


def test_a_mean_goes_into_any_out():
    """As NumPy's, which cuts off what an integer can't hold."""
    for dtype in ("i4", "u1", "?", ">i8", "f2"):
        out, expected = np.empty(3, dtype), np.empty(3, dtype)
        assert tf.mean(np.abs(x()), axis=1, out=out) is out
        assert np.array_equal(out, np.mean(np.abs(x()), axis=1, out=expected))


def test_out_takes_what_the_result_casts_to():
    for name, types in (
        ("sum", ("f8", ">f4", "f2")),
        ("max", ("f8", ">f8")),
        ("all", ("i4", "f8", "u1")),
    ):
        for dtype in types:
            out, expected = np.empty(4, dtype), np.empty(4, dtype)
            assert getattr(tf, name)(x(), axis=0, out=out) is out
            assert np.array_equal(out, getattr(np, name)(x(), axis=0, out=expected))
    for more in ({}, {"initial": 1}):
        with pytest.raises(tf.DTypeError, match="casts to, got int32"):
            tf.sum(x(), axis=0, out=np.empty(4, "i4"), **more)
        with pytest.raises(tf.ShapeError):
            tf.sum(x(), axis=0, out=np.empty((1, 4), "f4"), **more)
        read_only = np.empty(4, "f4")
        read_only.flags.writeable = False
        with pytest.raises(tf.ArgumentError, match="a writable array"):
            tf.sum(x(), axis=0, out=read_only, **more)
    # A sum is taken in the type of a wider out, as NumPy's is.
    halves = np.full(3, 6e4, "f2")
    assert tf.sum(halves, out=np.empty((), "f4")) == 18e4


def test_argmax_of_the_flattened_array_checks_its_out():
    out = np.empty((), np.int64)
    assert tf.argmax(x(), out=out) is out and out == 11
    with pytest.raises(tf.ShapeError):
        tf.argmax(x(), out=np.empty(2, np.int64))
    with pytest.raises(tf.DTypeError):
        tf.argmax(x(), out=np.empty((), np.float32))
    with pytest.raises(TypeError, match="subclass"):
        tf.argmax(np.ma.masked_array(x()))


def test_axis_0_of_rank_0_is_numpys():
    one = np.float32(3)
    for axis in (0, -1, np.array(0), np.int8(-1)):
        assert tf.sum(one, axis=axis) == 3 and tf.argmax(one, axis=axis) == 0
        assert tf.max(one, axis=axis, initial=4) == 4
        with pytest.raises(tf.AxisError):
            tf.mean(one, axis=axis)
        with pytest.raises(tf.AxisError):
            tf.sum(one, axis=(axis,))
    with pytest.raises(tf.AxisError):
        tf.sum(one, axis=1)


def test_names_of_types_are_numpys():
    big = np.array([300, 400], "i4")
    for name in ("i8", "u8", "i4", "f8", "c16", ">i8"):
        assert tf.einsum("i->", big, dtype=name) == 700
        if name != "c16":
            assert tf.sum(big, dtype=name).dtype == np.dtype(name).newbyteorder("=")
    assert tf.sum(big, dtype=bool) is np.True_ and tf.prod(big * [1, 0], dtype="?") is np.False_
    for bad in ("f16", "S4", object, [("a", "i4")]):  # f16 has 16 bytes
        with pytest.raises(tf.DTypeError, match="dtype not allowed"):
            tf.sum(big, dtype=bad)


def test_an_empty_extreme_is_refused_also_where_nothing_comes_out():
    for call in (np.max, tf.max, tf.min):
        with pytest.raises(ValueError):
            call(np.zeros((0, 0)), axis=0)
        assert call(np.zeros((2, 0)), axis=0).shape == (0,)
    assert tf.max(np.zeros((0, 0)), axis=0, initial=1).shape == (0,)
