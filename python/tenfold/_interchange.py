"""Arrays of other libraries: operands as NumPy arrays where a function of Python looks at them, and
results of the kind of the operands (PyTorch tensors and JAX arrays come back as such)."""

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


def as_ndarray(operand, who):
    """A numpy.ndarray over the same memory, of what the library itself takes as an operand. Raises
    TypeError for subclasses of ndarray and for what is not in the memory of the CPU."""
    if type(operand) is np.ndarray:
        return operand
    if isinstance(operand, np.ndarray):
        raise TypeError(
            f"{who}: the operand is a subclass of numpy.ndarray ({type(operand).__name__}), which "
            "may mean something else by the same call; pass numpy.asarray(x)"
        )
    if kind_of(operand) == "torch":
        return _of_torch(operand, who)
    return np.from_dlpack(operand) if _has_dlpack_alone(operand) else np.asarray(operand)


def shape_of(operand, who):
    shape = getattr(operand, "shape", None)
    return tuple(shape) if shape is not None else as_ndarray(operand, who).shape


def _of_torch(tensor, who):
    torch = sys.modules["torch"]
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise TypeError(
            f"{who}: expected an array in the memory of the CPU, got one that gives no such view"
        )
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype != torch.bfloat16:
        return tensor.numpy()
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise TypeError(f"{who}: a bfloat16 operand needs the package ml_dtypes") from None
    return tensor.view(torch.int16).numpy().view(bfloat16)


def _has_dlpack_alone(operand):
    if not hasattr(operand, "__dlpack__"):
        return False
    if hasattr(operand, "__array__") or hasattr(operand, "__array_interface__"):
        return False
    try:
        memoryview(operand)
    except TypeError:
        return True
    return False
