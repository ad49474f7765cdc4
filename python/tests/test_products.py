"""The array-API standard's products and orders of axes; Tenfold in opt_einsum and cotengra."""

import numpy as np
import pytest

import tenfold as tf

RNG = np.random.default_rng(3)


def array(*shape, dtype="f8"):
    x = RNG.standard_normal(shape)
    return (x + 1j * RNG.standard_normal(shape)).astype(dtype) if dtype[0] == "c" else x


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_tensordot(dtype):
    a, b = array(3, 4, 5, dtype=dtype), array(4, 3, 2, dtype=dtype)
    for axes in [([1, 0], [0, 1]), ((0,), (1,)), ([-2], 0), 0]:
        result = tf.tensordot(a, b, axes=axes)
        np.testing.assert_allclose(result, np.tensordot(a, b, axes=axes))
    np.testing.assert_allclose(
        tf.tensordot(a, a.transpose(1, 2, 0)), np.tensordot(a, a.transpose(1, 2, 0))
    )
    for axes in (3, -1, [[0], [3]]):
        with pytest.raises(tf.AxisError):
            tf.tensordot(a, array(2, 2), axes=axes)
    for axes in ([[0], [0]], [[0, 1], [1]]):  # 3 beside 4; two axes beside one
        with pytest.raises(tf.ShapeError):
            tf.tensordot(a, b, axes=axes)
    with pytest.raises(tf.AxisError):
        tf.tensordot(a, a, axes=([0, 0], [0, 0]))
    with pytest.raises(tf.ShapeError):
        tf.tensordot(np.ones((3, 1)), np.ones((4, 2)), axes=1)  # 1 doesn't stretch here


SHAPES = [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,))]
SHAPES += [((2, 1, 3, 4), (6, 4, 5)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((2, 0), (0, 3))]


@pytest.mark.parametrize("shapes", SHAPES)
def test_matmul(shapes):
    a, b = array(*shapes[0]), array(*shapes[1])
    result = tf.matmul(a, b)
    assert np.shape(result) == np.shape(np.matmul(a, b))
    np.testing.assert_allclose(result, np.matmul(a, b))


def test_matmul_refuses():
    for a, b in [((3, 1), (4, 5)), ((), (3,)), ((3,), ()), ((3, 4), (3,)), ((2, 3, 4), (3, 4, 5))]:
        with pytest.raises(ValueError):
            np.matmul(np.ones(a), np.ones(b))
        with pytest.raises((tf.ShapeError, tf.EquationError)):
            tf.matmul(np.ones(a), np.ones(b))


@pytest.mark.parametrize("dtype", ["f8", "c8", "c16"])
def test_vecdot(dtype):
    a, b = array(2, 1, 4, dtype=dtype), array(3, 4, dtype=dtype)
    before = a.copy()
    expected = (np.conj(a) * b).sum(-1)
    np.testing.assert_allclose(tf.vecdot(a, b), expected, rtol=1e-4)
    np.testing.assert_allclose(
        tf.vecdot(a.transpose(0, 2, 1), b[:, :, None].transpose(2, 1, 0), axis=-2), expected, 1e-4
    )
    assert (a == before).all()
    with pytest.raises(tf.ShapeError):
        tf.vecdot(np.ones((2, 1)), np.ones((2, 3)))
    with pytest.raises(tf.AxisError):
        tf.vecdot(a, b, axis=2)


def test_axes_in_another_order_are_views():
    x = array(2, 3, 4)
    for ours, theirs in [
        (tf.permute_dims(x, (2, 0, -2)), x.transpose(2, 0, 1)),
        (tf.transpose(x), x.T),
        (tf.transpose(x, (1, 0, 2)), x.transpose(1, 0, 2)),
        (tf.matrix_transpose(x), x.swapaxes(1, 2)),
    ]:
        assert np.shares_memory(ours, x) and (ours == theirs).all()
    for axes in [(0, 1), (0, 0, 1), (0, 1, 3)]:
        with pytest.raises(tf.AxisError):
            tf.permute_dims(x, axes)
    with pytest.raises(tf.ShapeError):
        tf.matrix_transpose(np.ones(3))


NETWORKS = [(5, 3, 2), (8, 3, 0), (14, 3, 4)]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_opt_einsum_with_the_backend_and_the_paths(network):
    opt_einsum = pytest.importorskip("opt_einsum")
    from opt_einsum.testing import rand_equation

    count, regularity, out = network
    equation, shapes = rand_equation(count, regularity, out, d_min=2, d_max=3, seed=7)
    operands = [array(*shape) for shape in shapes]
    expected = np.einsum(equation, *operands, optimize="greedy")
    for optimize in ("auto", tf.path_optimizer):
        result = opt_einsum.contract(equation, *operands, backend="tenfold", optimize=optimize)
        np.testing.assert_allclose(result, expected, rtol=1e-8, atol=1e-9)
    path, info = opt_einsum.contract_path(equation, *operands, optimize=tf.path_optimizer)
    assert all(len(step) <= 2 for step in path) and len(path) >= count - 1
    greedy = opt_einsum.contract_path(equation, *operands, optimize="greedy")[1]
    assert float(info.opt_cost) <= 1.01 * float(greedy.opt_cost)
    np.testing.assert_allclose(tf.einsum(equation, *operands, path=path), expected, 1e-8, 1e-9)


def test_a_path_within_a_limit_of_memory():
    inputs, output = [{"a", "b"}, {"b", "c"}, {"c", "d"}], {"a", "d"}
    sizes = {"a": 10, "b": 4, "c": 5, "d": 10}
    path = tf.path_optimizer(inputs, output, sizes, 50)
    assert path in ([(0, 1), (0, 1)], [(1, 2), (0, 1)])
    assert tf.path_optimizer(inputs, output, sizes, 45) == [(1, 2), (0, 1)]  # 40, not 50
    assert tf.path_optimizer(inputs, output, sizes, 30) == [(0, 1, 2)]


class Tree:
    """What a contraction tree offers."""

    def get_path(self):
        return [(1, 2), (0, 1)]


def test_a_tree_is_a_path():
    a, b, c = array(2, 3), array(3, 4), array(4, 5)
    np.testing.assert_allclose(tf.einsum("ij,jk,kl->il", a, b, c, path=Tree()), a @ b @ c)
    plan = tf.compile("ij,jk,kl->il", a, b, c, path=Tree())
    assert plan.path == [(1, 2), (0, 1)]
    cotengra = pytest.importorskip("cotengra")
    inputs = [("i", "j"), ("j", "k"), ("k", "l")]
    sizes = {"i": 2, "j": 3, "k": 4, "l": 5}
    tree = cotengra.array_contract_tree(inputs, ("i", "l"), sizes, optimize=tf.path_optimizer)
    np.testing.assert_allclose(tf.einsum("ij,jk,kl->il", a, b, c, path=tree), a @ b @ c)
