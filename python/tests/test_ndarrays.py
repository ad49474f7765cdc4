"""NumPy's arrays are read through its C interface, other objects through the buffer protocol: the
same values either way, for every type and layout; what neither can describe is copied."""

import ctypes

import numpy as np
import pytest

import tenfold as tf

RNG = np.random.default_rng(11)
TYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "F", "D"]


class Buffer:
    """The array's __array_interface__ and no more, or a memoryview of it."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


def layouts(array):
    yield array
    yield array.T
    yield array[::-1, ::2]
    yield np.asfortranarray(array)
    yield np.broadcast_to(array[:1], array.shape)
    yield array[0, 0]
    yield array[:0]
    yield array[:, 1]


@pytest.mark.parametrize("char", TYPES)
def test_every_type_and_layout(char):
    array = (RNG.integers(0, 100, (4, 6)) - 50 * (char not in "?BHILQ")).astype(char)
    for x in layouts(array):
        if x.dtype.kind == "c":
            expected, ours = np.einsum("...->...", x), tf.einsum("...->...", x)
        else:
            expected, ours = np.max(x, initial=0), tf.max(x, initial=0)
            labels = "ab"[: x.ndim]
            for same in (Buffer(np.asarray(x)), memoryview(np.asarray(x))):
                again = tf.einsum(f"{labels}->{labels}", same)
                assert type(again) is type(tf.einsum(f"{labels}->{labels}", x))
                assert np.array_equal(again, x)
        assert np.array_equal(ours, expected)
        assert np.asarray(ours).dtype == np.asarray(expected).dtype


def test_results_of_every_type():
    for char in TYPES:
        array = np.ones((2, 3), char)
        result = tf.einsum("ij->ji", array)
        assert type(result) is np.ndarray and result.dtype == array.dtype
        assert result.flags.owndata and result.flags.c_contiguous and result.flags.aligned
        scalar = tf.einsum("ii->", array[:, :2])
        assert isinstance(scalar, np.generic) and scalar.dtype == array.dtype


def test_what_no_view_describes():
    x = np.arange(24.0).reshape(4, 6)
    assert tf.sum(x.astype(">f8")) == x.sum()
    packed = np.zeros(5, [("tag", "u1"), ("value", "f4")])
    packed["value"] = [1, 2, 3, 4, 5]
    assert not packed["value"].flags.aligned
    assert tf.sum(packed["value"]) == 15  # five bytes from one to the next
    unaligned = np.frombuffer(bytearray(33), "u1")[1:].view("f4")
    unaligned[:] = range(8)
    assert not unaligned.flags.aligned and tf.sum(unaligned) == 28


def test_buffers_without_strides():
    """ctypes tells none, whatever it is asked."""
    rows = ((ctypes.c_float * 3) * 2)((1, 2, 3), (4, 5, 6))
    assert tf.sum(rows, axis=1).tolist() == [6, 15]
    nowhere = (ctypes.c_float * 2).from_address(0)
    with pytest.raises(tf.ArgumentError) as caught:
        tf.sum(nowhere)
    assert caught.value.code == "null-data"


def test_outputs():
    x = np.arange(6.0, dtype="f4").reshape(2, 3)
    whole = np.zeros((3, 4), "f4")
    assert tf.einsum("ij->ji", x, out=whole[:, ::2]) is not None
    assert (whole[:, ::2] == x.T).all() and (whole[:, 1::2] == 0).all()
    read_only = np.zeros((3, 2), "f4")
    read_only.flags.writeable = False
    with pytest.raises(tf.ArgumentError, match="read-only"):
        tf.einsum("ij->ji", x, out=read_only)
    assert (read_only == 0).all()
    record = np.zeros((3, 2), [("tag", "u1"), ("value", "f4")])
    tf.einsum("ij->ji", x, out=record["value"])
    assert (record["value"] == x.T).all() and (record["tag"] == 0).all()
    x.flags.writeable = False
    assert tf.sum(x) == 15


def test_the_array_is_held_while_it_is_read():
    plan = tf.compile("ij,jk->ik", (300, 300), (300, 300))
    result = plan(np.ones((300, 300), "f4"), np.ones((300, 300), "f4"))
    assert (result == 300).all()
