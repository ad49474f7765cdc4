"""Named axes, and products folded by other operators than the sum, against NumPy."""

import itertools
import pickle

import numpy as np
import pytest

import tenfold as tf
from tenfold import named

rng = np.random.default_rng(7)
X = rng.standard_normal((2, 3, 4, 6))


def logsumexp(x, axis):
    with np.errstate(divide="ignore"):
        return np.log(np.exp(x).sum(axis))


NUMPYS = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "prod": np.prod,
    "l1": lambda x, axis: np.abs(x).sum(axis),
    "l2": lambda x, axis: np.sqrt((x * x).sum(axis)),
    "logsum": lambda x, axis: np.log(x.sum(axis)),
    "logsumexp": logsumexp,
    "sumsquare": lambda x, axis: (x * x).sum(axis),
    "any": np.any,
    "all": np.all,
}


def test_contractions_are_those_of_single_letters():
    q, k = rng.random((2, 3, 4, 5)), rng.random((2, 3, 6, 5))
    scores = named.einsum("batch head q d, batch head k d -> batch head q k", q, k)
    np.testing.assert_allclose(scores, np.einsum("bhqd,bhkd->bhqk", q, k))
    square = rng.random((4, 4, 5))
    np.testing.assert_allclose(
        named.einsum("row row col -> col row", square), np.einsum("rrc->cr", square)
    )
    np.testing.assert_allclose(named.einsum("... dim, ... dim -> ...", q, q), (q * q).sum(-1))
    np.testing.assert_allclose(named.einsum("first...,first...->...", q, q), (q * q).sum(0))
    np.testing.assert_allclose(
        named.einsum("a, b_2 -> b_2 a", np.ones(2), np.arange(3)), [[0, 0], [1, 1], [2, 2]]
    )
    assert named.einsum("->", np.float64(3)) == 3
    out = np.empty((2, 3, 4, 6))
    assert named.einsum("b h q d, b h k d -> b h q k", q, k, out=out) is out
    np.testing.assert_allclose(out, scores)
    assert named.einsum("bi ij, ij bj -> bi bj", np.ones((2, 3)), np.ones((3, 4))).shape == (2, 4)


