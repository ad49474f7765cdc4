"""tenfold.compat.numpy.einsum beside numpy.einsum: the same answers, refusals, views, strides."""

import os
import pathlib
import random
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import tenfold as tf
from tenfold.compat.numpy import einsum

TYPES = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "O", "g", "G", ">f8"]


class Cases:
    """Random calls. An equation may be wrong, its operands may not fit, the arguments neither."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def array(self, shape, dtype):
        x = np.asarray(np.abs(self.numbers.integers(-3, 4, size=shape))).astype(dtype)
        if np.dtype(dtype).kind in "ifcg":
            x = np.asarray(x * np.array(self.random.choice([1, -1]), dtype), dtype)
        if x.dtype.kind == "c":
            x = np.asarray(x + 1j * self.numbers.integers(-3, 4, size=shape), dtype)
        if shape:
            order = self.random.sample(range(x.ndim), x.ndim)
            x = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
        if self.random.random() < 0.2:
            x = x[(..., *(slice(None, None, self.random.choice([1, -1])) for _ in x.shape))]
        return x

    def equation(self):
        choice, chance = self.random.choice, self.random.random
        sizes = {label: choice([2, 3, 4]) for label in "ijkAb"}
        if chance() < 0.1:
            sizes[choice("ijkAb")] = choice([0, 1])
        dots = [choice([1, 2, 3]) for _ in range(2)]
        terms, shapes = [], []
        for _ in range(choice([1, 1, 2, 2, 2, 3, 4])):
            letters = [choice("ijkAb") for _ in range(choice([0, 1, 1, 2, 2, 3]))]
            shape = [1 if chance() < 0.1 else sizes[label] for label in letters]
            if chance() < 0.3:
                count, at = choice([0, 1, 2]), self.random.randrange(len(letters) + 1)
                shape[at:at] = [1 if chance() < 0.2 else n for n in dots[2 - count :]]
                letters.insert(at, "...")
            if chance() < 0.03 and shape:
                shape[0] += 1
            terms.append("".join(letters))
            shapes.append(tuple(shape))
        equation = ",".join(terms)
        if chance() < 0.6:
            labels = sorted(set(equation) - set(".,"))
            output = self.random.sample(labels, self.random.randrange(len(labels) + 1))
            if "." in equation and chance() < 0.9:
                output.insert(self.random.randrange(len(output) + 1), "...")
            if chance() < 0.05:
                output.append(choice(["z", "i", "é", "%", "."]))
            equation += "->" + "".join(output)
        if chance() < 0.1:
            at = self.random.randrange(len(equation) + 1)
            equation = equation[:at] + " " + equation[at:]
        return equation, shapes

    def call(self, optimize):
        choice, chance = self.random.choice, self.random.random
        equation, shapes = self.equation()
        # With optimize NumPy sums small types before it multiplies: there all have one type.
        types = TYPES if not optimize else TYPES[3:]
        kinds = [choice(types)] * len(shapes)
        if not optimize and chance() < 0.5:
            kinds = [choice(types) for _ in shapes]
        arguments = {"optimize": optimize}
        if chance() < 0.3:
            arguments["order"] = choice("CFAKcf")
        if chance() < 0.25:
            arguments["dtype"] = choice(TYPES[:-1])  # NumPy's '>f8' results are wrong
        if chance() < 0.25:
            arguments["casting"] = choice(["no", "equiv", "safe", "same_kind", "unsafe"])
        operands = [self.array(*each) for each in zip(shapes, kinds, strict=True)]
        return equation, operands, arguments


def answer(function, equation, operands, arguments):
    try:
        with np.errstate(all="ignore"):
            return function(equation, *operands, **arguments)
    except Exception as error:
        return error


def compare(theirs, ours, what):
    refused = [isinstance(each, Exception) for each in (theirs, ours)]
    assert refused[0] == refused[1], (what, theirs, ours)
    if refused[0]:
        kinds = (ValueError, TypeError, KeyError, RuntimeError, IndexError)
        assert any(isinstance(theirs, k) and isinstance(ours, k) for k in kinds), (what, ours)
        return False
    assert type(theirs) is type(ours), what
    x, y = np.asarray(theirs), np.asarray(ours)
    assert (x.dtype, x.shape) == (y.dtype, y.shape), what
    if x.dtype.kind in "?biuO":
        assert (x == y).all(), what
    else:
        loose = 2e-2 if "float16" in str(what) else 1e-5
        np.testing.assert_allclose(y.astype("G"), x.astype("G"), loose, 1e-3, err_msg=str(what))
    return True


def described(equation, operands, arguments):
    return equation, [(x.dtype.name, x.shape, x.strides) for x in operands], arguments


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(6))
def test_random_calls_do_what_numpys_do(seed):
    cases, ran = Cases(seed), 0
    for _ in range(400):
        equation, operands, arguments = cases.call(optimize=False)
        what = described(equation, operands, arguments)
        out = None
        theirs = answer(np.einsum, equation, operands, arguments)
        if cases.random.random() < 0.3 and not isinstance(theirs, Exception):
            shape, kind = np.shape(theirs), np.asarray(theirs).dtype
            if cases.random.random() < 0.5:
                kind = cases.random.choice(TYPES)
            if cases.random.random() < 0.2 and shape:
                shape = (shape[0] + 1, *shape[1:])
            out = np.zeros(shape, kind)
            theirs = answer(np.einsum, equation, operands, {**arguments, "out": np.zeros_like(out)})
            arguments["out"] = out
        ours = answer(einsum, equation, operands, arguments)
        if not compare(theirs, ours, what):
            continue
        again = answer(einsum, equation, operands, arguments)
        compare(theirs, again, what)  # a call that was seen before may take a shorter way
        assert getattr(again, "strides", None) == getattr(ours, "strides", None), what
        ran += 1
        if out is not None:
            assert ours is out
        elif isinstance(theirs, np.ndarray) and theirs.size:
            shared = [np.may_share_memory(each, operands[0]) for each in (theirs, ours)]
            assert shared[0] == shared[1] and theirs.flags.writeable == ours.flags.writeable, what
            long = [i for i, n in enumerate(theirs.shape) if n > 1]
            expected = [theirs.strides[i] for i in long]
            assert [ours.strides[i] for i in long] == expected, what
    assert ran > 100


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(3))
def test_random_calls_with_optimize_do_what_numpys_do(seed):
    cases, ran = Cases(100 + seed), 0
    while ran < 150:
        method = cases.random.choice([True, "greedy", "optimal", None, ("greedy", 10)])
        equation, operands, arguments = cases.call(method)
        # Of objects NumPy's matmul makes NumPy scalars. Of more than two operands the last step of
        # NumPy's own order decides on casts, and between a scalar and an array without axes.
        if operands[0].dtype == object or "O" in arguments.values():
            continue
        if len(operands) > 2:
            arguments = {"optimize": method}
        theirs, ours = (answer(f, equation, operands, arguments) for f in (np.einsum, einsum))
        if len(operands) > 2 and not isinstance(theirs, Exception):
            theirs = np.asarray(theirs)
            ours = ours if isinstance(ours, Exception) else np.asarray(ours)
        ran += compare(theirs, ours, described(equation, operands, arguments))


def test_what_only_tenfold_takes_is_refused():
    x = np.ones((2, 3))
    for arguments in [("éa->a", x), ("...a->a", x), ("ab- >a", x), ("ab->a. ..", x)]:
        with pytest.raises(ValueError):
            np.einsum(*arguments)
        with pytest.raises(tf.EquationError):
            einsum(*arguments)
    with pytest.raises(TypeError):
        einsum("ij->", x.astype(ml_dtypes.bfloat16))
    with pytest.raises(TypeError):
        einsum("i->", np.array(["a", "b"]))
    with pytest.raises(tf.EquationError) as caught:
        einsum("ij,jk->ik", x, x)
    assert caught.value.code == "equation-size" and caught.value.label == "j"


def test_paths_as_numpy_takes_them():
    a, b, c = np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 2))
    path = np.einsum_path("ij,jk,kl->il", a, b, c)[0]
    assert einsum("ij,jk,kl->il", a, b, c, optimize=path).tolist() == [[12, 12]] * 2
    wrong = {
        RuntimeError: ["einsum_path", (0, 1)],
        IndexError: ["einsum_path", (0, 5), (0, 1)],
        TypeError: [(0, 1), (0, 1)],
        KeyError: "no such method",
    }
    for error, optimize in wrong.items():
        for function in (np.einsum, einsum):
            with pytest.raises(error):
                function("ij,jk,kl->il", a, b, c, optimize=optimize)


def test_imaginary_parts_are_dropped_with_numpys_warning():
    x = np.array([1 + 2j, 3 - 1j])
    with pytest.warns(np.exceptions.ComplexWarning):
        assert einsum("i->", x, dtype="f8", casting="unsafe") == 4.0


def test_tenfolds_einsum_has_numpys_arguments():
    a = np.ones((2, 3))
    assert tf.einsum("ij,kj->ik", a, a, optimize=True).tolist() == [[3, 3]] * 2
    assert tf.einsum("ij,ij->ij", a, a, order="F").flags.f_contiguous
    with pytest.raises(ValueError):
        tf.einsum("ij->", a, casting="sometimes")
    with pytest.raises(TypeError):
        tf.einsum("ij->", a, no_such=1)
    with pytest.raises(TypeError):
        tf.einsum("ij->", a, order="C", threads=2)


def test_it_is_there_without_an_import_of_its_own():
    """In an interpreter that has imported nothing else."""
    code = "import tenfold as tf; print(tf.compat.numpy.einsum('ii', [[1, 2], [3, 4]]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(tf.__file__).parents[1])},
    )
    assert done.stdout == "5\n", done.stderr
