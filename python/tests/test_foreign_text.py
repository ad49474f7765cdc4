"""Names in a model that are not UTF-8, and other text that Python's strings cannot hold."""

import numpy as np
import onnx
import pytest

import tenfold as tf
from tenfold import _core


def model(**names):
    node = onnx.helper.make_node("ReduceMax", ["x"], ["y"], name="first")
    inputs = [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["batch"])]
    graph = onnx.helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")])
    opsets = [onnx.helper.make_opsetid("", 18)]
    data = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    for old, new in names.items():
        assert len(old) == len(new)
        data = data.replace(old.encode(), new)
    return data


@pytest.mark.parametrize("name", ["ReduceMax", "first"])
def test_an_error_about_foreign_text_is_readable(name):
    data = model(**{name: b"\xff\xfe" + name[2:].encode(), "batch": b"batch"})
    if name == "ReduceMax":
        with pytest.raises(tf.UnsupportedError, match="\ufffd\ufffdduceMax"):
            tf.load(data)
    else:
        with pytest.raises(tf.ModelError, match="x"):
            tf.load(data).run({})
        assert "\ufffd\ufffdrst" in tf.load(data).explain()


def test_ports_of_foreign_names_can_be_listed():
    loaded = tf.load(model(batch=b"b\xfftch"))
    assert loaded.inputs[0].shape == ("b\ufffdtch",)
    assert loaded.run({"x": np.ones(2, "f4")})["y"] == 1


def test_an_openvino_document_that_is_not_utf_8_is_refused():
    with pytest.raises(tf.ModelError):
        tf.load(b"<?xml version='1.0'?><net name='\xff'><layers>")


def test_names_of_inputs_are_strings():
    with pytest.raises(TypeError, match="names of inputs must be strings"):
        tf.load(model()).run({1: np.ones(2, "f4")})
    with pytest.raises(tf.ArgumentError, match="threads= is wrong"):
        tf.load(model()).run({"x": np.ones(2, "f4")}, threads="2")


def test_equations_with_any_characters_are_refused_in_words():
    for text in ("i\x00j->", "i\ud7ffj", "\U0010ffff", "i\x1b[31mj"):
        with pytest.raises(tf.EquationError) as caught:
            tf.einsum(text, np.ones((2, 2)))
        assert "\x1b" not in str(caught.value) and "\x00" not in str(caught.value)
    for text in ("\ud800", b"i", 3):  # half of a surrogate pair, and no text
        with pytest.raises(tf.EquationError, match="the equation is no text"):
            tf.compile(text, np.ones(2))
    with pytest.raises(tf.EquationError, match="the equation is no text"):
        tf.einsum("\ud800", np.ones(2))
    with pytest.raises(tf.ArgumentError, match="no list of steps"):
        tf.einsum("i,i->", np.ones(2), np.ones(2), path=[(0, 2**40)])
    assert _core.equation_picture("ij", [])
