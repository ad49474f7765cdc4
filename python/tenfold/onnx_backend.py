"""Tenfold behind ONNX's own interface, onnx.backend.base.Backend: what runs on such a backend runs
on Tenfold by `import tenfold.onnx_backend as backend`.

    backend.run_model(model, [x, y])               # inputs in the order of the graph's, or a dict
    rep = backend.prepare(model); rep.run([x, y])  # loaded once
    backend.run_node(node, [x], opset_version=18)  # one operator
    backend.is_compatible(model), backend.supports_device("CPU")

Needs the package onnx. Tenfold computes on the CPU; a model with an operator that it does not have
raises UnsupportedError where it is prepared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import ModelProto, NodeProto, ValueInfoProto, helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from tenfold._models import load
from tenfold.errors import ArgumentError, TenfoldError, UnsupportedError

Inputs = Mapping[str, ArrayLike] | Sequence[ArrayLike] | NDArray[Any]
_OPSET = 28  # the newest whose operators Tenfold has
_IR_VERSION = 10  # takes every opset


class TenfoldRep(BackendRep):
    """A model that is loaded. Safe from many threads."""

    def __init__(self, proto: ModelProto) -> None:
        self._model = load(proto)
        self._inputs = [port.name for port in proto.graph.input]
        self._initialized = {tensor.name for tensor in proto.graph.initializer}
        self._outputs = [port.name for port in proto.graph.output]
        self._tuple = namedtupledict("Outputs", self._outputs)

    def run(self, inputs: Inputs, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs in the order of the graph's, also by name (`outputs["y"]`). `inputs`: arrays
        in the order of the graph's, for all or for those without an initializer; one array; or a
        dict by name. `threads`: as in Model.run; other keyword arguments are not looked at.
        Raises ModelError, ArgumentError and what the operators raise."""
        names = self._inputs
        if not isinstance(inputs, (Mapping, np.ndarray)) and len(inputs) == len(names):
            named = _by_name(names, inputs)
        else:
            named = _by_name([name for name in names if name not in self._initialized], inputs)
        results = self._model.run(named, threads=kwargs.get("threads", 0))
        return self._tuple(*(np.asarray(results[name]) for name in self._outputs))


class TenfoldBackend(Backend):
    """See the module."""

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> TenfoldRep:
        """Loads the model. Raises ModelError, and UnsupportedError for what Tenfold does not have:
        other devices among it."""
        if not cls.supports_device(device):
            raise UnsupportedError(
                f"onnx_backend: expected the device CPU, got {device}",
                "unsupported-feature",
                "onnx_backend",
                "CPU",
                device,
            )
        return TenfoldRep(model)

    @classmethod
    def run_model(
        cls, model: ModelProto, inputs: Inputs, device: str = "CPU", **kwargs: Any
    ) -> tuple[Any, ...]:
        """prepare and run."""
        return cls.prepare(model, device, **kwargs).run(inputs, **kwargs)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Inputs,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """One operator: arrays for the inputs that its node names, in that order. `opset_version`:
        the newest that Tenfold knows, if not given. `outputs_info` is not needed."""
        named = _by_name([name for name in node.input if name], inputs)
        graph = helper.make_graph(
            [node],
            node.op_type,
            [_port(name, np.asarray(array)) for name, array in named.items()],
            [ValueInfoProto(name=name) for name in node.output if name],
        )
        opset = helper.make_opsetid(node.domain, kwargs.pop("opset_version", _OPSET))
        model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
        return cls.run_model(model, named, device, **kwargs)

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Does Tenfold load it?"""
        try:
            cls.prepare(model, device, **kwargs)
        except TenfoldError:
            return False
        return True

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """The CPU alone."""
        try:
            return bool(Device(device).type == DeviceType.CPU)
        except (AttributeError, ValueError):
            return False


def _port(name: str, array: NDArray[Any]) -> ValueInfoProto:
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor_value_info(name, kind, array.shape)


def _by_name(names: Sequence[str], inputs: Inputs) -> dict[str, ArrayLike]:
    if isinstance(inputs, Mapping):
        return dict(inputs)
    arrays = [inputs] if isinstance(inputs, np.ndarray) else list(inputs)
    if len(arrays) != len(names):
        wanted = f"{len(names)} inputs ({', '.join(names)})"
        raise ArgumentError(
            f"onnx_backend: expected {wanted}, got {len(arrays)}",
            "bad-argument",
            "onnx_backend",
            wanted,
            str(len(arrays)),
        )
    return dict(zip(names, arrays, strict=True))


prepare = TenfoldBackend.prepare
run_model = TenfoldBackend.run_model
run_node = TenfoldBackend.run_node
is_compatible = TenfoldBackend.is_compatible
supports_device = TenfoldBackend.supports_device
