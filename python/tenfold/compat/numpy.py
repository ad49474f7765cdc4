"""`einsum` with the whole signature and the exact rules of numpy.einsum.

    from tenfold.compat.numpy import einsum      # instead of: from numpy import einsum

What NumPy refuses is refused, what it gives as a view is a view, and results lie in memory as
NumPy's do (with `optimize` as without). The values are Tenfold's: its order of contraction unless
`optimize` is a path, its accuracy, and one type for the whole contraction (with `optimize` NumPy
sums a boolean operand as booleans before it multiplies). Where tenfold.einsum takes more than
NumPy does (labels beyond the ASCII letters, bfloat16), this function says no; NumPy's limit of 63
operands is not kept.

Object arrays and long doubles, which the library has no types for, are computed in Python.
"""

import operator

import numpy as np

from tenfold import _core
from tenfold.compat import _elements, _layout
from tenfold.compat._equation import LETTERS, read, refuse, sizes_of

_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_COMPUTED = frozenset("?bBhHiIlLqQpPefdFD")  # characters of the dtypes that the library has
_ELEMENTS = frozenset("OgG")  # and of those that _elements has


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting=None):
    """numpy.einsum(subscripts, *operands, out=None, dtype=None, order='K', casting='safe',
    optimize=False) and its interleaved form.

    With `optimize`, NumPy's rules differ, and so do these: spaces may stand everywhere, an ellipsis
    that the output lacks is summed, `casting` is 'same_kind' if not given, and `out` may be of most
    types. Raises ValueError (EquationError for the equation), TypeError, and for a path
    RuntimeError, IndexError or KeyError, where NumPy does."""
    key = None
    if out is None and dtype is None and casting is None and type(optimize) is bool:
        key = _key(operands, optimize, order)
        known = _plain.get(key)  # at once: another thread may empty it
        if known is not None:
            return _core.einsum(
                known, operands[1:], None, None, None, None, None, 0, "numpy", "auto", 0
            )
    optimized = optimize is not False
    text, arrays = _arguments(operands, optimized)
    if casting is not None and casting not in _CASTINGS:
        raise ValueError(f"casting: expected one of {', '.join(_CASTINGS)}, got {casting!r}")
    order = "K" if order is None else str(order).upper()
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order: expected 'C', 'F', 'A' or 'K', got {order!r}")
    if out is not None and not isinstance(out, np.ndarray):
        raise TypeError(f"out: expected an array, got {type(out).__name__}")
    dtype = None if dtype is None else np.dtype(dtype)

    equation = read(text, tuple(array.ndim for array in arrays), optimized)
    shapes = [array.shape for array in arrays]
    sizes = equation and sizes_of(equation, shapes)
    if sizes is None:
        refuse(text.replace(" ", "") if optimized else text, shapes)
    path, pairs = _way(optimize, equation) if optimized else (None, False)
    if len(arrays) == 1 and out is None and set(equation.output) == sizes.keys():
        return _returned(_layout.view(arrays[0], equation.terms[0], equation.output))

    shape = tuple(sizes[label] for label in equation.output)
    if out is not None:
        _check_shape_of(out, shape, pairs)
    rule = casting or ("same_kind" if pairs else "safe")
    operand_types = [array.dtype for array in arrays]
    if dtype is not None:
        common = dtype.newbyteorder("=")
    elif out is None or pairs:
        common = _common(operand_types)
    else:
        common = _common([*operand_types, out.dtype])
    for index, kind in enumerate(operand_types):
        if not np.can_cast(kind, common, rule):
            raise TypeError(
                f"operand {index}: no cast from {kind} to {common} by the rule {rule!r}"
            )
    if common.char not in _COMPUTED and common.char not in _ELEMENTS:
        raise TypeError(f"dtype {common}: numpy.einsum computes with numbers, booleans and objects")
    if out is not None:
        _check_type_of(out, common, equation, shapes, pairs, rule)
    target = out if out is not None and _takes(out, common, shape, arrays) else None
    axes = _layout.iteration(equation, arrays, sizes, order)
    result = _computed(equation, arrays, sizes, shape, common, axes, path, target)
    if key and shape and common.char in _COMPUTED and _is_row_major(axes, shape):
        if all(kind == common for kind in operand_types):
            if len(_plain) >= 4096:
                _plain.clear()
            _plain[key] = equation.text
    if out is None:
        if dtype is not None and not dtype.isnative:
            result = result.astype(dtype)
        is_array = len(arrays) == 2 and pairs and _sums_pairs(equation, shapes)
        return result if is_array else _returned(result)
    if target is None:
        np.copyto(out, result, casting="unsafe")  # checked by NumPy's rule above
    return out


# Calls that need nothing beyond the library: of operands of one type that it has, with a new
# row-major array as the result. {what _key gives: the equation}
_plain = {}


def _key(operands, optimize, order):
    if len(operands) < 2 or type(operands[0]) is not str or type(order) is not str:
        return None
    key = [optimize, order, operands[0]]
    for array in operands[1:]:
        if type(array) is not np.ndarray:
            return None
        key += (array.shape, array.strides, array.dtype)
    return tuple(key)


def _is_row_major(axes, shape):
    return list(axes) == list(range(len(shape) - 1, -1, -1))


def _returned(array):
    """A scalar where there are no axes."""
    return array if array.ndim else array[()]


