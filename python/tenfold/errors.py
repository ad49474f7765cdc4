"""What Tenfold raises. Each is also the built-in exception that NumPy would raise, so that handlers
written for it keep working.

`code` is stable ("equation-size"); `where`, `expected` and `got` are the parts of the message. An
EquationError also knows the place: `equation`, `label`, and `marks`, of which `span`, `operand`,
`axis` and `sizes` are the short forms.
"""

import operator
from typing import Any, NamedTuple


class Mark(NamedTuple):
    """A part of an equation that an error points at; -1 stands for none."""

    offset: int  # in bytes of the equation
    length: int
    operand: int
    axis: int
    size: int
    note: str


class TenfoldError(Exception):
    """The base of all."""

    code: str
    where: str
    expected: str
    got: str

    def __init__(
        self,
        message: str = "",
        code: str = "",
        where: str = "",
        expected: str = "",
        got: str = "",
    ) -> None:
        super().__init__(message)
        self.code, self.where, self.expected, self.got = code, where, expected, got

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (str(self), self.code, self.where, self.expected, self.got)
        return (type(self), parts, self.__dict__.copy())


class EquationError(TenfoldError, ValueError):
    """A mistake in an einsum equation, or operands that don't fit it."""

    equation: str = ""
    label: str = ""
    marks: tuple[Mark, ...] = ()

    @property
    def span(self) -> tuple[int, int] | None:
        """(first, past the last) byte of the equation at the first mark, or None."""
        if not self.marks:
            return None
        first = self.marks[0]
        return (first.offset, first.offset + first.length)

    @property
    def operand(self) -> int | None:
        return next((mark.operand for mark in self.marks if mark.operand >= 0), None)

    @property
    def axis(self) -> int | None:
        return next((mark.axis for mark in self.marks if mark.axis >= 0), None)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(mark.size for mark in self.marks if mark.size >= 0)


class ShapeError(TenfoldError, ValueError):
    """A shape, stride or layout that doesn't fit."""


class AxisError(ShapeError, IndexError):
    """An axis that is out of range, or there twice."""


class DTypeError(TenfoldError, TypeError):
    """A type that the operator doesn't take."""


class ArgumentError(TenfoldError, ValueError):
    """An argument that is no answer to what was asked: an unknown name, a bad option."""


class UnsupportedError(TenfoldError, NotImplementedError):
    """Well-formed, but Tenfold does not do it."""


class ModelError(TenfoldError, ValueError):
    """A model or data file that is wrong."""


class MemoryLimitError(TenfoldError, MemoryError):
    """No memory, or no order of contraction within the limit."""


def argument_error(where: str, what: str, expected: str, got: object) -> ArgumentError:
    """For an argument of Python that the library never sees."""
    message = f"[{where}] {what}= is wrong: expected {expected}, got {got!r}"
    return ArgumentError(message, "bad-argument", where, expected, repr(got))


def whole_number(where: str, what: str, value: object) -> int:
    """`value` as an int; True and False are 1 and 0. Raises ArgumentError for anything else."""
    if type(value).__name__ in ("bool", "bool_"):
        return int(bool(value))
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise argument_error(where, what, "a whole number", value) from None


_CLASSES: dict[str, type[TenfoldError]] = {
    "axis-out-of-range": AxisError,
    "duplicate-axis": AxisError,
    "axes-rank": ShapeError,
    "empty-axis": ShapeError,
    "rank-zero": ShapeError,
    "rank-too-large": ShapeError,
    "size-overflow": ShapeError,
    "shape-mismatch": ShapeError,
    "overlap": ShapeError,
    "axes-type": DTypeError,
    "type-not-allowed": DTypeError,
    "type-mismatch": DTypeError,
    "unsupported-operator": UnsupportedError,
    "unsupported-version": UnsupportedError,
    "unsupported-feature": UnsupportedError,
    "malformed-model": ModelError,
    "malformed-data": ModelError,
    "missing-input": ModelError,
    "file": ModelError,
    "out-of-memory": MemoryLimitError,
}


def from_core(
    code: str, message: str, where: str, expected: str, got: str, place: Any
) -> TenfoldError:
    """The exception for an error of the library. Called by the extension module."""
    if code.startswith("equation-"):
        kind: type[TenfoldError] = EquationError
    else:
        kind = _CLASSES.get(code, ArgumentError)
    error = kind(message, code, where, expected, got)
    if place is not None and isinstance(error, EquationError):
        error.equation, error.label = place[0], place[1]
        error.marks = tuple(Mark(*mark) for mark in place[2])
    return error
