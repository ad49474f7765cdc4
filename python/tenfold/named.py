"""Axes with names of several letters, separated by blanks.

    named.einsum("batch head q d, batch head k d -> batch head q k", q, k)
    named.reduce(x, "b c (h 2) (w 2) -> b c h w", "max")
    named.reduce(x, "... (h h2) -> h ...", "mean", h2=4)

A name is a word of letters, digits and '_'; a name that stands twice in an operand means the
diagonal; '...' stands for the axes that are not named. Names are never guessed: "bi,ij->bj" has the
axes `bi`, `ij` and `bj` here, and is tenfold.einsum's with single letters. Mistakes raise
EquationError with their place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tenfold import _core
from tenfold import _einsum as plain
from tenfold._interchange import as_kind, as_ndarray, kind_of
from tenfold._names import Equation, as_lists, flat, raise_named
from tenfold.errors import ArgumentError, EquationError

_OPS = tuple(name for name in _core.OPS if name not in ("argmax", "argmin"))


def einsum(equation: str, *operands: ArrayLike, **options: Any) -> Any:
    """Contracts the operands by an equation of named axes, always with its output: "i j, j k -> i
    k".

    options: those of tenfold.einsum (out, dtype, path, memory_limit, threads, dialect, method,
    reduce).
    Composite axes and numbers are for reduce(). Raises what tenfold.einsum raises; an EquationError
    points into the named equation."""
    read = Equation(equation, "named.einsum")
    inputs, output, names = as_lists(read)
    if len(inputs) != len(operands):
        _refuse_count(read, operands)
    arguments = [part for pair in zip(operands, inputs, strict=True) for part in pair]
    try:
        return plain.einsum(*arguments, output, **options)
    except EquationError as error:
        if error.marks:
            raise_named(read, (inputs, output), names, error)
        raise


def _refuse_count(read, operands):
    terms, count = len(read.inputs), len(operands)
    if terms > count:
        extra = read.inputs[count]
        mark = (extra.begin, extra.end, f"there is no operand {count}", count)
    else:
        end = read.inputs[-1].end
        mark = (end, end, f"operand {terms} has no term", terms)
    what = f"terms: {terms}, operands: {count}"
    read.refuse(what, "one term for each operand", [mark], code="equation-operands")


def reduce(
    x: ArrayLike,
    equation: str,
    op: str,
    /,
    *,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike | None = None,
    threads: int = 0,
    **sizes: int,
) -> Any:
    """Reduces the axes of `x` that the output doesn't name: "b c (h 2) (w 2) -> b c h w".

    equation: the axes of `x`, '->', those of the result in any order. (h w) is a composite axis,
    its last part the fastest; a number on the left is an axis of that extent that is reduced; 1 on
    either side is an axis of extent 1; '...' stands for the axes that are not named, and is reduced
    if the output lacks it. Of the parts of a composite axis one may be left to be worked out; the
    extents of others are given by name (h2=2).
    op: "sum", "mean", "max", "min", "prod", "l1", "l2", "logsum", "logsumexp", "sumsquare", "any"
    or "all".
    out, dtype, threads: as in tenfold.sum.

    No element of `x` is copied. The result has the dtype of tenfold's reduction of that name.
    Raises EquationError for an equation that doesn't fit `x`, ArgumentError for an unknown op."""
    if op not in _OPS:
        raise ArgumentError(
            f"[named.reduce] unknown operator: expected {', '.join(_OPS)}, got {op!r}",
            "unknown-name",
            "named.reduce",
            ", ".join(_OPS),
            repr(op),
        )
    array = as_ndarray(x, "named.reduce")
    pattern = _Pattern(Equation(equation, "named.reduce"), array.shape, sizes)
    view = pattern.view_of(array)
    axes = tuple(range(len(pattern.kept), view.ndim))
    target, given = None, None
    if out is not None:
        if np.shape(out) != pattern.shape:
            pattern.equation.refuse(
                "out has another shape",
                str(pattern.shape),
                [(*pattern.equation.output[1:], "")],
                str(np.shape(out)),
                code="equation-output",
            )
        given = np.reshape(out, pattern.kept)
        target = given if np.may_share_memory(given, out) else None
    result = _core.reduce_numpy(_core.OPS[op], view, axes, False, target, dtype, threads)
    if out is not None:
        if target is None:  # no view of `out` has these axes
            np.copyto(out, np.reshape(result, pattern.shape), casting="same_kind")
        return out
    if pattern.shape != pattern.kept:
        result = np.reshape(result, pattern.shape)
    return as_kind(result, kind_of(x))


