# What nanobind's stubgen cannot see: the elements of lists, tuples and dicts. For scripts/stubs.
tenfold._core.ERROR_CODES$:
    ERROR_CODES: list[tuple[str, str]]

tenfold._core.OPS$:
    OPS: dict[str, int]

tenfold._core.PATH_METHODS$:
    PATH_METHODS: list[str]

tenfold._core.Plan.shape$:
    @property
    def shape(self) -> tuple[int, ...]: ...

tenfold._core.Plan.dtype$:
    \from typing import Any
    \import numpy as np
    @property
    def dtype(self) -> np.dtype[Any]: ...

tenfold._core.Plan.cost$:
    @property
    def cost(self) -> dict[str, float]: ...

tenfold._core.Model.run$:
    \from numpy.typing import NDArray
    def run(self, inputs: dict[str, Any], threads: object) -> dict[str, NDArray[Any]]: ...

tenfold._core.Model.(inputs|outputs)$:
    @property
    def \1(self) -> list[tuple[str, Any, Any]]: ...
