"""Reads an equation as numpy.einsum does: the labels of each operand's axes and of the output's."""

import functools
from typing import NamedTuple

import numpy as np

from tenfold import _core
from tenfold.errors import EquationError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Equation(NamedTuple):
    """A letter is the label of an axis. An axis of the ellipsis is its number from the right."""

    text: str  # without spaces, the output written out
    terms: tuple
    output: tuple


@functools.lru_cache(4096)
def read(text, ranks, optimized):
    """The Equation for operands of these ranks, or None where something is wrong with it. With
    `optimized` by the rules that NumPy has for optimize=…: spaces everywhere, and an ellipsis that
    is not in the output is summed."""
    if optimized:
        text = text.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        return None
    terms = tuple(_labels(part, rank) for part, rank in zip(parts, ranks, strict=True))
    if any(term is None for term in terms):
        return None
    counts = {}
    for term in terms:
        for label in term:
            counts[label] = counts.get(label, 0) + 1
    dots = max((-label for label in counts if isinstance(label, int)), default=0)
    if arrow:
        letters = _labels(right, len(right.replace(" ", "").replace("...", "")) + dots)
        if letters is None and "." not in right:
            summed = _labels(right, len(right.replace(" ", "")))
            letters = summed if optimized else None  # the ellipsis is summed
        if letters is None or len(set(letters)) < len(letters) or not set(letters) <= counts.keys():
            return None
        output = letters
        right = right.replace(" ", "")
    else:
        once = sorted(x for x, count in counts.items() if isinstance(x, str) and count == 1)
        output = (*range(-dots, 0), *once)
        right = "..." * (dots > 0) + "".join(once)
    return Equation(f"{left.replace(' ', '')}->{right}", terms, output)


def _labels(part, rank):
    """Of one term; None if it is no term for this many axes."""
    pieces = part.split("...")
    if len(pieces) > 2:
        return None
    head, *tail = (piece.replace(" ", "") for piece in pieces)
    dots = rank - len(head) - len("".join(tail))
    if dots < 0 or (dots > 0 and not tail) or not set(head + "".join(tail)) <= set(LETTERS):
        return None
    return (*head, *range(-dots, 0), *"".join(tail))


def sizes_of(equation, shapes):
    """{label: extent}; an extent of 1 stretches between operands. None where extents differ."""
    sizes = {}
    for term, shape in zip(equation.terms, shapes, strict=True):
        own = {}
        for label, size in zip(term, shape, strict=True):
            if own.setdefault(label, size) != size:
                return None
        for label, size in own.items():
            if sizes.setdefault(label, size) == 1:
                sizes[label] = size
            elif size not in (1, sizes[label]):
                return None
    return sizes


def refuse(text, shapes):
    """Raises the library's error for what read() or sizes_of() found wrong."""
    for letter in text:
        if letter.isalpha() and letter not in LETTERS:
            raise EquationError(
                f"label {letter!r}: expected a letter from a to z or A to Z", "equation-syntax"
            )
    nothing = [np.ndarray(shape, np.int8, b"\0", strides=(0,) * len(shape)) for shape in shapes]
    _core.Plan(text, nothing, None, None, None, None, 0, "numpy", "auto")
    if "..." in text.partition("->")[0] and "..." not in text.partition("->")[2]:
        raise EquationError(
            "the axes of the operands' ellipsis would be summed: expected '...' in the output",
            "equation-output",
        )
    raise EquationError(
        f"{text!r}: expected '->' and '...' without spaces inside", "equation-syntax"
    )