class _Axis:
    """A part of an axis of the operand: a name, or a number (name None)."""

    def __init__(self, name, size, operand_axis):
        self.name, self.size, self.operand_axis = name, size, operand_axis


class _Pattern:
    """The equation of a reduction, fitted to a shape.

    kept: extents of the axes that stay, in the output's order; shape: of the result."""

    def __init__(self, equation, shape, sizes):
        self.equation, self.operand, self.sizes = equation, tuple(shape), dict(sizes)
        if len(equation.inputs) != 1:
            second = equation.inputs[1]
            mark = (second.begin, second.end, "there is no operand 1", 1)
            equation.refuse(
                "a reduction has one operand", "one term", [mark], code="equation-operands"
            )
        self._check_sizes()
        self.axes = []  # in the operand's order
        self._read_input(equation.inputs[0])
        self._read_output(equation.output)

    def _check_sizes(self):
        names = {item.value for item in flat(self.equation.inputs[0].items) if item.kind == "name"}
        for name, size in self.sizes.items():
            end = self.equation.inputs[0].end
            if name not in names:
                what = f"the size of axis '{name}', which the operand lacks"
                self.equation.refuse(what, "a name of the operand", [(end, end, "")], label=name)
            if isinstance(size, bool) or not hasattr(size, "__index__") or size < 0:
                what = f"the size of axis '{name}' is no extent"
                self.equation.refuse(what, "0 or more", [(end, end, "")], repr(size), label=name)
            self.sizes[name] = int(size)

    def _read_input(self, term):
        rank = len(self.operand)
        rest = rank - sum(item.kind != "ellipsis" for item in term.items)
        has_rest = any(item.kind == "ellipsis" for item in term.items)
        if rest < 0 or (rest > 0 and not has_rest):
            count = rank - rest
            self.equation.refuse(
                f"term '{self.equation.text[term.begin : term.end]}' does not fit operand 0",
                f"{'at least ' if has_rest else ''}{count} {'axis' if count == 1 else 'axes'}",
                [(term.begin, term.end, f"operand 0 has shape {self.operand}", 0, -1, rank)],
                str(rank),
                code="equation-rank",
            )
        self.rest = [f"...{i}" for i in range(rest)]
        at = 0
        for item in term.items:
            if item.kind == "ellipsis":
                for name in self.rest:
                    self.axes.append(_Axis(name, self.operand[at], at))
                    at += 1
                continue
            self._split(item, at)
            at += 1

    def _split(self, item, at):
        """One axis of the operand into its parts."""
        extent = self.operand[at]
        parts = item.value if item.kind == "group" else (item,)
        unknown, known = [], 1
        axes = []
        for part in parts:
            if part.kind == "ellipsis":
                mark = (part.begin, part.end, "inside a composite axis", 0, at)
                self.equation.refuse("'...' is part of an axis of the operand", "names", [mark])
            name = part.value if part.kind == "name" else None
            size = part.value if name is None else self.sizes.get(name)
            axes.append(_Axis(name, size, at))
            if size is None:
                unknown.append((part, axes[-1]))
            else:
                known *= size
        if len(unknown) > 1 or (unknown and known == 0):
            marks = [(p.begin, p.end, "not known", 0, at) for p, _ in unknown]
            names = ", ".join(f"{p.value}=" for p, _ in unknown)
            what = f"the parts of axis {at} of the operand cannot be worked out"
            label = unknown[0][0].value
            self.equation.refuse(
                what, f"their sizes: {names}", marks, code="equation-size", label=label
            )
        if unknown and extent % known == 0:
            unknown[0][1].size = extent // known
        elif unknown or known != extent:
            label = next((p.value for p in parts if p.kind == "name"), "")
            self.equation.refuse(
                f"axis {at} of the operand does not fit",
                f"a multiple of {known}" if unknown else str(known),
                [(item.begin, item.end, f"size {extent} in operand 0, axis {at}", 0, at, extent)],
                str(extent),
                code="equation-size",
                label=label,
            )
        self.axes.extend(axes)

    def _read_output(self, term):
        known = {axis.name: axis for axis in self.axes if axis.name is not None}
        seen, shape, kept = {}, [], []
        for item in term.items:
            extent = 1
            for part in item.value if item.kind == "group" else (item,):
                names = self.rest if part.kind == "ellipsis" else [part.value]
                if part.kind == "number":
                    if part.value != 1:
                        mark = (part.begin, part.end, "a new axis")
                        self.equation.refuse("a number in the output", "1, or names", [mark])
                    names = []
                self._check_output(part, known, seen)
                kept.extend(names)
                sizes = [known[name].size for name in names]
                extent *= int(np.prod(sizes, dtype=np.int64))
                if part.kind == "ellipsis" and item.kind != "group":
                    shape.extend(sizes)
            if item.kind != "ellipsis":
                shape.append(extent)
        self.names = kept
        self.kept = tuple(known[name].size for name in kept)
        self.shape = tuple(shape)

    def _check_output(self, part, known, seen):
        if part.kind == "number":
            return
        place = (part.begin, part.end)
        word = "..." if part.kind == "ellipsis" else part.value
        if part.kind == "name" and word not in known:
            what = f"output axis '{word}' is in no operand"
            mark = (*place, "in no operand")
            expected = "an axis of the operand"
            self.equation.refuse(what, expected, [mark], code="equation-output", label=word)
        if word in seen:
            marks = [(*seen[word], "the first"), (*place, "the second")]
            what = f"output axis '{word}' stands twice"
            expected = "each axis at most once"
            self.equation.refuse(what, expected, marks, code="equation-output", label=word)
        seen[word] = place

    def view_of(self, x):
        """A view of `x`: its kept axes in the output's order, then those that are reduced. A name
        that stands twice is its diagonal."""
        split = x.reshape([axis.size for axis in self.axes])  # axes are split only: never a copy
        places = {}  # of each name, of each number
        for i, axis in enumerate(self.axes):
            places.setdefault(i if axis.name is None else axis.name, []).append(i)
        kept = set(self.names)
        order = [*self.names, *(name for name in places if name not in kept)]
        if len(places) == len(self.axes):
            return split.transpose([places[name][0] for name in order])
        for first, *others in places.values():
            for other in others:
                if self.axes[other].size != self.axes[first].size:
                    self._refuse_diagonal(self.axes[first], self.axes[other])
        return np.lib.stride_tricks.as_strided(
            split,
            [split.shape[places[name][0]] for name in order],
            [sum(split.strides[i] for i in places[name]) for name in order],
            writeable=False,
        )

    def _refuse_diagonal(self, *axes):
        items = [i for i in flat(self.equation.inputs[0].items) if i.value == axes[0].name]
        same = [axis for axis in self.axes if axis.name == axes[0].name]
        marks = []
        for axis in axes:
            item = items[same.index(axis)]
            note = f"size {axis.size} in operand 0, axis {axis.operand_axis}"
            marks.append((item.begin, item.end, note, 0, axis.operand_axis, axis.size))
        self.equation.refuse(
            f"axis '{axes[0].name}' has two sizes in one operand",
            "equal sizes along a diagonal",
            marks,
            f"{axes[0].size} and {axes[1].size}",
            code="equation-size",
            label=axes[0].name,
        )
