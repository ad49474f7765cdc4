from typing import Any

import numpy as np
from numpy.typing import NDArray

def set_num_threads(arg: int, /) -> None: ...
def num_threads() -> int: ...
def simd_target() -> str: ...
def equation_picture(arg0: str, arg1: object, /) -> str: ...

ERROR_CODES: list[tuple[str, str]]

def reduce_numpy(
    op: int,
    x: object | None,
    axis: object | None,
    keepdims: bool,
    out: object | None,
    dtype: object | None,
    threads: object | None,
) -> object: ...
def arg_numpy(
    largest: bool,
    x: object | None,
    axis: object | None,
    keepdims: bool,
    out: object | None,
    last: bool,
    threads: object | None,
) -> object: ...
def reduce_standard(
    x: object | None,
    name: object | None,
    axes: object | None,
    keepdims: object | None,
    noop: object | None,
    select_last: object | None,
    dialect: object | None,
    out: object | None,
    threads: object | None,
) -> object: ...
def explain_reduce(op: int, x: object | None, axis: object | None, keepdims: bool) -> str: ...

OPS: dict[str, int]

def einsum(
    equation: object | None,
    operands: object,
    labels: object | None,
    output: object | None,
    out: object | None,
    dtype: object | None,
    path: object | None,
    memory_limit: object | None,
    dialect: object | None,
    method: object | None,
    threads: object | None,
) -> object: ...
def einsum_plain(equation: object, operands: object) -> object: ...
def einsum_fold(
    op: object | None,
    equation: object | None,
    operands: object,
    labels: object | None,
    output: object | None,
    out: object | None,
    dtype: object | None,
    dialect: object | None,
    threads: object | None,
) -> object: ...

class Plan:
    def __init__(
        self,
        equation: object | None,
        operands: object,
        labels: object | None,
        output: object | None,
        dtype: object | None,
        path: object | None,
        memory_limit: object | None,
        dialect: object | None,
        method: object | None,
    ) -> None: ...
    def call(self, operands: object, out: object | None, threads: object | None) -> object: ...
    def explain(self, arg: str, /) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def path(self) -> list[list[int]]: ...
    @property
    def cost(self) -> dict[str, float]: ...

PATH_METHODS: list[str]

class Model:
    def run(self, inputs: dict[str, Any], threads: object) -> dict[str, NDArray[Any]]: ...
    def explain(self) -> str: ...
    @property
    def inputs(self) -> list[tuple[str, Any, Any]]: ...
    @property
    def outputs(self) -> list[tuple[str, Any, Any]]: ...

def load_file(arg: str, /) -> Model: ...
def load_onnx(arg0: bytes, arg1: str, /) -> Model: ...
def load_openvino(arg0: bytes, arg1: bytes, /) -> Model: ...
