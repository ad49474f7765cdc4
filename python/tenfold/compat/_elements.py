"""einsum over elements that the library has no type for: Python objects, long doubles.

Plain loops, with the elements' own * and +; what they raise comes out as it is. Many operands are
contracted two at a time if the caller gives an order.
"""

import itertools

import numpy as np

from tenfold.compat._layout import merged


def contract(equation, arrays, sizes, out, path=None):
    """Writes the result into `out`. In an object array a sum begins with the int 0, as NumPy's."""
    terms, arrays = list(equation.terms), list(arrays)
    with np.errstate(all="ignore"):
        for step in (path or ())[:-1]:
            taken = sorted(step, reverse=True)
            parts = [(terms.pop(i), arrays.pop(i)) for i in taken][::-1]
            needed = set(equation.output).union(*terms)
            kept = tuple(dict.fromkeys(x for term, _ in parts for x in term if x in needed))
            shape = [max_extent(x, parts) for x in kept]
            made = np.empty(shape, out.dtype)
            _fold([term for term, _ in parts], [a for _, a in parts], kept, made)
            terms.append(kept)
            arrays.append(made)
        _fold(terms, arrays, equation.output, out, sizes)
    return out


def max_extent(label, parts):
    """Of a label in these operands; an extent of 1 stretches."""
    extents = [a.shape[term.index(label)] for term, a in parts if label in term]
    return next((n for n in extents if n != 1), 1)


def _fold(terms, arrays, output, out, sizes=None):
    pairs = [merged(array, term) for array, term in zip(arrays, terms, strict=True)]
    parts = [(term, array) for array, term in pairs]
    labels = list(dict.fromkeys((*output, *(x for term in terms for x in term))))
    extents = [sizes[x] if sizes else max_extent(x, parts) for x in labels]
    # Where in the indices of the loops each operand's own indices stand; extents of 1 stay at 0.
    readers = []
    for array, term in pairs:
        wide = [(i, x) for i, x in enumerate(term) if array.shape[i] != 1]
        narrow = array[tuple(slice(None) if array.shape[i] != 1 else 0 for i in range(len(term)))]
        readers.append((np.asarray(narrow, array.dtype), [labels.index(x) for _, x in wide]))
    zero = 0 if out.dtype == object else out.dtype.type(0)
    rank = len(output)
    inner = [range(n) for n in extents[rank:]]
    for place in itertools.product(*(range(n) for n in extents[:rank])):
        total = zero
        for rest in itertools.product(*inner):
            index = place + rest
            product = None
            for at, (array, axes) in enumerate(readers):
                element = array[tuple(index[axis] for axis in axes)]
                product = element if at == 0 else product * element
            total = total + product
        out[place] = total
