"""`tenfold compare`, with the reference evaluator of the package onnx and planted differences."""

import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tenfold
from tenfold import _command, _engines, compare

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/models"
BOTH = ["--engines", "tenfold,onnx"]


def chain(folder, factor=2.0, dtype=TensorProto.FLOAT):
    """x -> Mul 'double' -> Exp 'grow' -> ReduceSum 'total', in a file."""
    nodes = [
        helper.make_node("Mul", ["x", "factor"], ["doubled"], name="double"),
        helper.make_node("Exp", ["doubled"], ["grown"], name="grow"),
        helper.make_node("ReduceSum", ["grown"], ["y"], name="total", keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", dtype, ["n", 3])],
        [helper.make_tensor_value_info("y", dtype, [])],
        initializer=[helper.make_tensor("factor", dtype, [1], [factor])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, folder / "chain.onnx")
    return str(folder / "chain.onnx")


def planted(edit):
    """The reference evaluator on a model that was changed."""

    def run(source, inputs):
        proto = ModelProto()
        proto.CopyFrom(source.proto)
        edit(proto)
        return _engines._onnx(_engines.Source(source.path, proto), inputs)

    return run


def test_engines_that_agree_give_0(tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.ones((2, 3), "f4"))
    assert compare.main([chain(tmp_path), "-i", f"x={tmp_path / 'x.npy'}", *BOTH]) == 0
    output = capsys.readouterr().out
    assert output.startswith("tenfold and onnx:\n  y: float32 ():")
    assert "DIFFERS" not in output and "made up" not in output


def test_a_planted_difference_gives_1_and_its_first_node(tmp_path, capsys, monkeypatch):
    def more(proto):
        for node in proto.graph.node:
            if node.name == "grow":  # the value before it stays
                node.op_type = "Neg"

    monkeypatch.setitem(compare.ENGINES, "onnx", planted(more))
    np.save(tmp_path / "x.npy", np.zeros((1, 3), "f4"))
    assert compare.main([chain(tmp_path), "-i", str(tmp_path / "x.npy"), *BOTH]) == 1
    output = capsys.readouterr().out
    assert "y: float32 (): DIFFERS in 1 of 1; worst 3.0 and 0.0, 1077936128 ULPs\n" in output
    assert "first node that differs: Exp 'grow', its output 'grown': at [0, 0] 1.0 and" in output


def test_the_last_bit_counts_if_that_is_asked_for(tmp_path, capsys, monkeypatch):
    def last_bit(proto):
        value = np.nextafter(np.ones(1, "f4"), np.float32(2))
        proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(value, "factor"))

    monkeypatch.setitem(compare.ENGINES, "onnx", planted(last_bit))
    model = chain(tmp_path, 1.0)
    np.save(tmp_path / "x.npy", np.full((1, 3), 8, "f4"))
    words = [model, "-i", f"x={tmp_path / 'x.npy'}", *BOTH]
    assert compare.main(words) == 0
    assert "within the tolerance" in capsys.readouterr().out
    assert compare.main([*words, "--ulps", "0"]) == 1
    output = capsys.readouterr().out
    assert "Mul 'double', its output 'doubled': at [0, 0] 8.0 and 8.000001, 1 ULP\n" in output


def test_a_real_difference(tmp_path, capsys):
    """The reference evaluator adds float16 along the first axis in float16: 2048 + 1 is 2048."""
    node = helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT16, [4096, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT16, [2])],
        initializer=[helper.make_tensor("axes", TensorProto.INT64, [1], [0])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    np.savez(tmp_path / "x.npz", x=np.ones((4096, 2), "f2"), other=np.zeros(1))
    words = [str(tmp_path / "m.onnx"), "-i", f"x={tmp_path / 'x.npz'}:x", *BOTH]
    assert compare.main(words) == 1
    output = capsys.readouterr().out
    assert "DIFFERS in 2 of 2; worst at [0] 4.096e+03 and 2.048e+03, 1024 ULPs" in output
    assert "first node that differs: ReduceSum, its output 'y'" in output


def test_an_engine_that_fails_is_a_difference(tmp_path, capsys, monkeypatch):
    def fails(source, inputs):
        raise RuntimeError("no kernel\nmore")

    monkeypatch.setitem(compare.ENGINES, "onnx", fails)
    assert compare.main([chain(tmp_path), *BOTH]) == 1
    assert "onnx: FAILS: no kernel\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["attention_mask", "image_pooling"])
def test_inputs_are_made_up_for_the_example_models(name, capsys):
    model = str(EXAMPLES / name / "model.onnx")
    assert compare.main([model, "--extent", "5", *BOTH]) == 0
    first = capsys.readouterr().out
    assert "made up" in first
    assert compare.main([model, "--extent", "5", *BOTH]) == 0
    assert capsys.readouterr().out == first


def test_wrong_calls_give_2(tmp_path, capsys):
    model = chain(tmp_path)
    np.save(tmp_path / "x.npy", np.ones((2, 3), "f4"))
    x = f"x={tmp_path / 'x.npy'}"
    (tmp_path / "text.onnx").write_text("no model")
    for words, part in [
        ([model, "--engines", "tenfold,tensorrt"], "unknown engine 'tensorrt'"),
        ([model, "--engines", "tenfold"], "two engines are needed, there is tenfold"),
        ([model, "-i", f"z={tmp_path / 'x.npy'}", *BOTH], "NAME one of ['x']"),
        ([model, "-i", x, "-i", x, *BOTH], "input 'x' is given twice"),
        ([model, "-i", "x=missing.npy", *BOTH], "No such file"),
        ([str(tmp_path / "none.onnx"), *BOTH], "No such file"),
        ([str(tmp_path / "text.onnx"), *BOTH], "is no ONNX model"),
    ]:
        assert compare.main(words) == 2
        assert part in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        compare.main([])
    assert end.value.code == 2


def test_a_model_of_openvino_needs_openvino(capsys, monkeypatch):
    model = str(EXAMPLES / "channel_norm/model.xml")
    assert compare.main([model, "--engines", "tenfold,onnx"]) == 2
    assert "onnx: reads no OpenVINO IR" in capsys.readouterr().out
    # Another engine in its place: names by position, no nodes.
    monkeypatch.setattr(_engines, "why_not", lambda engine, source: None)
    monkeypatch.setitem(
        compare.ENGINES,
        "openvino",
        lambda source, inputs: {
            f"port {i}": value + 1
            for i, value in enumerate(_engines._tenfold(source, inputs).values())
        },
    )
    assert compare.main([model, "--engines", "tenfold,openvino"]) == 1
    assert "the nodes are compared in ONNX models only" in capsys.readouterr().out


EXACT = compare.Tolerance(ulps=0)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ml_dtypes.bfloat16])
def test_ulps_of_floats(dtype):
    one = np.array([1, -1, 0, 0], dtype)
    kind = f"u{one.itemsize}"
    bits = one.view(kind).copy()
    bits[0] += 3  # further from zero
    bits[1] -= 2  # nearer to zero
    other = bits.view(one.dtype)
    found = compare.difference(one, other, EXACT)
    assert (found.wrong, found.place, found.ulps) == (2, (0,), 3)
    assert compare.difference(one, one.copy(), EXACT) is None
    assert compare.difference(np.array([0], dtype), np.array([-0.0], dtype), EXACT) is None
    least = np.array([1], kind).view(one.dtype)
    assert compare.difference(least, -least, EXACT).ulps == 2
    nan = np.array([np.nan], dtype)
    assert compare.difference(nan, -nan, EXACT) is None
    found = compare.difference(nan, np.array([1], dtype), compare.Tolerance())
    assert found.wrong == 1 and found.ulps is None
    infinite = compare.difference(np.array([np.inf], dtype), np.array([1], dtype), EXACT)
    assert infinite.wrong == 1


