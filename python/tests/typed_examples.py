"""The whole public API as its users write it: test_types.py runs it, mypy --strict reads it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tenfold as tf
from tenfold import named

Array = NDArray[np.float32]


def reductions(x: Array) -> None:
    out = np.empty(3, np.float32)
    tf.sum(x, axis=0, dtype=np.float64, keepdims=True, initial=0, where=x > 0, threads=1)
    tf.prod(x, axis=(0, 1))
    tf.mean(x, -1, out=out[:2])
    tf.max(x, axis=0, out=out, initial=0)
    tf.min(x, axis=0, where=x > 0, initial=np.inf)
    tf.l1(x), tf.l2(x), tf.logsum(np.abs(x)), tf.logsumexp(x, axis=1), tf.sumsquare(x)
    tf.all(x, axis=0), tf.any([[True, False]], axis=1)
    tf.argmax(x, axis=1, keepdims=True, select_last_index=True), tf.argmin(x)
    tf.argmax(x, 1, dialect="onnx:13")
    tf.reduce(x, "ReduceL2", axes=[1], keepdims=False, dialect="onnx:18")
    tf.reduce(x, "ReduceMax", noop_with_empty_axes=True, dialect="onnx", threads=2)


def contractions(x: Array) -> None:
    out = np.empty((2, 2), np.float32)
    tf.einsum("ij,kj->ik", x, x, out=out, threads=1)
    tf.einsum(x, [0, 1], x, [2, 1], [0, 2])
    path, text = tf.einsum_path("ij,kj,k->i", x, x, x[:, 0], method="dp")
    tf.einsum("ij,kj,k->i", x, x, x[:, 0], path=path, dtype=np.float64, memory_limit=1 << 20)
    tf.einsum("ij,kj->ik", x, x, dialect="onnx:12", method="auto")
    print(text)


def plans(x: Array) -> None:
    plan: tf.Plan = tf.compile("ij,jk->ik", x, (3, 4), dtype=np.float32)
    shape: tuple[int, ...] = plan.shape
    order: list[tuple[int, ...]] = plan.path
    cost: dict[str, Any] = plan.cost
    assert shape == (2, 4) and order == [(0, 1)] and cost["flops"] > 0
    plan(x, np.ones((3, 4), np.float32), out=np.empty((2, 4), np.float32), threads=1)
    explanation: tf.Explanation = plan.explain()
    steps: dict[str, Any] = explanation.to_dict()
    drawing: str = explanation.svg() + explanation.dot()
    assert steps and drawing and plan.dtype == np.float32
    again = pickle.loads(pickle.dumps(plan))
    again(x, np.ones((3, 4), np.float32))
    tf.compile("ij,jk->ik", x, (3, 4), constants={1: np.ones((3, 4), np.float32)})(x)


def names(x: Array) -> None:
    named.einsum("row column, other column -> row other", x, x)
    named.reduce(x, "row column -> row", "max")


def products(x: Array) -> None:
    tf.matmul(x, tf.matrix_transpose(x)), tf.tensordot(x, x, axes=([1], [1]))
    tf.vecdot(x, x, axis=0), tf.permute_dims(x, (1, 0)), tf.transpose(x)


def models(file: Path, image: Array) -> None:
    model = tf.load(file)
    for port in [*model.inputs, *model.outputs]:
        name: str = port.name
        print(name, port.dtype, port.shape)
    results: dict[str, NDArray[Any]] = model.run({model.inputs[0].name: image}, threads=1)
    print(list(results), model.explain())


def threads(x: Array) -> None:
    tf.set_num_threads(2)
    with tf.num_threads(1):
        count: int = tf.get_num_threads()
    tf.set_num_threads(0)
    assert count == 1


def errors(x: Array) -> None:
    try:
        tf.einsum("ij,jk->ik", x, x)
    except tf.EquationError as error:
        span: tuple[int, int] | None = error.span
        sizes: tuple[int, ...] = error.sizes
        assert span == (1, 2) or span == (3, 4), span
        assert set(sizes) == {2, 3}
        assert error.code == "equation-size" and error.label == "j" and error.operand is not None
    try:
        tf.sum(x, axis=2)
    except (tf.AxisError, tf.ShapeError, tf.DTypeError, tf.ArgumentError) as axis_error:
        message: str = f"{axis_error.where} {axis_error.expected} {axis_error.got}"
        assert message
    kinds: list[type[tf.TenfoldError]] = [tf.MemoryLimitError, tf.ModelError, tf.UnsupportedError]
    assert kinds and tf.errors.Mark is not None


def main() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for example in (reductions, contractions, plans, names, products, threads, errors):
        example(x)
    examples = Path(__file__).resolve().parents[2] / "examples/models/image_pooling"
    models(examples / "model.onnx", np.load(examples / "inputs/images.npy"))
    print(tf.__version__)


if __name__ == "__main__":
    main()