@pytest.mark.parametrize(
    "equation, operands, code, label, words, sizes",
    [
        ("b q dim, b k dim -> b q k", [(2, 3, 5), (2, 3, 4)],
         "equation-size", "dim", ["dim", "dim"], (5, 4)),
        ("été k, k b -> b", [(2, 3), (4, 5)], "equation-size", "k", ["k", "k"], (3, 4)),
        ("row row -> row", [(2, 3)], "equation-size", "row", ["row", "row"], (2, 3)),
        ("a b, b -> wrong", [(2, 3), (3,)], "equation-output", "wrong", ["wrong"], ()),
        ("a b -> a a", [(2, 3)], "equation-output", "a", ["a", "a"], ()),
        ("a b, b cc -> a", [(2, 3), (3,)], "equation-rank", "", ["b cc"], (1,)),
        ("a b, b -> a", [(2, 3)], "equation-operands", "", ["b"], ()),
        ("a b -> a", [(2, 3), (3,)], "equation-operands", "", [""], ()),
        ("... a, ... -> a", [(2, 3), (4,)], "equation-size", "...", ["...", "..."], (2, 4)),
        ("a b", [(2, 3)], "equation-syntax", "", [""], ()),
        ("a b -> a -> b", [(2, 3)], "equation-syntax", "", ["->"], ()),
        ("a b -> a, b", [(2, 3)], "equation-syntax", "", [","], ()),
        ("a ; b -> a", [(2, 3)], "equation-syntax", "", [";"], ()),
        ("a 2b -> a", [(2, 3)], "equation-syntax", "", ["2"], ()),
        ("... a ... -> a", [(2, 3)], "equation-syntax", "", ["...", "..."], ()),
        ("(a b) -> a", [(6,)], "equation-syntax", "", ["(a b)"], ()),
        ("a 1 -> a", [(6, 1)], "equation-syntax", "", ["1"], ()),
        ("a (b -> a", [(6, 1)], "equation-syntax", "", ["(b "], ()),
        ("a b) -> a", [(6, 1)], "equation-syntax", "", [")"], ()),
        ("((a) b) -> a", [(6, 1)], "equation-syntax", "", ["("], ()),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place_in_the_named_equation(
    equation, operands, code, label, words, sizes
):
    with pytest.raises(tf.EquationError) as caught:
        named.einsum(equation, *map(np.zeros, operands))
    error = caught.value
    text = equation.encode()
    marked = [text[m.offset : m.offset + m.length].decode() for m in error.marks]
    assert (error.code, error.equation, error.label) == (code, equation, label)
    assert marked == words and error.sizes == sizes
    assert f"\n  {equation}\n" in str(error) and "^" in str(error)
    assert str(error).startswith("[named.einsum] ") and "label" not in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert again.marks == error.marks and str(again) == str(error)


def test_names_are_words():
    with pytest.raises(tf.EquationError):
        named.einsum("ij,jk->ik", np.ones((2, 3)), np.ones((3, 4)))
    with pytest.raises(tf.EquationError):
        tf.einsum("row col -> row", np.ones((2, 3)))
    with pytest.raises(TypeError):
        named.einsum(np.ones(2), "a -> a")


@pytest.mark.parametrize("op", NUMPYS)
def test_every_operator(op):
    x = np.abs(X) if op == "logsum" else X > 0 if op in ("any", "all") else X
    got = named.reduce(x, "b c (h 2) (w 3) -> c b w h", op)
    want = NUMPYS[op](x.reshape(2, 3, 2, 2, 2, 3), (3, 5)).transpose(1, 0, 3, 2)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    "equation, sizes, numpys",
    [
        ("b c h w -> b c", {}, lambda x: x.sum((2, 3))),
        ("b c h w ->", {}, lambda x: x.sum()),
        ("b c h w -> w h c b", {}, lambda x: x.T),
        ("b c h w -> b (h w) c", {}, lambda x: x.transpose(0, 2, 3, 1).reshape(2, 24, 3)),
        ("b c h w -> b 1 (c 1) ()", {}, lambda x: x.sum((2, 3))[:, None, :, None]),
        ("... w -> w ...", {}, lambda x: x.transpose(3, 0, 1, 2)),
        ("b ... -> b", {}, lambda x: x.sum((1, 2, 3))),
        ("... -> ...", {}, lambda x: x),
        ("... -> (...)", {}, lambda x: x.reshape(-1)),
        ("b ... w -> (w ...) b", {}, lambda x: x.transpose(3, 1, 2, 0).reshape(72, 2)),
        ("b (c c2) (h h2) w -> h2 c", {"c": 3, "h2": 2},
         lambda x: x.reshape(2, 3, 1, 2, 2, 6).sum((0, 2, 3, 5)).T),
        ("2 c (2 h) (w 3) -> c w", {}, lambda x: x.reshape(2, 3, 2, 2, 2, 3).sum((0, 2, 3, 5))),
        ("b c h w -> b c h w", {"w": 6}, lambda x: x),
        ("b c (s h) (s w) -> b s", {"s": 2},
         lambda x: np.einsum("bcshsw->bs", x.reshape(2, 3, 2, 2, 2, 3))),
    ],
)  # fmt: skip
def test_every_form(equation, sizes, numpys):
    for order in itertools.permutations(range(4)):  # any strides: the equation sees the same array
        inverse = np.argsort(order)
        x = np.ascontiguousarray(X.transpose(order)).transpose(inverse)
        want = numpys(x)
        got = named.reduce(x, equation, "sum", **sizes)
        assert np.shape(got) == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            named.reduce(x[::-1, :, ::-1], equation, "sum", **sizes),
            numpys(x[::-1, :, ::-1]),
            rtol=1e-12,
            atol=1e-12,
        )


