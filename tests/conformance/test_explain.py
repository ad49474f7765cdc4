"""`tenfold explain` says what a plan does: which axes were folded, and how the kernel runs."""

import pytest
from golden import prepare
from tenfold_cli import TYPES, call


def explain(*words, **named) -> str:
    return call("explain", *words, **named).out.decode()


def operator(op, shape, *words):
    return explain(op, "--shape", shape, "--dtype", "f32", *words)


def test_first_line_names_the_problem():
    text = operator("max", "32x256x56x56", "--axes", "2,3")
    assert text.splitlines()[0] == "ReduceMax-20 f32(32, 256, 56, 56) -> f32(32, 256, 1, 1)"
    text = operator("ReduceL2", "4x5", "--axes", 1, "--keepdims", 0, "--dialect", "onnx:13")
    assert text.splitlines()[0] == "ReduceL2-13 f32(4, 5) -> f32(4,)"
    text = operator("mean", "4x5", "--dialect", "numpy")
    assert text.splitlines()[0] == "mean f32(4, 5) -> f32()"


def test_folding_and_direction():
    """Neighbours in memory become one axis, and a permutation is seen through."""
    assert "inner: 8192 rows of 3136 elements" in operator("max", "32x256x56x56", "--axes", "2,3")
    assert "outer: 1 groups of 64 rows of 4096 columns" in operator("sum", "64x4096", "--axes", 0)
    # transposed, the same two axes change their roles
    assert "inner: 4096 rows of 64" in operator("sum", "4096x64", "--perm", "1,0", "--axes", 0)
    assert operator("sum", "4096x64", "--perm", "1,0", "--axes", 0) != operator(
        "sum", "64x4096", "--axes", 0
    )


def test_nothing_to_do():
    assert "no elements" in operator("max", "0x3", "--axes", 1)
    assert "empty set" in operator("max", "0x3", "--axes", 0)


@pytest.mark.parametrize("name", TYPES)
def test_every_type(name):
    text = explain("any", "--shape", "8x9", "--dtype", name, "--dialect", "numpy", "--axes", 1)
    assert text.startswith(f"any {name}(8, 9) -> bool(8,)\n")


def test_no_memory_for_the_data():
    """A plan reads nothing: the tensor may be larger than the machine."""
    assert "rows of 1099511627776 elements" in operator("sum", "1000x1099511627776", "--axes", 1)


def test_models(tmp_path):
    prepare(tmp_path)
    text = explain("masked.onnx", cwd=tmp_path)
    lines = text.splitlines()
    assert [line.split(":")[0] for line in lines] == ["product", "y", "index"]
    assert "ReduceSum-13" in lines[1]
    assert "ReduceL2-4" in explain("norm.xml", cwd=tmp_path)
