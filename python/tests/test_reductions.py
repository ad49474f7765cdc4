"""NumPy's face of the reductions, against NumPy; the standards' face, against their rules."""

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tenfold as tf

# name, NumPy's function, does NumPy's order of additions differ from ours
SAME = {
    "sum": np.sum,
    "prod": np.prod,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "all": np.all,
    "any": np.any,
}
ELSE = {
    "l1": lambda x, **k: np.sum(np.abs(x), **k),
    "l2": lambda x, **k: np.sqrt(np.sum(np.square(x.astype("f8")), **k)),
    "sumsquare": lambda x, **k: np.sum(np.square(x), **k),
    "logsumexp": lambda x, **k: np.log(np.sum(np.exp(x.astype("f8")), **k)),
}
DTYPES = ["f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


def data(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "?":
        return rng.random(shape) < 0.7
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*SAME, *ELSE])
def test_values_types_and_shapes_are_numpys(name, dtype):
    x = data(dtype, (3, 4, 5))
    if name in ELSE and dtype == "?":
        x = x.astype("u1")
    numpys = SAME.get(name) or ELSE[name]
    for axis in (None, 0, 1, -1, (0, 2), (2, 1)):
        for keepdims in (False, True):
            ours = getattr(tf, name)(x, axis=axis, keepdims=keepdims)
            expected = numpys(x, axis=axis, keepdims=keepdims)
            assert np.shape(ours) == np.shape(expected)
            if name in SAME:
                assert np.asarray(ours).dtype == np.asarray(expected).dtype
            tolerance = 1e-2 if dtype == "f2" else 2e-5 if dtype == "f4" else 1e-11
            np.testing.assert_allclose(
                np.asarray(ours, "f8"), np.asarray(expected, "f8"), rtol=tolerance, atol=tolerance
            )


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=1, max_dims=4, max_side=7),
        elements=st.floats(-1e6, 1e6),
    ),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_sums_of_any_view_are_exact_to_a_few_roundings(x, draw):
    axis = draw.draw(st.integers(-x.ndim, x.ndim - 1))
    view = x[..., :: draw.draw(st.sampled_from([1, -1, 2]))]
    view = view.transpose(draw.draw(st.permutations(range(x.ndim))))
    moved = np.moveaxis(view, axis, -1)
    ours = tf.sum(view, axis=axis)
    for index in np.ndindex(moved.shape[:-1]):
        exact = math.fsum(moved[index].tolist())
        size = math.fsum(map(abs, moved[index].tolist()))
        assert abs(float(np.asarray(ours)[index]) - exact) <= 40 * 2.0**-53 * size


def test_nan_is_carried_and_an_empty_maximum_is_refused():
    x = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0]], "f4")
    assert np.isnan(tf.max(x, axis=1)[0]) and tf.max(x, axis=1)[1] == 6
    with pytest.raises(ValueError):
        tf.max(np.zeros((0, 3)), axis=0)
    assert tf.max(np.zeros((0, 3)), axis=0, initial=2.0).tolist() == [2, 2, 2]
    assert tf.sum(np.zeros((0, 3)), axis=0).tolist() == [0, 0, 0]


def test_where_initial_out_and_dtype():
    x = data("f4", (4, 6))
    mask = data("?", (4, 6))
    np.testing.assert_allclose(
        tf.sum(x, axis=1, where=mask), np.sum(x, axis=1, where=mask), rtol=1e-5
    )
    np.testing.assert_allclose(
        tf.mean(x, axis=0, where=mask), np.mean(x, axis=0, where=mask), rtol=1e-5
    )
    assert np.array_equal(
        tf.max(x, axis=1, where=mask, initial=-9), np.max(x, axis=1, where=mask, initial=-9)
    )
    with pytest.raises(ValueError):
        tf.max(x, where=mask)
    np.testing.assert_allclose(tf.sum(x, initial=10), np.sum(x, initial=10), rtol=1e-5)
    out = np.empty((6,), "f4")
    assert tf.sum(x, axis=0, out=out) is out
    np.testing.assert_allclose(out, x.sum(0), rtol=1e-5)
    assert tf.sum(x, dtype=np.float64).dtype == np.float64
    with pytest.raises(tf.ShapeError):
        tf.sum(x, axis=0, out=np.empty((5,), "f4"))
    with pytest.raises(TypeError):
        tf.sum(x, axis=0, out=np.empty((6,), "i4"))


def test_argmax_follows_numpy_with_the_first_of_equals_and_of_nans():
    x = np.array([[3, 1, 3], [0, np.nan, np.nan]])
    assert tf.argmax(x, axis=1).tolist() == np.argmax(x, axis=1).tolist() == [0, 1]
    assert tf.argmax(x, axis=1, select_last_index=True).tolist() == [2, 2]
    assert tf.argmin(x, axis=0, keepdims=True).tolist() == [[1, 1, 1]]
    assert tf.argmax(x) == np.argmax(x)
    assert tf.argmax(np.float32(3)) == 0


def test_the_standards_face_keeps_types_and_defaults():
    x = np.array([[1, 2], [3, 4]], "i1")
    assert tf.reduce(x, "ReduceMax", axes=[1]).tolist() == [[2], [4]]
    assert tf.reduce(x, "ReduceMax", axes=[1], keepdims=0, dialect="openvino").dtype == np.int8
    assert tf.reduce(x.astype("i4"), "ReduceSum", axes=[], noop_with_empty_axes=1).shape == (2, 2)
    with pytest.raises(tf.DTypeError):
        tf.reduce(x, "ReduceSum", axes=[0])
    with pytest.raises(tf.AxisError) as error:
        tf.reduce(x, "ReduceMax", axes=[2], dialect="onnx:18")
    assert error.value.code == "axis-out-of-range" and error.value.where == "ReduceMax-18"
    with pytest.raises(tf.ArgumentError, match="ReduceMax"):
        tf.reduce(x, "ReduceMaxx")
    assert tf.argmax(x, 1, keepdims=True, select_last_index=1, dialect="onnx:12").shape == (2, 1)


def test_bfloat16_goes_in_and_comes_out():
    x = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    total = tf.sum(x, axis=1)
    assert total.dtype == ml_dtypes.bfloat16 and total.tolist() == [3, 12]
    ones = np.ones(4096, ml_dtypes.bfloat16)
    assert float(tf.sum(ones)) == 4096


def test_what_is_no_array_of_numbers_is_refused():
    for bad in (np.array(["a"]), np.array([object()]), "text", {1: 2}):
        with pytest.raises(TypeError):
            tf.sum(bad)
    with pytest.raises(TypeError, match="subclass"):
        tf.sum(np.ma.masked_array([1.0, 2.0]))
    assert tf.sum([1, 2, 3]) == 6 and tf.sum(2.5) == 2.5


def test_views_without_a_copy_and_other_byte_orders():
    x = data("f4", (5, 7))
    read_only = x[::-1, ::2]
    read_only.flags.writeable = False
    np.testing.assert_allclose(tf.sum(read_only, axis=0), read_only.sum(0), rtol=1e-5)
    np.testing.assert_allclose(tf.sum(x.astype(">f4"), axis=0), x.sum(0), rtol=1e-5)
    assert tf.sum(memoryview(x)) == tf.sum(x)
    packed = np.zeros(4, [("a", "i1"), ("b", "f4")])
    packed["b"] = 2
    assert tf.sum(packed["b"]) == 8