def test_the_operand_is_read_where_it_lies():
    """A copy of this one would take 80 GB."""
    x = np.broadcast_to(np.float64(1), (100, 100_000, 1000))[:, :, ::-1]
    pattern = named._Pattern(named.Equation("a (b 10) c -> c a", "test"), x.shape, {})
    view = pattern.view_of(x)
    assert view.shape == (1000, 100, 10_000, 10) and np.may_share_memory(view, x)
    small = np.arange(36.0).reshape(6, 6)
    pattern = named._Pattern(named.Equation("(i 2) (i 2) -> i", "test"), small.shape, {})
    assert np.may_share_memory(pattern.view_of(small), small)


def test_out_dtype_and_scalars():
    out = np.empty((3, 2))
    assert named.reduce(X, "b c h w -> c b", "max", out=out) is out
    np.testing.assert_array_equal(out, X.max((2, 3)).T)
    strided = np.zeros((6, 4))[:, ::2]  # no view of it has the axes b and c
    assert named.reduce(X, "b c h w -> (b c) 1", "max", out=strided[:, :1]).shape == (6, 1)
    np.testing.assert_array_equal(strided[:, 0], X.max((2, 3)).reshape(-1))
    odd = np.zeros((12, 3))[::2]
    named.reduce(X, "b c h w -> (b c) (1 1)", "min", out=odd[:, 1:2])
    np.testing.assert_array_equal(odd[:, 1], X.min((2, 3)).reshape(-1))
    whole = np.zeros((3, 4)).T[::2]  # (c b) is split, but not along one stride
    named.reduce(X[:, :, 0, :2], "b c w -> w (c 1)", "sum", out=whole)
    np.testing.assert_allclose(whole, X[:, :, 0, :2].sum(0).T)
    assert type(named.reduce(X, "b c h w ->", "sum")) is np.float64
    small = np.full((4, 2), 100, np.int8)
    assert named.reduce(small, "i j -> i", "sum").dtype == np.int64
    assert named.reduce(small, "i j -> i", "sum", dtype="int16").dtype == np.int16
    with pytest.raises(tf.EquationError):
        named.reduce(X, "b c h w -> c b", "max", out=np.empty((2, 3)))
    with pytest.raises(TypeError):
        named.reduce(np.ma.ones((2, 3)), "a b -> a", "sum")
    assert named.reduce([[1, 2], [3, 4]], "i j -> j", "sum").tolist() == [4, 6]


@pytest.mark.parametrize(
    "equation, sizes, code, words",
    [
        ("b c (h 5) w -> b", {}, "equation-size", ["(h 5)"]),
        ("b c (h h2) w -> b", {"h": 2, "h2": 3}, "equation-size", ["(h h2)"]),
        ("b c 5 w -> b", {}, "equation-size", ["5"]),
        ("b c h w -> b", {"h": 3}, "equation-size", ["h"]),
        ("b c (h h2) w -> b", {}, "equation-size", ["h", "h2"]),
        ("b c h h -> b", {}, "equation-size", ["h", "h"]),
        ("b c (h 2) (h 2) -> b", {}, "equation-size", ["h", "h"]),
        ("b c h -> b", {}, "equation-rank", ["b c h"]),
        ("b c h w g ... -> b", {}, "equation-rank", ["b c h w g ..."]),
        ("b c h w -> b z", {}, "equation-output", ["z"]),
        ("b c h w -> b (c b)", {}, "equation-output", ["b", "b"]),
        ("b c h w -> b 2", {}, "equation-syntax", ["2"]),
        ("b c h w -> ... b", {}, None, None),
        ("b (... c) -> b", {}, "equation-rank", ["b (... c)"]),
        ("b c h (... w) -> b", {}, "equation-syntax", ["..."]),
        ("b c h w -> b", {"z": 3}, "equation-syntax", [""]),
        ("b c h w -> b", {"w": -1}, "equation-syntax", [""]),
        ("b c h w, b -> b", {}, "equation-operands", ["b"]),
        ("b c h w", {}, "equation-syntax", [""]),
    ],
)  # fmt: skip
def test_a_reduction_that_does_not_fit(equation, sizes, code, words):
    if code is None:  # an ellipsis of no axes
        assert named.reduce(X, equation, "max", **sizes).shape == (2,)
        return
    with pytest.raises(tf.EquationError) as caught:
        named.reduce(X, equation, "max", **sizes)
    error = caught.value
    text = equation.encode()
    assert error.code == code and error.equation == equation
    assert [text[m.offset : m.offset + m.length].decode() for m in error.marks] == words


