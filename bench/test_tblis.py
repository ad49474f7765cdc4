"""Tests of the peer TBLIS, which may be there or not. They need pytest and NumPy, no copy of it."""

import io
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import check  # noqa: E402
import contender  # noqa: E402
import problem  # noqa: E402
import run  # noqa: E402
from peers import serve, tblis  # noqa: E402


def test_without_a_copy_tblis_is_left_out_and_the_run_says_why(monkeypatch, tmp_path):
    gone = tmp_path / "libtblis.so"
    monkeypatch.setenv(tblis.VARIABLE, str(gone))
    why = f"{tblis.VARIABLE}: no file {gone}"
    names, lines = contender.chosen(None)
    assert names == list(contender.PEERS)
    assert lines == [f"tblis is left out: {why}"]
    with pytest.raises(ValueError, match="tblis can't take part"):
        contender.chosen("numpy,tblis")
    monkeypatch.delenv(tblis.VARIABLE)
    monkeypatch.setattr(tblis.ctypes.util, "find_library", lambda name: None)
    assert "no libtblis found" in contender.chosen(None)[1][0]
    # A run to its first line: with no worker the driver would not get so far.
    monkeypatch.setattr(run, "finish", lambda options, contenders: len(contenders))
    printed = io.StringIO()
    monkeypatch.setattr(sys, "stdout", printed)
    assert run.main(["--worker", sys.executable]) == 1 + len(contender.PEERS)
    assert printed.getvalue().startswith("tblis is left out: no libtblis found")


def test_with_a_copy_tblis_is_a_peer(monkeypatch, tmp_path):
    library = tmp_path / "libtblis.so"
    library.touch()
    monkeypatch.setenv(tblis.VARIABLE, str(library))
    assert contender.chosen(None) == ([*contender.PEERS, "tblis"], [])
    assert contender.chosen("tblis,numpy") == (["tblis", "numpy"], [])
    with pytest.raises(ValueError, match="unknown peers"):
        contender.chosen("nobody")


class Einsum:
    """What TBLIS promises of tensor_mult, by NumPy: reads the structures that the peer makes."""

    def tblis_set_num_threads(self, threads):
        self.threads = threads.value

    def tblis_tensor_mult(self, comm, config, *pairs):
        assert comm is None and config is None
        tensors = [reference._obj for reference in pairs[::2]]
        arrays = [self.array_of(each) for each in tensors]
        a, b, c = (label.value.decode() for label in pairs[1::2])
        factors = [each.scalar.value.s for each in tensors]
        product = np.einsum(f"{a},{b}->{c}", arrays[0], arrays[1])
        arrays[2][...] = factors[0] * factors[1] * product + factors[2] * arrays[2]
        tensors[2].scalar.value.s = 1

    def array_of(self, tensor):
        assert (tensor.type, tensor.scalar.type) == (0, 0)
        shape, steps = tensor.len[: tensor.ndim], tensor.stride[: tensor.ndim]
        reach = 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
        memory = (tblis.ctypes.c_float * reach).from_address(tensor.data)
        flat = np.frombuffer(memory, np.float32)
        return np.lib.stride_tricks.as_strided(flat, shape, [4 * step for step in steps])


@pytest.mark.parametrize(
    "text",
    [
        "einsum 'ij,jk->ik' dt=f32 shapes=5x7,7x3",
        "einsum 'ij,ij->' dt=f32 shapes=5x7,5x7",
        "einsum '...j,...j->...' dt=f32 shapes=2x5x7,2x5x7",
    ],
)
def test_tblis_is_told_shapes_strides_and_labels(text):
    row = problem.parse(text)
    data = problem.make_data(row)
    library = Einsum()
    ((_, call, result),) = tblis.einsum_with(library)(row, data, 3)
    call()
    call()  # again: the output is not added to
    dtype, value = result()
    assert library.threads == 3
    assert check.judge(row, check.exact(row, data), dtype, value.shape, value).right


def test_tblis_refuses_what_it_does_not_know():
    for text in (
        "einsum 'ij,jk->ik' dt=f16 shapes=5x7,7x3",
        "einsum 'ij->ji' dt=f32 shapes=5x7",
        "einsum '...ij,...jk->...ik' dt=f32 shapes=8x1x6x4,1x16x4x6",
    ):
        row = problem.parse(text)
        with pytest.raises(serve.Unsupported):
            tblis.einsum_with(Einsum())(row, problem.make_data(row), 1)
