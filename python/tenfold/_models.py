"""Models: ONNX and OpenVINO IR files of reductions, contractions and their glue."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenfold import _core
from tenfold.errors import whole_number


class Port(NamedTuple):
    """An input or output: its dtype and shape are None where the model doesn't say; an extent is an
    integer, a symbol, or None."""

    name: str
    dtype: np.dtype[Any] | None
    shape: tuple[int | str | None, ...] | None


class Model:
    """A loaded model. Safe from many threads."""

    def __init__(self, core: _core.Model) -> None:
        self._core = core

    @property
    def inputs(self) -> list[Port]:
        return [Port(*port) for port in self._core.inputs]

    @property
    def outputs(self) -> list[Port]:
        return [Port(*port) for port in self._core.outputs]

    def run(self, inputs: Mapping[str, ArrayLike], *, threads: int = 0) -> dict[str, NDArray[Any]]:
        """{name: array} in, {name: array} out."""
        return self._core.run(dict(inputs), whole_number("run", "threads", threads))

    def explain(self) -> str:
        """One line for each node, in the order of execution."""
        return self._core.explain()


def load(model: Any, weights: bytes | None = None) -> Model:
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
        return Model(_core.load_openvino(data, bytes(weights or b"")))
    return Model(_core.load_onnx(data, ""))
