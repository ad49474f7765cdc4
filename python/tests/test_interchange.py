"""Arrays of other libraries: what only DLPack describes; PyTorch's tensors and JAX's arrays, where
these are installed (bench/.venv has them), come in without a copy and back as what they were."""

import pickle

import numpy as np
import pytest

import tenfold as tf

TYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int8", "bool", "complex64"]


class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_alone():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (x, x.T, x[:, ::2], x[1], x[:0]):
        assert (tf.sum(OnlyDLPack(view), axis=0) == view.sum(0)).all()
    assert (tf.einsum("abc->cb", OnlyDLPack(x)) == np.einsum("abc->cb", x)).all()
    plan = tf.compile("ij,jk->ik", (2, 3), (3, 4))
    a, b = x[0, :2, :3], x[1]
    assert (tf.einsum("ij,jk->ik", OnlyDLPack(a), b) == a @ b).all()
    assert type(plan(OnlyDLPack(np.ascontiguousarray(a)), b)) is np.ndarray


# What looks at its operand in Python before the library does, of one matrix of floats.
FACES = {
    "where": lambda x: tf.sum(x, axis=0, where=[[True], [False]]),
    "initial": lambda x: tf.max(x, axis=1, initial=2),
    "out": lambda x: tf.mean(x, axis=0, out=np.empty(3)),
    "argmax": lambda x: tf.argmax(x),
    "matmul": lambda x: tf.matmul(x, x.T if hasattr(x, "T") else np.ones((3, 1), "f4")),
    "tensordot": lambda x: tf.tensordot(x, x, ([0, 1], [0, 1])),
    "vecdot": lambda x: tf.vecdot(x, x),
    "permute_dims": lambda x: tf.permute_dims(x, (1, 0)),
    "transpose": lambda x: tf.transpose(x),
    "matrix_transpose": lambda x: tf.matrix_transpose(x),
    "named": lambda x: tf.named.reduce(x, "i (j k) -> i j", "max", k=3),
    "pickled": lambda x: pickle.loads(pickle.dumps(tf.compile("ij,kj->ik", x, x)))(x, x),
}


@pytest.mark.parametrize("face", FACES)
def test_every_face_takes_what_only_dlpack_describes(face):
    x = np.array([[1, 5, 3], [4, 2, 6]], np.float32)
    got = FACES[face](OnlyDLPack(x))
    expected = FACES[face](x) if face != "matmul" else x @ np.ones((3, 1), "f4")
    assert type(got) is type(expected) and np.array_equal(got, expected)


class Lazy(OnlyDLPack):
    """As PyTorch's x.conj() and x.conj().imag: the memory has what they are made from."""

    def is_conj(self):
        return self.array.dtype.kind == "c"

    def is_neg(self):
        return not self.is_conj()

    def resolve_conj(self):
        return OnlyDLPack(self.array.conj())

    def resolve_neg(self):
        return OnlyDLPack(-self.array)


def test_lazy_conjugates_and_negatives_are_resolved():
    x = np.array([1 + 2j, 3 - 4j], np.complex64)
    assert tf.einsum("i->i", Lazy(x)).tolist() == [1 - 2j, 3 + 4j]
    assert tf.sum(Lazy(np.float32([1, 2]))) == -3


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


@pytest.mark.parametrize("name", TYPES)
def test_torch(torch, name):
    kind = getattr(torch, name)
    x = torch.arange(24).reshape(2, 3, 4).to(kind)
    for view in (x, x.permute(2, 0, 1), x[:, ::2], x.transpose(0, 1)[1:]):
        result = tf.einsum("abc->cba", view)
        assert type(result) is torch.Tensor and result.dtype == kind
        assert torch.equal(result, torch.einsum("abc->cba", view))
    product = tf.einsum("abc,abc->a", x, x)
    assert type(product) is torch.Tensor and product.dtype == kind
    if name not in ("bool", "complex64"):
        wide = x.to(torch.float64)
        assert torch.equal(tf.max(x, axis=1), x.amax(1))
        assert torch.allclose(tf.sum(x, axis=(0, 2)).to(torch.float64), wide.sum((0, 2)), rtol=0.01)
        assert tf.reduce(x, "ReduceMax", axes=[0], keepdims=0, dialect="onnx").dtype == kind
    scalar = tf.einsum("abc->", x)
    assert type(scalar) is torch.Tensor and scalar.shape == ()