def test_an_unknown_operator_and_empty_sets():
    with pytest.raises(tf.ArgumentError):
        named.reduce(X, "b c h w -> b", "argmax")
    with pytest.raises(tf.ShapeError):
        named.reduce(np.ones((2, 0)), "a b -> a", "max")
    assert named.reduce(np.ones((2, 0)), "a (b 3) -> b a", "sum").shape == (0, 2)


FOLDS = ["max", "min", "prod", "logsumexp"]


@pytest.mark.parametrize("op", FOLDS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1", "?"])
def test_products_folded(op, dtype):
    a = (rng.random((5, 9)) * 3).astype(dtype)
    b = (rng.random((9, 6)) * 3).astype(dtype)
    wide = {"prod": "i8", "logsumexp": "f8"}.get(op) if a.dtype.kind in "iub" else None
    if op == "prod" and dtype == "u1":
        wide = "u8"
    x, y = (z.astype(wide) if wide else z for z in (a, b))
    if dtype == "f2":
        x, y = x.astype("f4"), y.astype("f4")
    want = NUMPYS[op](x[:, :, None] * y, 1)
    got = tf.einsum("ij,jk->ik", a, b, reduce=op)
    assert got.dtype == (a.dtype if wide is None else np.dtype(wide))
    tolerance = {"f2": 2e-3, "f4": 1e-5}.get(dtype, 1e-12)
    np.testing.assert_allclose(got, want, rtol=tolerance)
    out = np.empty((6, 5), got.dtype).T
    assert tf.einsum("ij,jk->ik", a, b, reduce=op, out=out) is out
    np.testing.assert_array_equal(out, got)
    np.testing.assert_array_equal(tf.einsum(a, [0, 1], b, [1, 2], [0, 2], reduce=op), got)
    np.testing.assert_array_equal(named.einsum("from via, via to -> from to", a, b, reduce=op), got)


def test_products_folded_in_many_pieces():
    a, b = rng.standard_normal((40, 3000)), rng.standard_normal((3000, 50))
    for op in FOLDS:
        x, y = (np.abs(a), np.abs(b)) if op == "prod" else (a, b)
        want = np.stack([NUMPYS[op](row[:, None] * y, 0) for row in x])
        got = tf.einsum("ij,jk->ik", x, y, reduce=op)
        np.testing.assert_allclose(got, want, rtol=1e-9)
        for threads in (1, 2):
            again = tf.einsum("ij,jk->ik", x, y, reduce=op, threads=threads)
            np.testing.assert_array_equal(again, got)


def test_a_fold_that_cannot_be():
    a = np.ones((2, 3))
    with pytest.raises(tf.ArgumentError):
        tf.einsum("ij,ij->i", a, a, reduce="best")
    with pytest.raises(tf.ArgumentError):
        tf.einsum("ij,ij->i", a, a, reduce="mean")
    with pytest.raises(tf.DTypeError):
        tf.einsum("ij,ij->i", a, a + 0j, reduce="max")
    with pytest.raises(tf.ShapeError):
        tf.einsum("ij,ij->i", a[:, :0], a[:, :0], reduce="max")
    with pytest.raises(tf.EquationError) as caught:
        tf.einsum("ij,jk->ik", a, a, reduce="max")
    assert caught.value.label == "j"
    assert tf.einsum("ij,ij->i", a, np.full((2, 3), np.nan), reduce="max").tolist() != [1, 1]
