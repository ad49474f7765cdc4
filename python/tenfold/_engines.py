"""The engines that `tenfold compare` knows, each as a function from a model and its inputs to its
outputs, and what is asked of a model before it runs."""

from __future__ import annotations

import importlib.util
import pathlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold._models import load

Arrays = dict[str, NDArray[Any]]


class Source(NamedTuple):
    """A model: its file, and for ONNX what is in it, if the package onnx is there to read it."""

    path: pathlib.Path
    proto: Any = None

    @property
    def is_openvino(self) -> bool:
        return self.path.suffix == ".xml"


class Input(NamedTuple):
    """An input that has to be given; an extent is an integer, a symbol or None, and the shape or
    dtype None where the model leaves it open."""

    name: str
    dtype: Any
    shape: tuple[int | str | None, ...] | None


def read(path: pathlib.Path) -> Source:
    """Raises OSError, and ValueError for what is no model."""
    path.open("rb").close()
    if path.suffix == ".xml" or importlib.util.find_spec("onnx") is None:
        return Source(path)
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    try:
        return Source(path, onnx.load(path))
    except DecodeError as error:
        raise ValueError(f"{path} is no ONNX model: {error}") from error


def inputs_of(source: Source) -> list[Input]:
    """Those without an initializer. Raises TenfoldError if Tenfold has to load the model for it."""
    if source.proto is None:
        return [Input(*port) for port in load(source.path).inputs]
    from onnx import helper

    initialized = {tensor.name for tensor in source.proto.graph.initializer}
    inputs = []
    for port in source.proto.graph.input:
        if port.name in initialized:
            continue
        tensor = port.type.tensor_type
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type) if tensor.elem_type else None
        shape = None
        if tensor.HasField("shape"):
            shape = tuple(
                d.dim_value if d.HasField("dim_value") else d.dim_param or None
                for d in tensor.shape.dim
            )
        inputs.append(Input(port.name, dtype, shape))
    return inputs


def with_every_value(source: Source) -> tuple[Source, list[tuple[Any, str]]]:
    """The model with the outputs of all its nodes as its outputs, and (node, output) in order."""
    from onnx import ModelProto, ValueInfoProto

    proto = ModelProto()
    proto.CopyFrom(source.proto)
    known = {port.name for port in proto.graph.output}
    values = [(node, name) for node in proto.graph.node for name in node.output if name]
    for _, name in values:
        if name not in known:
            proto.graph.output.append(ValueInfoProto(name=name))
    return Source(source.path, proto), values


def _tenfold(source: Source, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
    model = load(source.path if source.proto is None else source.proto)
    return {name: np.asarray(value) for name, value in model.run(inputs).items()}


def _onnx(source: Source, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
    from onnx.reference import ReferenceEvaluator

    engine = ReferenceEvaluator(source.proto)
    with np.errstate(all="ignore"):
        values = engine.run(None, dict(inputs))
    return dict(zip(engine.output_names, map(np.asarray, values), strict=True))


def _onnxruntime(source: Source, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
    import onnxruntime  # type: ignore[import-not-found, unused-ignore]

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what fails is raised; warnings are not for here
    model = str(source.path) if source.proto is None else source.proto.SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_outputs()]
    values = session.run(names, dict(inputs))
    return dict(zip(names, map(np.asarray, values), strict=True))


def _openvino(source: Source, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
    import openvino  # type: ignore[import-not-found, unused-ignore]

    core = openvino.Core()
    if source.proto is None:
        model = core.read_model(str(source.path))
    else:
        model = core.read_model(source.proto.SerializeToString())
    # Its own default may be bfloat16 on machines that have it.
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    by_port = {}
    for index, port in enumerate(compiled.inputs):
        name = next((name for name in inputs if name in port.names), None)
        by_port[index] = inputs[name if name is not None else list(inputs)[index]]
    results = compiled(by_port)
    outputs = {}
    for index, port in enumerate(compiled.outputs):
        name = min(port.names) if port.names else str(index)
        outputs[name] = np.array(results[index])
    return outputs


ENGINES: dict[str, Callable[[Source, Mapping[str, NDArray[Any]]], Arrays]] = {
    "tenfold": _tenfold,
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
    "onnx": _onnx,
}


def why_not(engine: str, source: Source) -> str | None:
    """Why this engine cannot be asked; None if it can."""
    if engine != "tenfold" and importlib.util.find_spec(engine) is None:
        return "not installed"
    if source.is_openvino and engine in ("onnx", "onnxruntime"):
        return "reads no OpenVINO IR"
    return None