def test_torch_is_not_copied(torch):
    x = torch.zeros(3, 4)
    plan = tf.compile("ij->ji", x)
    assert torch.equal(plan(x), x.T)
    x.view(-1)[5] = 7  # read where it lies: by the plan's next call too
    assert torch.equal(plan(x), x.T)
    out = torch.empty(4, 3)
    assert tf.einsum("ij->ji", x, out=out.numpy()) is not None
    assert torch.equal(out, x.T)


def test_results_carry_no_gradient(torch):
    x = torch.ones(3, requires_grad=True)
    for result in (tf.sum(x), tf.einsum("i->i", x)):
        assert type(result) is torch.Tensor and not result.requires_grad
    assert x.requires_grad


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("name", ["bfloat16", "float32"])
def test_every_face_takes_a_tensor(torch, face, name):
    x = torch.tensor([[1, 5, 3], [4, 2, 6]], dtype=getattr(torch, name))
    expected = FACES[face](x.to(torch.float64).numpy())
    for tensor in (x, x.clone().requires_grad_(), x.T.contiguous().T):
        got = FACES[face](tensor)
        assert (type(got) is np.ndarray) == (face == "out")
        assert np.array_equal(torch.as_tensor(got).to(torch.float64).numpy(), expected)
    for elsewhere in (x.to("meta"), x.to_sparse()):
        with pytest.raises(TypeError, match="memory of the CPU"):
            FACES[face](elsewhere)


def test_lazy_tensors(torch):
    x = torch.tensor([[1 + 2j, 3 - 4j]])
    for lazy in (x.conj(), x.mH, x.conj().imag, x.conj()[:, 1]):
        assert lazy.is_conj() or lazy.is_neg()
        assert torch.equal(tf.einsum("...->...", lazy), lazy.resolve_conj().resolve_neg())
        assert torch.equal(tf.einsum("...,->...", lazy, 2.0), 2 * lazy)
    assert tf.vecdot(x.conj(), x).item() == (x * x).sum().item()


def test_a_plan_with_a_constant_tensor_is_pickled(torch):
    x = torch.tensor([[1.0, 2.0]])
    for at in (0, 1):
        plan = pickle.loads(pickle.dumps(tf.compile("ij,kj->ik", x, x, constants=[at])))
        assert torch.equal(plan(x), x @ x.T)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("name", ["bfloat16", "float32"])
def test_every_face_takes_a_jax_array(jax, face, name):
    x = jax.numpy.asarray([[1, 5, 3], [4, 2, 6]], name)
    got = FACES[face](x)
    assert isinstance(got, np.ndarray if face == "out" else jax.Array)
    expected = FACES[face](np.asarray(x).astype(np.float64))
    assert np.array_equal(np.asarray(got).astype(np.float64), expected)


@pytest.mark.parametrize("name", [n for n in TYPES if n not in ("float64", "int64")])
def test_jax(jax, name):
    numpy = jax.numpy
    x = numpy.arange(24).reshape(2, 3, 4).astype(name)
    result = tf.einsum("abc->cba", x)
    assert isinstance(result, jax.Array) and result.dtype == x.dtype
    assert (result == numpy.einsum("abc->cba", x)).all()
    product = tf.einsum("abc,abc->a", x, x)
    assert isinstance(product, jax.Array) and product.dtype == x.dtype
    if name not in ("bool", "complex64"):
        assert (tf.max(x, axis=1) == x.max(1)).all()
        assert isinstance(tf.logsumexp(x.astype("float32")), jax.Array)
    scalar = tf.einsum("abc->", x)
    assert isinstance(scalar, jax.Array) and scalar.shape == ()


def test_mixed_operands_give_the_kind_of_the_first(torch):
    a, b = np.ones((2, 3), np.float32), torch.ones(3, 4)
    assert type(tf.einsum("ij,jk->ik", a, b)) is np.ndarray
    assert type(tf.einsum("jk,ij->ik", b, a)) is torch.Tensor