def _arguments(operands, optimized):
    """The equation and the arrays, of either form."""
    if not operands:
        raise ValueError("einsum: expected subscripts and operands")
    if isinstance(operands[0], str):
        text, arrays = operands[0], operands[1:]
    else:
        if len(operands) < 2:
            raise ValueError("einsum: expected at least one operand and its list of labels")
        pairs = len(operands) // 2
        arrays = operands[: 2 * pairs : 2]
        text = ",".join(_letters(each, optimized) for each in operands[1 : 2 * pairs : 2])
        if len(operands) % 2:
            text += "->" + _letters(operands[-1], optimized)
    if not arrays:
        raise ValueError("einsum: expected at least one operand")
    return text, [np.asarray(each) for each in arrays]


def _letters(labels, optimized):
    text = ""
    for label in labels:
        if label is Ellipsis:
            text += "..."
            continue
        label = operator.index(label)
        if not optimized and not 0 <= label < len(LETTERS):
            raise ValueError(f"a label: expected an integer from 0 to 51, got {label}")
        text += LETTERS[label]  # NumPy takes negative ones with optimize
    return text


def _way(optimize, equation):
    """(the given path or None, does NumPy contract the last two operands by matmul or multiply?)"""
    count = len(equation.terms)
    if optimize is True or optimize is None or isinstance(optimize, str):
        method = optimize
    elif len(optimize) and optimize[0] == "einsum_path":
        return _checked_path(optimize[1:], count)
    elif [*map(type, optimize)] in ([str, int], [str, float]):
        method = optimize[0]  # the memory limit is not needed
    else:
        raise TypeError(
            "optimize: expected True, False, 'greedy', 'optimal', one of these names with a limit "
            f"of memory, or the path of numpy.einsum_path, got {optimize!r}"
        )
    if count <= 2:
        return None, count == 2
    if optimize is None or set(equation.output) == {x for term in equation.terms for x in term}:
        return None, False
    if method is not True and method not in ("greedy", "optimal"):
        raise KeyError(f"optimize: expected 'greedy' or 'optimal', got {method!r}")
    return None, True


def _checked_path(steps, count):
    path = [tuple(sorted(map(int, step))) for step in steps]
    left = count
    for step in path:
        if not all(-left <= position < left for position in step):
            raise IndexError(f"path: step {step} is not within the {left} operands that are left")
        left += 1 - len(step)
    if left != 1:
        raise RuntimeError(f"path: it leaves {left} operands, expected one, the result")
    return path, bool(path) and len(path[-1]) == 2


def _common(types):
    """NumPy's type of a computation with arrays of these types."""
    if len(set(types)) == 1:
        return types[0].newbyteorder("=")
    return np.result_type(*types)


def _check_shape_of(out, shape, pairs):
    """Axes of the result of extent 1 may be longer in `out`; with `pairs` it may have more axes."""
    if not out.flags.writeable:
        raise ValueError("out: it is read-only")
    fits = pairs or out.ndim == len(shape)
    if not fits or np.broadcast_shapes(out.shape, shape) != out.shape:
        raise ValueError(f"out: it has shape {out.shape}, the result {shape}")


def _check_type_of(out, common, equation, shapes, pairs, rule):
    if pairs:
        direct = len(equation.terms) == 2 and _written_directly(equation, shapes)
        casts = [(common, out.dtype)] if direct else []
    else:
        casts = [(common, out.dtype), (out.dtype, common)]
    for source, target in casts:
        if not np.can_cast(source, target, rule):
            raise TypeError(f"out: no cast from {source} to {target} by the rule {rule!r}")


def _groups(equation, shapes):
    """Two operands' labels, without the axes of extent 1: (summed in both, in both and the output,
    in the first and the output, in the second and the output)."""
    output = equation.output
    first, second = (
        list(dict.fromkeys(x for x, n in zip(term, shape, strict=True) if n != 1))
        for term, shape in zip(equation.terms, shapes, strict=True)
    )
    return (
        [x for x in first if x in second and x not in output],
        [x for x in first if x in second and x in output],
        [x for x in first if x not in second and x in output],
        [x for x in second if x not in first and x in output],
    )


def _sums_pairs(equation, shapes):
    """Does NumPy's optimized contraction of two operands call matmul? Else it is a product."""
    return bool(_groups(equation, shapes)[0])


def _written_directly(equation, shapes):
    """Does that contraction write into `out` itself, and so check its type? It does for products,
    and for sums whose result needs no other shape or order."""
    summed, batch, rows, columns = _groups(equation, shapes)
    if not summed:
        return True
    groups = [batch, rows, columns] if batch else [rows, columns]
    produced = (*batch, *rows, *columns)
    return all(len(group) == 1 for group in groups) and produced == equation.output


def _takes(out, common, shape, arrays):
    """Can the result be computed in `out`'s memory?"""
    return (
        out.dtype == common
        and out.dtype.isnative
        and out.shape == shape
        and common.char in _COMPUTED
        and not any(np.may_share_memory(out, array) for array in arrays)
    )


def _computed(equation, arrays, sizes, shape, common, axes, path, target):
    # The library converts to wider types itself, without a copy.
    arrays = [
        array
        if array.dtype.char in _COMPUTED
        and array.dtype.isnative  # an array without axes must be
        and np.can_cast(array.dtype, common, "safe")
        else array.astype(common, copy=False)
        for array in arrays
    ]
    if common.char in _ELEMENTS:
        arrays = [array.astype(common, copy=False) for array in arrays]
        result = _layout.empty(shape, common, axes)
        return _elements.contract(equation, arrays, sizes, result, path)
    if target is not None:
        target = np.asarray(target)
    elif not _is_row_major(axes, shape):
        target = _layout.empty(shape, common, axes)
    result = _core.einsum(
        equation.text, arrays, None, None, target, common, path, 0, "numpy", "auto", 0
    )
    return np.asarray(result)
