"""Arguments that are almost right: NumPy's are taken, the rest refused with a name for it."""

import numpy as np
import pytest

import tenfold as tf


def a():
    return np.arange(6.0).reshape(2, 3)


def test_flags_are_numbers_or_booleans():
    for keepdims in (1, True, np.True_, np.int8(1)):
        assert tf.sum(a(), axis=1, keepdims=keepdims).shape == (2, 1)
        assert tf.max(a(), axis=1, keepdims=keepdims, initial=0).shape == (2, 1)
        assert tf.argmax(a(), axis=1, keepdims=keepdims).shape == (2, 1)
        assert tf.reduce(a(), "ReduceSum", axes=[1], keepdims=keepdims).shape == (2, 1)
    assert tf.sum(a(), axis=1, keepdims=0).shape == (2,)
    for call in (
        lambda: tf.sum(a(), keepdims="1"),
        lambda: tf.argmax(a(), keepdims=0.5),
        lambda: tf.reduce(a(), "ReduceSum", keepdims=0.5),
        lambda: tf.argmax(a(), 0, select_last_index="1", dialect="onnx:13"),
    ):
        with pytest.raises(tf.ArgumentError, match="expected a whole number"):
            call()


def test_axes_are_whole_numbers():
    for axis in (1, np.int16(1), np.array(1), [1], np.array([1]), {1}, range(1, 2), iter([1])):
        assert tf.sum(a(), axis=axis).tolist() == [3, 12]
    for axis in (1.0, True, "1", [1.5], [[1]], object()):
        with pytest.raises(TypeError, match="axes must be integers"):
            tf.sum(a(), axis=axis)
    for axis in (2**70, -(2**70), [2**70]):
        with pytest.raises(tf.AxisError):
            tf.sum(a(), axis=axis)


def test_threads_and_limits_are_not_negative():
    for call in (
        lambda **more: tf.sum(a(), **more),
        lambda **more: tf.argmax(a(), 0, **more),
        lambda **more: tf.reduce(a(), "ReduceSum", **more),
        lambda **more: tf.einsum("ij->", a(), **more),
        lambda **more: tf.einsum("ij->", a(), reduce="max", **more),
        lambda **more: tf.compile("ij->", a())(a(), **more),
        lambda **more: tf.matmul(a(), a().T, **more),
        lambda **more: tf.named.reduce(a(), "i j -> i", "sum", **more),
    ):
        with pytest.raises(tf.ArgumentError, match="0 .as many as pay. or more, got -1"):
            call(threads=-1)
        for wrong in ("2", 1.5, None):
            with pytest.raises(tf.ArgumentError, match="expected a whole number"):
                call(threads=wrong)
        for many in (2**31, 2**80):
            assert np.array_equal(call(threads=many), call(threads=1))
    for call in (
        lambda limit: tf.einsum("ij->", a(), memory_limit=limit),
        lambda limit: tf.compile("ij->", a(), memory_limit=limit),
        lambda limit: tf.einsum_path("ij->", a(), memory_limit=limit),
    ):
        with pytest.raises(tf.ArgumentError, match="expected a whole number, got 1000000000.0"):
            call(1e9)
        with pytest.raises(tf.ArgumentError, match=r"memory_limit\] a negative number of bytes"):
            call(-1)
        assert call(2**80) is not None
    for count in ("2", 1.5, None):
        with pytest.raises(tf.ArgumentError, match="expected a whole number"):
            tf.set_num_threads(count)
    for count in (-1, 2**31):
        with pytest.raises(tf.ArgumentError, match="from 0 to 2147483647"), tf.num_threads(count):
            pass


def test_names_are_strings():
    for call in (
        lambda: tf.reduce(a(), None),
        lambda: tf.reduce(a(), "ReduceSum", dialect=13),
        lambda: tf.einsum("ij->", a(), dialect=12),
        lambda: tf.einsum("ij->", a(), method=None),
        lambda: tf.einsum("ij->", a(), reduce=max),
        lambda: tf.compile("ij->", a(), dialect=None),
        lambda: tf.compile("ij->", a(), method=1),
        lambda: tf.argmax(a(), 0, dialect=13),
    ):
        with pytest.raises(tf.ArgumentError, match="expected a name"):
            call()


def test_labels_of_the_interleaved_form():
    assert tf.einsum(a(), np.array([0, 7]), (7, 0)).shape == (3, 2)
    for labels in ([0, "x"], [0, 1.5], "ij", [0, 2**40], [0, 2**80], [0, -(2**80)], 3):
        with pytest.raises(tf.ArgumentError, match="labels="):
            tf.einsum(a(), labels)
    with pytest.raises(tf.ArgumentError, match="an operand and its labels"):
        tf.einsum(a())


def test_paths_are_lists_of_steps():
    three = ("ij,jk,kl->il", a(), a().T, a())
    for path in ("greedy", 3, [3], [(0, "1")], [(0.0, 1.0)]):
        with pytest.raises(tf.ArgumentError, match="expected a list of steps"):
            tf.einsum(*three, path=path)


def test_constants_and_shapes_of_a_plan():
    for constants in ({5: a()}, {-1: a()}, [2]):
        with pytest.raises(tf.ArgumentError, match="positions from 0 to 1"):
            tf.compile("ij,kj->ik", a(), a(), constants=constants)
    with pytest.raises(tf.ShapeError, match="negative extent"):
        tf.compile("ij->", (2, -1))
    for shape in ((2, 3), [2, 3], (np.int64(2), 3), a().shape, [*np.array([2, 3])]):
        assert tf.compile("ij->i", shape).shape == (2,)


def test_an_einsum_goes_into_a_wider_out():
    x = a().astype("f4")
    for dtype in ("f8", ">f8", "c16"):
        out = np.empty(2, dtype)
        assert tf.einsum("ij->i", x, out=out) is out and out.tolist() == [3, 12]
    for dtype, operand in (("f4", a()), ("i4", x), ("f2", x)):
        with pytest.raises(tf.DTypeError):
            tf.einsum("ij->i", operand, out=np.empty(2, dtype))
    with pytest.raises(tf.ShapeError):
        tf.einsum("ij->i", x, out=np.empty(3, "f8"))
    with pytest.raises(tf.DTypeError):
        tf.einsum("ij->i", x, out=np.empty(2, "f8"), dialect="onnx:12")


def test_an_out_of_another_rank_is_told_the_shape():
    with pytest.raises(tf.ShapeError, match=r"2 strides for shape \(1, 3\), got 1"):
        tf.reduce(a(), "ReduceSum", axes=[0], out=np.empty(3))


def test_ranges_are_lists_of_numbers():
    assert tf.sum(range(4)) == 6 and tf.einsum("i,i->", range(3), [1, 1, 1]) == 3
