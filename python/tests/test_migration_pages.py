"""The pages docs/migrate_*.md: their code blocks run, and both columns of their tables agree.

Where PyTorch or SciPy is not installed, a few lines of NumPy stand in for the old side.
"""

import importlib.util
import pathlib
import re
import sys
import types

import numpy as np
import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES = {"numpy": 30, "torch": 24, "scipy": 8}  # and how many lines at least


def blocks_of(text):
    return re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)


def lines_of(text):
    return re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", text, re.M)


def plain_logsumexp(x, axis=None, keepdims=False, b=1):
    with np.errstate(divide="ignore"):
        top = np.max(x, axis=axis, keepdims=True)
        total = np.log(np.sum(b * np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


def plain_torch():
    """PyTorch's functions of the page, in NumPy."""

    def reduction(function):
        return lambda x, dim=None, keepdim=False: function(x, axis=dim, keepdims=keepdim)

    rng = np.random.default_rng(0)
    torch = types.ModuleType("torch")
    torch.rand = lambda *shape: rng.random(shape, np.float32)
    torch.einsum, torch.matmul, torch.bmm = np.einsum, np.matmul, np.matmul
    torch.outer, torch.trace, torch.diagonal = np.outer, np.trace, np.diagonal
    torch.permute, torch.transpose, torch.stack = np.transpose, np.swapaxes, np.stack
    torch.tensordot = lambda a, b, dims: np.tensordot(a, b, axes=dims)
    torch.sum, torch.mean, torch.prod = map(reduction, (np.sum, np.mean, np.prod))
    torch.amax, torch.amin = reduction(np.max), reduction(np.min)
    torch.argmax, torch.argmin = reduction(np.argmax), reduction(np.argmin)
    torch.logsumexp = lambda x, dim: plain_logsumexp(x, axis=dim)
    norm = types.SimpleNamespace(
        vector_norm=lambda x, ord=2, dim=None: np.sum(np.abs(x) ** ord, dim) ** (1 / ord)
    )
    functional = types.SimpleNamespace(
        linear=lambda x, w: x @ w.T,
        bilinear=lambda x, y, w: np.stack([np.sum(x @ m * y, -1) for m in w], -1),
    )
    torch.linalg, torch.nn = norm, types.SimpleNamespace(functional=functional)
    return {"torch": torch}


def plain_scipy():
    special = types.ModuleType("scipy.special")
    special.logsumexp = plain_logsumexp
    special.log_softmax = lambda x, axis: np.log(special.softmax(x, axis))
    special.softmax = lambda x, axis: np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)
    scipy = types.ModuleType("scipy")
    scipy.special = special
    return {"scipy": scipy, "scipy.special": special}


@pytest.fixture(params=PAGES)
def page(request, monkeypatch):
    stand_in = {"torch": plain_torch, "scipy": plain_scipy}.get(request.param)
    if stand_in and importlib.util.find_spec(request.param) is None:
        for name, module in stand_in().items():
            monkeypatch.setitem(sys.modules, name, module)
    return request.param, (DOCS / f"migrate_{request.param}.md").read_text()


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_every_line_of_the_page(page):
    name, text = page
    names = {}
    for block in blocks_of(text):
        exec(compile(block, f"migrate_{name}.md", "exec"), names)
    lines = lines_of(text)
    assert len(lines) >= PAGES[name]
    assert len(lines) == len(re.findall(r"^\| `", text, re.M))  # none is left out by its form
    for old, new in lines:
        assert "tf." in new and "tf." not in old
        before, after = np.array(eval(old, names)), np.array(eval(new, names))
        assert (before.shape, before.dtype) == (after.shape, after.dtype), (old, new)
        np.testing.assert_allclose(after, before, 1e-5, 1e-7, err_msg=f"{old} -> {new}")


@pytest.mark.parametrize("name", ["torch", "scipy"])
def test_the_real_package_is_there(name):
    pytest.importorskip(name, reason=f"{name}'s side of the page was computed by NumPy's stand-in")


def test_a_wrong_line_would_be_seen():
    text = "| `np.sum(x)` | `tf.max(x)` |\n"
    ((old, new),) = lines_of(text)
    import tenfold as tf

    names = {"np": np, "tf": tf, "x": np.ones(3)}
    assert eval(old, names) != eval(new, names)
