"""The official ONNX node cases through ONNX's own runner, and the rest of the Backend interface."""

import re
import unittest
import warnings

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.backend.base import Backend

import tenfold as tf
from tenfold import onnx_backend

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # cases of others overflow on purpose
    from onnx.backend.test import BackendTest

    RUNNER = BackendTest(onnx_backend, __name__)
OURS = re.compile(r"^(Reduce\w+|ArgMax|ArgMin|Einsum)$")
FOLDED = re.compile(r"^test_(reduce_|arg)\w*_expanded$")


def official_cases():
    """(name, is it a function body): those with a node of ours, the bodies of the reductions."""
    from onnx.backend.test.loader import load_model_tests

    cases = []
    for case in load_model_tests(kind="node"):
        if any(OURS.match(node.op_type) for node in case.model.graph.node):
            if "expanded" not in case.name:
                cases.append((case.name, False))
            elif FOLDED.match(case.name):
                cases.append((case.name, True))
    return cases


CASES = official_cases()
for name, _ in CASES:
    RUNNER.include(f"^{name}_cpu$")
SUITES = RUNNER.test_cases  # not by itself: pytest would run the cases a second time


def test_counts():
    assert sum(not expanded for _, expanded in CASES) == 132
    assert sum(expanded for _, expanded in CASES) == 41


@pytest.mark.parametrize("name", [name for name, _ in CASES])
def test_official_case(name):
    result = unittest.TestResult()
    SUITES["OnnxBackendNodeModelTest"](f"{name}_cpu").run(result)
    assert result.testsRun == 1 and not result.skipped
    assert not result.failures and not result.errors, (result.failures + result.errors)[0][1]


def test_a_wrong_result_fails_in_the_runner():
    """The runner compares: with an input changed the same cases fail."""
    failed = 0
    for case in onnx.backend.test.loader.load_model_tests(kind="node"):
        if case.name in ("test_reduce_max_keepdims_example", "test_einsum_sum"):
            inputs, outputs = case.data_sets[0]
            got = onnx_backend.run_model(case.model, [np.asarray(inputs[0]) + 1, *inputs[1:]])
            with pytest.raises(AssertionError):
                RUNNER.assert_similar_outputs(outputs, got, case.rtol, case.atol)
            failed += 1
    assert failed == 2


def product_model(**attributes):
    node = helper.make_node("Einsum", ["a", "b"], ["y"], **attributes)
    graph = helper.make_graph(
        [node, helper.make_node("ReduceSum", ["y"], ["total"], keepdims=0)],
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [name, 3]) for name in "ab"],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("y", "total")],
        initializer=[helper.make_tensor("a", TensorProto.FLOAT, [1, 3], [1, 2, 3])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)


def test_outputs_have_names_and_initializers_are_defaults():
    model = product_model(equation="ij,kj->ik")
    b = np.ones((2, 3), "f4")
    assert issubclass(onnx_backend.TenfoldBackend, Backend)
    for inputs in ([b], b, {"b": b}, [np.array([[1, 2, 3]], "f4"), b]):
        outputs = onnx_backend.run_model(model, inputs)
        assert outputs["y"].tolist() == [[6, 6]]
        assert outputs.total == outputs[1] == 12 and outputs[1].shape == ()
    rep = onnx_backend.prepare(model, "CPU:0")
    assert rep.run([np.zeros((1, 3), "f4"), b])["total"] == 0
    with pytest.raises(tf.ArgumentError, match="1 inputs .b., got 3"):
        rep.run([b, b, b])


def test_run_node_takes_arrays_in_the_order_of_the_node():
    x = np.arange(6, dtype="f4").reshape(2, 3)
    node = helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)
    assert onnx_backend.run_node(node, [x, np.array([1])])[0].tolist() == [3, 12]
    assert onnx_backend.run_node(node, [x, np.array([0])], opset_version=13).y.tolist() == [3, 5, 7]
    node = helper.make_node("ReduceMax", ["x"], ["y"], axes=[0])
    assert onnx_backend.run_node(node, [x], opset_version=13)[0].tolist() == [[3, 4, 5]]
    with pytest.raises(tf.TenfoldError):
        onnx_backend.run_node(node, [x])  # axes became an input in 18
    same = helper.make_node("Einsum", ["x", "x"], ["y"], equation="ij,ij->")
    assert onnx_backend.run_node(same, [x, x])[0] == 55


def test_what_it_cannot_do_is_said_before_running():
    assert onnx_backend.supports_device("CPU") and onnx_backend.supports_device("CPU:1")
    for device in ("CUDA", "CUDA:1", "TPU", "CPU:x", ""):
        assert not onnx_backend.supports_device(device)
    model = product_model(equation="ij,kj->ik")
    assert onnx_backend.is_compatible(model)
    assert not onnx_backend.is_compatible(model, "CUDA")
    with pytest.raises(tf.UnsupportedError, match="expected the device CPU, got CUDA"):
        onnx_backend.prepare(model, "CUDA")
    model.graph.node[0].op_type = "Conv"
    assert not onnx_backend.is_compatible(model)
    with pytest.raises(tf.UnsupportedError):
        onnx_backend.prepare(model)
    assert not onnx_backend.is_compatible(product_model())  # without its equation
