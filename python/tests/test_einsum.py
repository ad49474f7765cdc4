"""einsum, plans and paths, against NumPy."""

import copy
import pickle

import numpy as np
import pytest

import tenfold as tf

EQUATIONS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("ij->ji", (3, 4)),
    ("ii", (4, 4)),
    ("ii->i", (4, 4)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("i,i->", (7,), (7,)),
    ("i,j->ij", (3,), (4,)),
    ("ij,j,jk->ik", (3, 4), (4,), (4, 5)),
    ("ab,bc,cd,de->ae", (2, 3), (3, 4), (4, 5), (5, 6)),
    ("ijk,jil->kl", (2, 3, 4), (3, 2, 5)),
    ("a,b->", (3,), (2,)),
    ("", ()),
    ("ij,ij->", (0, 3), (0, 3)),
]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i8", "u2", "c8", "c16"])
@pytest.mark.parametrize("case", EQUATIONS, ids=lambda case: case[0] or "empty")
def test_values_are_numpys(case, dtype):
    equation, *shapes = case
    rng = np.random.default_rng(0)
    operands = [(rng.standard_normal(shape) * 3).astype(dtype) for shape in shapes]
    if dtype[0] == "c":
        operands = [x + 1j * rng.standard_normal(x.shape).astype(dtype) for x in operands]
        operands = [np.asarray(x, dtype) for x in operands]
    ours = tf.einsum(equation, *operands)
    expected = np.einsum(equation, *operands)
    assert np.asarray(ours).dtype == expected.dtype and np.shape(ours) == expected.shape
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4)


def test_the_interleaved_form_types_that_meet_and_out():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12, dtype="i4").reshape(3, 4)
    np.testing.assert_allclose(tf.einsum(a, [0, 1], b, [1, 2], [0, 2]), a @ b)
    np.testing.assert_allclose(tf.einsum(a, [0, 1], b, [1, 2]), a @ b)
    np.testing.assert_allclose(tf.einsum(a, [Ellipsis, 0]), a.sum(0) * 0 + a)
    assert tf.einsum("ij->", np.ones((2, 2), "f4"), dtype="float64").dtype == np.float64
    out = np.zeros((2, 4))[:, ::-1]
    assert tf.einsum("ij,jk->ik", a, b, out=out) is out
    np.testing.assert_allclose(out, a @ b)
    truth = np.array([[True, False], [True, True]])
    assert tf.einsum("ij,jk->ik", truth, truth).tolist() == (truth @ truth).tolist()


def test_an_equation_error_has_its_place():
    with pytest.raises(tf.EquationError) as caught:
        tf.einsum("ijk,kl->ijl", np.zeros((2, 3, 4)), np.zeros((3, 5)))
    error = caught.value
    assert error.code == "equation-size" and error.label == "k"
    assert sorted(error.sizes) == [3, 4] and error.equation == "ijk,kl->ijl"
    assert "^ ^" in str(error) and isinstance(error, ValueError)
    assert pickle.loads(pickle.dumps(error)).sizes == error.sizes
    for bad in ("ij,jk->iz", "i;j->ij", "ij,jk->ikk", "ij->i->j", "i..j,jk->ik", "ij"):
        with pytest.raises(tf.EquationError):
            tf.einsum(bad, np.zeros((2, 2)), np.zeros((2, 2)))


def test_dialects_differ_where_the_standards_do():
    a, b = np.ones((2, 3)), np.ones(3)
    assert tf.einsum("...i,...i->...", a, b).shape == (2,)
    with pytest.raises(tf.EquationError):
        tf.einsum("...i,...i->...", a, b, dialect="onnx:12")
    assert tf.einsum("...i,...i->...", a, b, dialect="openvino").shape == (2,)
    with pytest.raises(tf.DTypeError):
        tf.einsum("i->", np.ones(3, bool), dialect="onnx:12")


def test_plans_run_pickle_explain_and_keep_constants():
    rng = np.random.default_rng(1)
    a, b, c = rng.random((4, 5)), rng.random((5, 6)), rng.random((6, 3))
    plan = tf.compile("ij,jk,kl->il", a, b, c)
    np.testing.assert_allclose(plan(a, b, c), a @ b @ c)
    out = np.empty((4, 3))
    assert plan(a, b, c, out=out) is out
    again = pickle.loads(pickle.dumps(plan))
    np.testing.assert_allclose(again(a, b, c), a @ b @ c)
    text = plan.explain()
    assert "block" in text or "small" in text
    assert len(text.to_dict()["steps"]) == 2 and text.svg().startswith("<svg")
    assert plan._repr_svg_().startswith("<svg") and plan.cost["flops"] > 0
    fixed = tf.compile("ij,jk,kl->il", a, b, c, constants=[1, 2])
    np.testing.assert_allclose(fixed(a), a @ b @ c)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(fixed))(a), a @ b @ c)
    from_shapes = tf.compile("ij,jk->ik", (2, 3), (3, 4))
    x, y = np.ones((2, 3), "f4"), np.ones((3, 4), "f4")
    assert from_shapes(x, y).tolist() == [[3] * 4] * 2
    with pytest.raises(tf.ShapeError):
        from_shapes(y, x)


def test_an_explanation_outlives_its_plan():
    """Copied and pickled, with all that it holds."""
    explanation = tf.compile("ij,jk->ik", (2, 3), (3, 4)).explain()
    for other in (copy.deepcopy(explanation), pickle.loads(pickle.dumps(explanation))):
        assert other == explanation and other.to_dict() == explanation.to_dict()
        assert other.svg() == explanation.svg() and other.dot() == explanation.dot()
        assert type(copy.copy(other)) is tf.Explanation


def test_a_path_comes_out_and_goes_in():
    a, b, c = np.ones((2, 9)), np.ones((9, 9)), np.ones((9, 2))
    path, text = tf.einsum_path("ij,jk,kl->il", a, b, c)
    assert path[0] == "einsum_path" and len(path) == 3 and "total" in text
    expected = np.einsum("ij,jk,kl->il", a, b, c)
    np.testing.assert_allclose(tf.einsum("ij,jk,kl->il", a, b, c, path=path), expected)
    np.testing.assert_allclose(np.einsum("ij,jk,kl->il", a, b, c, optimize=path), expected)
    numpys = np.einsum_path("ij,jk,kl->il", a, b, c)[0]
    np.testing.assert_allclose(tf.einsum("ij,jk,kl->il", a, b, c, path=numpys), expected)
    with pytest.raises(tf.ArgumentError):
        tf.einsum("ij,jk,kl->il", a, b, c, path=[(0, 7)])
    with pytest.raises(tf.MemoryLimitError):
        tf.einsum("ij,jk,kl->il", a, b, c, memory_limit=8)
    with pytest.raises(tf.ArgumentError):
        tf.einsum("ij,jk,kl->il", a, b, c, method="guess")


def test_any_number_of_operands():
    chain = [np.eye(2) for _ in range(300)]
    letters = [chr(0x4E00 + i) for i in range(301)]
    equation = ",".join(x + y for x, y in zip(letters, letters[1:], strict=False))
    result = tf.einsum(f"{equation}->{letters[0]}{letters[-1]}", *chain)
    assert result.tolist() == [[1, 0], [0, 1]]
