"""Views that numpy.einsum returns, and the order in memory of the arrays that it makes.

An array of order 'K' lies as the operands do: the axes of the whole iteration (the output's, then
the summed ones) are sorted by the operands' strides, where two operands disagree as in C. An axis
of extent 1 has no say, nor has an operand in an axis that it hasn't.
"""

import numpy as np


def merged(array, term):
    """The array with each label once (diagonals taken) and the labels that are left: a view."""
    if len(set(term)) == len(term):
        return array, term
    writeable = array.flags.writeable
    term = list(term)
    for label in [x for x in dict.fromkeys(term) if term.count(x) > 1]:
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            array = array.diagonal(0, first, second)  # the diagonal becomes the last axis
            del term[second], term[first]
            term.append(label)
    if writeable:
        array.setflags(write=True)
    return array, tuple(term)


def view(array, term, output):
    """The operand itself, its axes in the output's order, diagonals taken; its base is NumPy's."""
    array, term = merged(array, term)
    return array.transpose([term.index(label) for label in output])


def iteration(equation, arrays, sizes, order):
    """The output's axes, the one with the smallest stride first."""
    rank = len(equation.output)
    forced = order
    pairs = [merged(a, term) for a, term in zip(arrays, equation.terms, strict=True)]
    if order == "A":
        forced = "F" if all(array.flags.f_contiguous for array, _ in pairs) else "C"
    if forced == "C":
        return range(rank - 1, -1, -1)
    if forced == "F":
        return range(rank)
    summed = sorted((x for x in sizes if x not in equation.output), key=str)
    labels = (*equation.output, *summed)
    strides = [[_stride(array, term, x) for array, term in pairs] for x in labels]
    sorted_axes = []
    for axis in range(len(labels) - 1, -1, -1):
        place = len(sorted_axes)
        for at in range(len(sorted_axes) - 1, -1, -1):
            verdict = _inside(strides[axis], strides[sorted_axes[at]])
            if verdict:
                place = at
            elif verdict is False:
                break
        sorted_axes.insert(place, axis)
    return [axis for axis in sorted_axes if axis < rank]


def _stride(array, term, label):
    """Its size; 0 in an axis that the operand hasn't, or of extent 1."""
    axis = term.index(label) if label in term else None
    return 0 if axis is None or array.shape[axis] == 1 else abs(array.strides[axis])


def _inside(strides, others):
    """Does the axis belong inside the other? None if no operand can tell; where they differ, no."""
    verdict = None
    for own, other in zip(strides, others, strict=True):
        if own and other:
            verdict = own < other and verdict is not False
    return verdict


def empty(shape, dtype, axes):
    """An uninitialized array whose axes lie in memory as listed, the innermost first."""
    outermost = list(axes)[::-1]
    pattern = np.empty([shape[axis] for axis in outermost], np.int8)
    back = [outermost.index(axis) for axis in range(len(shape))]
    return np.empty_like(pattern.transpose(back), dtype)
