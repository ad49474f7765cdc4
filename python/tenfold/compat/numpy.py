"""`einsum` with the whole signature and the exact rules of numpy.einsum.

    from tenfold.compat.numpy import einsum      # instead of: from numpy import einsum

What NumPy refuses is refused, what it gives as a view is a view; the values are Tenfold's. Where
tenfold.einsum takes more than NumPy does (an ellipsis that is summed, labels beyond the ASCII letters),
this function says no, as NumPy would. Object arrays are the exception: Tenfold does not compute with
Python objects.
"""

import numpy as np

from tenfold import _core
from tenfold._einsum import _interleaved, _path_of
from tenfold.errors import EquationError

_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """numpy.einsum(subscripts, *operands, out=None, optimize=False, dtype=None, order='K', casting='safe')
    and its interleaved form. Raises ValueError and TypeError where NumPy does."""
    equation, arrays = _arguments(operands)
    if casting not in _CASTINGS:
        raise ValueError(f"casting must be one of {', '.join(map(repr, _CASTINGS))}, got {casting!r}")
    order = str(order).upper()
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K', got {order!r}")
    if out is not None and not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array, got {type(out).__name__}")
    path = _optimization(optimize)
    terms, output = _numpys_rules(equation, arrays)
    common = np.result_type(*arrays) if dtype is None else np.dtype(dtype)
    for array in arrays:
        if not np.can_cast(array.dtype, common, casting):
            raise TypeError(
                f"cannot cast operand from {array.dtype} to {common} by the rule {casting!r}"
            )
    if out is None and dtype is None and len(arrays) == 1 and order == "K":
        view = _view(arrays[0], terms[0], output)
        if view is not None:
            return view
    result = _core.einsum(
        equation, tuple(arrays), None, None, None, common, path, 0, "numpy", "auto", 0
    )
    return _delivered(result, out, common, order, casting, arrays)


def _arguments(operands):
    if not operands:
        raise ValueError("einsum needs a string of subscripts and operands, or operands and lists")
    if isinstance(operands[0], str):
        equation, arrays = operands[0], operands[1:]
    else:
        if len(operands) < 2:
            raise ValueError("einsum needs at least one operand with its list of subscripts")
        arrays, labels, output = _interleaved(operands)
        equation = ",".join(_letters(each) for each in labels)
        if output is not None:
            equation += "->" + _letters(output)
    if not arrays:
        raise ValueError("einsum needs at least one operand")
    return equation, [np.asanyarray(each) for each in arrays]


def _letters(labels):
    text = ""
    for label in labels:
        if label == -1:
            text += "..."
        elif 0 <= label < 52:
            text += chr(ord("A") + label) if label < 26 else chr(ord("a") + label - 26)
        else:
            raise ValueError(f"a label must be an integer from 0 to 51, got {label}")
    return text


def _optimization(optimize):
    """A given path, or None: the order is Tenfold's own then, whatever NumPy would try."""
    if isinstance(optimize, (bool, np.bool_)) or optimize is None:
        return None
    if isinstance(optimize, str):
        if optimize not in ("greedy", "optimal"):
            raise KeyError(f"optimize: {optimize!r} is no method; known are 'greedy' and 'optimal'")
        return None
    first = optimize[0] if len(optimize) else None
    if first == "einsum_path":
        return _path_of(optimize)
    if isinstance(first, str) and len(optimize) == 2:
        return _optimization(first)  # ("greedy", memory limit)
    return _path_of(optimize)


def _numpys_rules(equation, arrays):
    """Refuses what tenfold.einsum takes and NumPy doesn't; the terms and the output, if explicit."""
    text = equation.replace(" ", "")
    for letter in text:
        if letter.isalpha() and not letter.isascii():
            raise EquationError(
                f"label {letter!r}: expected a letter from a to z or A to Z", "equation-syntax"
            )
    left, arrow, output = text.partition("->")
    terms = left.split(",")
    if arrow and "..." in left and "..." not in output:
        widest = max(
            (a.ndim - len(t.replace("...", ""))
             for t, a in zip(terms, arrays, strict=False) if "..." in t),
            default=0,
        )
        if widest > 0:
            raise EquationError(
                "the output has no ellipsis, so the axes of the operands' ellipsis would be summed: "
                "expected '...' in the output",
                "equation-output",
            )
    return terms, output if arrow else None


def _view(array, term, output):
    """What NumPy returns for one operand and nothing summed: a view, diagonals included."""
    dots = array.ndim - len(term.replace("...", ""))
    if dots < 0 or (dots > 0 and "..." not in term):
        return None
    hidden = "".join(chr(0x2460 + i) for i in range(dots))
    labels = term.replace("...", hidden)
    if output is None:
        output = hidden + "".join(sorted(x for x in set(labels) - set(hidden) if labels.count(x) == 1))
    else:
        output = output.replace("...", hidden)
    if set(output) != set(labels) or len(set(output)) != len(output) or not labels.isprintable():
        return None
    if any(not (x.isalpha() or x in hidden) for x in labels):
        return None
    sizes, strides = {}, {}
    for label, size, stride in zip(labels, array.shape, array.strides, strict=True):
        if sizes.setdefault(label, size) != size:
            return None
        strides[label] = strides.get(label, 0) + stride
    return np.lib.stride_tricks.as_strided(
        array, [sizes[x] for x in output], [strides[x] for x in output], writeable=array.flags.writeable
    )


def _delivered(result, out, common, order, casting, arrays):
    if out is not None:
        if not np.can_cast(common, out.dtype, casting):
            raise TypeError(f"cannot cast the result from {common} to {out.dtype} by {casting!r}")
        if out.shape != np.shape(result):
            raise ValueError(f"out has shape {out.shape}, the result {np.shape(result)}")
        np.copyto(out, result, casting=casting)
        return out
    if order in ("A", "K"):
        fortran = all(a.flags.f_contiguous and not a.flags.c_contiguous for a in arrays)
        order = "F" if order == "A" and fortran else "C"
    if np.ndim(result) == 0:
        return result
    return np.asarray(result, order=order)
