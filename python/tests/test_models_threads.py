"""Models from files, bytes and protos; threads, forks, memory."""

import os
import pathlib
import threading

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import tenfold as tf

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/models"


def test_the_example_models_give_their_expected_outputs():
    for folder in sorted(path for path in EXAMPLES.iterdir() if (path / "inputs").is_dir()):
        file = next(folder.glob("model.onnx"), None) or folder / "model.xml"
        model = tf.load(file)
        inputs = {path.stem: np.load(path) for path in (folder / "inputs").glob("*.npy")}
        assert {port.name for port in model.inputs} == set(inputs)
        for name, value in model.run(inputs).items():
            expected = np.load(folder / f"expected/{name}.npy")
            np.testing.assert_allclose(value, expected, rtol=2e-3)
            assert value.dtype == expected.dtype


def test_a_proto_and_bytes_load_and_a_wrong_model_is_refused():
    graph = helper.make_graph(
        [helper.make_node("Einsum", ["a", "b"], ["c"], equation="ij,jk->ik")],
        "g",
        [
            helper.make_tensor_value_info("a", TensorProto.FLOAT, ["n", 3]),
            helper.make_tensor_value_info("b", TensorProto.FLOAT, [3, 2]),
        ],
        [helper.make_tensor_value_info("c", TensorProto.FLOAT, None)],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    a, b = np.ones((4, 3), "f4"), np.ones((3, 2), "f4")
    for model in (tf.load(proto), tf.load(proto.SerializeToString())):
        assert model.inputs[0].shape == ("n", 3) and model.inputs[0].dtype == np.float32
        assert model.run({"a": a, "b": b})["c"].tolist() == [[3, 3]] * 4
    with pytest.raises(tf.ModelError):
        tf.load(b"not a model")
    with pytest.raises(tf.ModelError):
        model.run({"a": a})
    with pytest.raises(TypeError):
        tf.load(3)
    assert onnx.__version__


def test_results_do_not_depend_on_threads():
    x = np.random.default_rng(0).standard_normal((512, 2048)).astype("f4")
    with tf.num_threads(1):
        assert tf.get_num_threads() == 1
        one = tf.sum(x, axis=1), tf.einsum("ij,kj->ik", x, x)
    several = tf.sum(x, axis=1, threads=3), tf.einsum("ij,kj->ik", x, x, threads=3)
    for a, b in zip(one, several, strict=True):
        assert np.array_equal(a, b)
    with pytest.raises(ValueError):
        tf.set_num_threads(-1)


def test_sixteen_python_threads_share_a_plan():
    x = np.random.default_rng(0).standard_normal((64, 64))
    plan = tf.compile("ij,jk->ik", x, x)
    expected, wrong = plan(x, x), []

    def work():
        for _ in range(50):
            if not np.array_equal(plan(x, x), expected):
                wrong.append(1)
            try:
                tf.einsum("ij,jk->ik", x, x[:3])
                wrong.append(2)
            except tf.EquationError:
                pass

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_child_computes():
    x = np.ones((600, 600))
    before = tf.einsum("ij,jk->ik", x, x)
    child = os.fork()
    if child == 0:
        same = np.array_equal(tf.einsum("ij,jk->ik", x, x), before) and tf.sum(x) == 360000
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def resident():
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_calls_and_errors_leave_no_memory_behind():
    x = np.ones((4, 4), "f4")
    plan = tf.compile("ij,jk->ik", x, x)

    def calls(count):
        for _ in range(count):
            plan(x, x)
            tf.sum(x, axis=0)
            tf.einsum("ij,jk->ik", x, x)
            try:
                tf.einsum("ij,jk->ik", x, x[:3])
            except tf.EquationError:
                pass
            try:
                tf.sum(x, axis=5)
            except tf.AxisError:
                pass

    calls(2000)
    before = resident()
    calls(20000)
    assert resident() - before < 1 << 20
