"""Results of the kind of the operands: PyTorch tensors and JAX arrays come back as such."""

import sys

import numpy as np


def kind_of(operand):
    """'torch', 'jax', or None for everything that gets a NumPy array back."""
    module = type(operand).__module__
    if module == "numpy":
        return None
    root = module.partition(".")[0]
    if root == "torch":
        return "torch"
    return "jax" if root in ("jax", "jaxlib") else None


def as_kind(array, kind):
    if kind is None:
        return array
    if kind == "torch":
        torch = sys.modules["torch"]
        array = np.asarray(array)
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)
    return sys.modules["jax"].numpy.asarray(array)
