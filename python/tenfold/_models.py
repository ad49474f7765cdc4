"""Models: ONNX and OpenVINO IR files of reductions, contractions and their glue."""

import os
import pathlib
from typing import NamedTuple

import numpy as np

from tenfold import _core


class Port(NamedTuple):
    """An input or output: its dtype and shape are None where the model doesn't say; an extent is an
    integer, a symbol, or None."""

    name: str
    dtype: object
    shape: object


class Model:
    """A loaded model. Safe from many threads."""

    def __init__(self, core):
        self._core = core

    @property
    def inputs(self):
        return [Port(*port) for port in self._core.inputs]

    @property
    def outputs(self):
        return [Port(*port) for port in self._core.outputs]

    def run(self, inputs, *, threads=0):
        """{name: array} in, {name: array} out."""
        return self._core.run(dict(inputs), threads)

    def explain(self):
        """One line for each node, in the order of execution."""
        return self._core.explain()


def load(model, weights=None):
    """A Model from a path (ONNX, or an OpenVINO .xml with its .bin), from bytes (ONNX; or an
    OpenVINO document with `weights`), or from an onnx.ModelProto."""
    if isinstance(model, (str, os.PathLike)):
        return Model(_core.load_file(os.fspath(pathlib.Path(model))))
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, (bytes, bytearray, memoryview, np.ndarray)):
        raise TypeError(f"expected a path, bytes or an onnx.ModelProto, got {type(model).__name__}")
    data = bytes(model)
    if weights is not None or data.lstrip()[:1] == b"<":
        return Model(_core.load_openvino(data.decode(), bytes(weights or b"")))
    return Model(_core.load_onnx(data, ""))