def test_integers_have_to_be_equal_and_types_and_shapes_as_well():
    for dtype in ("i1", "u1", "i8", "u8"):
        info = np.iinfo(dtype)
        ends = np.array([info.min, info.max], dtype)
        found = compare.difference(ends, ends[::-1], compare.Tolerance())
        assert found.wrong == 2 and found.ulps == info.max - info.min
    one = compare.difference(np.array([True]), np.array([False]), compare.Tolerance())
    assert one.wrong == 1
    assert compare.difference(np.zeros(2, "f4"), np.zeros(2, "f8"), EXACT).wrong == 1
    assert compare.difference(np.zeros(2, "f4"), np.zeros((2, 1), "f4"), EXACT).wrong == 1
    assert compare.difference(np.zeros(0, "f4"), np.zeros(0, "f4"), EXACT) is None


def test_the_command_and_the_module(tmp_path, monkeypatch):
    """`tenfold compare` of the wheel and `python -m tenfold.compare` are the same."""
    model = chain(tmp_path)
    package = pathlib.Path(tenfold.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "tenfold.compare", model, *BOTH],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package)},
    )
    assert done.returncode == 0 and "tenfold and onnx:" in done.stdout, done.stderr
    monkeypatch.setattr(sys, "argv", ["tenfold", "compare", model, *BOTH])
    with pytest.raises(SystemExit) as end:
        _command.main()
    assert end.value.code == 0
