"""Tenfold as a source of contraction paths for opt_einsum and what takes its optimizers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tenfold import _core
from tenfold.errors import MemoryLimitError

try:
    from opt_einsum.paths import PathOptimizer as _Base  # contract() looks for this class
except ImportError:
    _Base = object


class PathOptimizer(_Base):
    """opt_einsum.contract(..., optimize=tenfold.path_optimizer): called as
    optimizer(inputs, output, size_dict, memory_limit=None) with sets of labels, it returns a list
    of tuples of positions. `method`: "auto", "dp", "greedy" or "left". memory_limit: most elements
    of the intermediates alive at a time (opt_einsum's is for each of them); if no order keeps to
    it, all operands are taken at once, as opt_einsum does."""

    def __init__(self, method: str = "auto") -> None:
        self.method = method

    def __call__(
        self,
        inputs: Sequence[Collection[Any]],
        output: Collection[Any],
        size_dict: Mapping[Any, int],
        memory_limit: int | None = None,
    ) -> list[tuple[int, ...]]:
        numbers = {label: i for i, label in enumerate(size_dict)}
        labels = [[numbers[label] for label in term] for term in inputs]
        # One number that every element of every operand is: the plan reads no values.
        zero = np.zeros((), np.float32)
        operands = [np.broadcast_to(zero, [size_dict[x] for x in term]) for term in inputs]
        result = [numbers[label] for label in output]
        bytes_limit = zero.itemsize * int(memory_limit or 0)
        try:
            plan = _core.Plan(
                None, operands, labels, result, None, None, bytes_limit, "numpy", self.method
            )
        except MemoryLimitError:
            return [tuple(range(len(labels)))]
        return [tuple(step) for step in plan.path]


path_optimizer = PathOptimizer()
