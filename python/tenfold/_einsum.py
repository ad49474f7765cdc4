"""einsum: NumPy's call, the standards' dialects, and plans."""

from __future__ import annotations

import json
import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tenfold import _core
from tenfold._interchange import as_kind, as_ndarray, kind_of
from tenfold._masked import check_out
from tenfold.errors import ShapeError, argument_error, whole_number

_DIALECT, _METHOD, _REDUCE = "numpy", "auto", "sum"
_LABELS = 2**31  # of the interleaved form: more than operands have axes


def einsum(
    equation: str | ArrayLike,
    *operands: Any,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike | None = None,
    path: Any = None,
    memory_limit: int = 0,
    threads: int = 0,
    dialect: str = _DIALECT,
    method: str = _METHOD,
    reduce: str = _REDUCE,
    **numpys: Any,
) -> Any:
    """Contracts the operands by the equation: einsum("ij,jk->ik", a, b), or in the interleaved form
    einsum(a, [0, 1], b, [1, 2], [0, 2]).

    path: an order of contraction as numpy.einsum_path and opt_einsum give it, or a tree of
    cotengra. memory_limit: most bytes of intermediates alive at a time. dialect: "numpy", "onnx:N"
    or "openvino". optimize=, order= and casting= are NumPy's, and bring its exact rules with them
    (tenfold.compat.numpy). Raises EquationError with the place of the mistake."""
    if numpys:  # optimize, order, casting: NumPy's own call, by its rules
        from tenfold.compat.numpy import einsum as numpys_einsum

        ours = (path, memory_limit, threads, dialect, method, reduce)
        if ours != (None, 0, 0, _DIALECT, _METHOD, _REDUCE):
            raise TypeError(f"{', '.join(numpys)} cannot stand beside arguments that NumPy lacks")
        result = numpys_einsum(equation, *operands, out=out, dtype=dtype, **numpys)
        first = equation if not isinstance(equation, str) else operands[0]
        return result if out is not None else as_kind(result, kind_of(first))
    if (
        out is dtype is path is None  # first the usual call, by the shortest way
        and dialect is _DIALECT
        and method is _METHOD
        and reduce is _REDUCE
        and type(equation) is str
        and type(memory_limit) is type(threads) is int
        and memory_limit == threads == 0
    ):
        result = _core.einsum_plain(equation, operands)
        if operands and type(operands[0]) is np.ndarray:
            return result
        return as_kind(result, kind_of(operands[0]))
    labels = output = None
    if not isinstance(equation, str):
        operands, labels, output = _interleaved((equation, *operands))
        equation = None
    if path is not None:
        path = _path_of(path)
    call = (equation, operands, labels, output)
    try:
        if reduce != "sum":
            result = _core.einsum_fold(reduce, *call, out, dtype, dialect, threads)
        else:
            result = _core.einsum(*call, out, dtype, path, memory_limit, dialect, method, threads)
    except TypeError:
        if type(out) is not np.ndarray or (dtype, dialect, reduce) != (None, _DIALECT, "sum"):
            raise
        # Into a wider out, in its type, as NumPy does.
        kind = out.dtype.newbyteorder("=")
        if np.result_type(kind, *(as_ndarray(each, "einsum").dtype for each in operands)) != kind:
            raise
        result = _core.einsum(*call, None, kind, path, memory_limit, dialect, method, threads)
        check_out("einsum", out, np.shape(result))
        out[...] = result
        return out
    if out is not None or not operands or type(operands[0]) is np.ndarray:
        return result
    return as_kind(result, kind_of(operands[0]))


def _interleaved(arguments):
    """(a, [0, 1], b, [1, 2], [0, 2]) -> operands, their labels, the output's."""
    pairs = len(arguments) // 2
    if not pairs:
        raise argument_error("einsum", "operands", "an operand and its labels", arguments[0])
    operands = tuple(arguments[0 : 2 * pairs : 2])
    labels = [_labels(each) for each in arguments[1 : 2 * pairs : 2]]
    output = _labels(arguments[-1]) if len(arguments) % 2 else None
    return operands, labels, output


def _labels(subscripts):
    try:
        labels = [-1 if each is Ellipsis else operator.index(each) for each in subscripts]
    except TypeError:
        expected = "a list of whole numbers and Ellipsis"
        raise argument_error("einsum", "labels", expected, subscripts) from None
    for label in labels:
        if label >= _LABELS:
            raise argument_error("einsum", "labels", f"numbers below {_LABELS}", label)
        if label < -_LABELS:
            raise argument_error("einsum", "labels", "numbers from 0 on", label)
    return labels


def _path_of(path):
    """NumPy's 'einsum_path' marker is dropped; True, False and names of methods are no paths."""
    if path is None:
        return None
    if hasattr(path, "get_path"):  # a tree of cotengra
        path = path.get_path()
    expected = "a list of steps, as (0, 1), of positions of operands"
    if isinstance(path, str):
        raise argument_error("einsum", "path", expected + " (method= takes a name)", path)
    try:
        steps = list(path)
        if steps and isinstance(steps[0], str):
            steps = steps[1:]
        return [list(map(operator.index, step)) for step in steps]
    except TypeError:
        raise argument_error("einsum", "path", expected, path) from None


class Plan:
    """An equation planned for the layouts of its operands. Call it with arrays of the same dtypes,
    shapes and strides; safe from many threads; can be pickled."""

    def __init__(
        self,
        equation: str,
        operands: Sequence[Any],
        constants: Mapping[int, Any] | None,
        dtype: DTypeLike | None,
        path: list[list[int]] | None,
        memory_limit: int,
        dialect: str,
        method: str,
    ) -> None:
        self._settings = (equation, dtype, path, memory_limit, dialect, method)
        self._constants = dict(constants or {})
        self._operands = tuple(operands)
        self._core = _core.Plan(
            equation, self._operands, None, None, dtype, path, memory_limit, dialect, method
        )
        self._call = self._core.call  # found once: a lookup counts beside a small contraction
        self._free = [i for i in range(len(operands)) if i not in self._constants]

    def __call__(
        self, *operands: ArrayLike, out: NDArray[Any] | None = None, threads: int = 0
    ) -> Any:
        if self._constants:
            if len(operands) != len(self._free):
                raise TypeError(f"expected {len(self._free)} operands, got {len(operands)}")
            whole = list(self._operands)
            for index, operand in zip(self._free, operands, strict=True):
                whole[index] = operand
            operands = tuple(whole)
        result = self._call(operands, out, threads)
        if out is not None or not operands or type(operands[0]) is np.ndarray:
            return result
        return as_kind(result, kind_of(operands[0]))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the result."""
        return self._core.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the result."""
        return self._core.dtype

    @property
    def path(self) -> list[tuple[int, ...]]:
        """The order of contraction, as numpy.einsum_path writes it."""
        return [tuple(step) for step in self._core.path]

    @property
    def cost(self) -> dict[str, Any]:
        """flops, bytes, largest_intermediate (elements), peak_memory (bytes)."""
        return self._core.cost

    def explain(self) -> Explanation:
        """The steps in words, each with its kernel and why. print(plan.explain()) shows it;
        to_dict(), dot() and svg() hold the same."""
        return Explanation(self._core)

    def __reduce__(self) -> tuple[Any, ...]:
        equation, dtype, path, memory_limit, dialect, method = self._settings
        constants = {
            i: each if kind_of(each) else as_ndarray(each, "plan")
            for i, each in self._constants.items()
        }
        layouts = [
            None if i in constants else _layout_of(operand)
            for i, operand in enumerate(self._operands)
        ]
        return _unpickled, (
            equation,
            layouts,
            constants,
            dtype,
            path,
            memory_limit,
            dialect,
            method,
        )

    def __repr__(self) -> str:
        return f"<tenfold.Plan {self._settings[0]!r} -> {self.dtype} {self.shape}>"

    def _repr_svg_(self) -> str:
        return self._core.explain("svg")


class _Texts(dict[str, str]):
    """An explanation that outlives its plan: when it is pickled."""

    def explain(self, form: str) -> str:
        return self[form]


class Explanation(str):
    """What a plan does, as text."""

    def __new__(cls, core: _core.Plan | _Texts) -> Explanation:
        self = super().__new__(cls, core.explain("text"))
        self._core = core
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        texts = {form: self._core.explain(form) for form in ("text", "json", "dot", "svg")}
        return Explanation, (_Texts(texts),)

    def to_dict(self) -> dict[str, Any]:
        """The steps as data."""
        steps: dict[str, Any] = json.loads(self._core.explain("json"))
        return steps

    def dot(self) -> str:
        """For Graphviz."""
        return self._core.explain("dot")

    def svg(self) -> str:
        return self._core.explain("svg")

    def _repr_svg_(self) -> str:
        return self.svg()


def _layout_of(array):
    array = as_ndarray(array, "plan")
    return (array.dtype.name, array.shape, array.strides)


def _array_like(layout):
    """An array of this layout; its elements are never read."""
    name, shape, strides = layout
    if name == "bfloat16":
        import ml_dtypes

        kind = np.dtype(ml_dtypes.bfloat16)
    else:
        kind = np.dtype(name)
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n > 0)
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n > 0)
    memory = np.empty(high - low + kind.itemsize, np.uint8)
    return np.ndarray(shape, kind, memory, offset=-low, strides=strides)


def _unpickled(equation, layouts, constants, *rest):
    operands = [
        constants[i] if layout is None else _array_like(layout) for i, layout in enumerate(layouts)
    ]
    return Plan(equation, operands, constants, *rest)


def compile(
    equation: str,
    *operands: Any,
    constants: Mapping[int, ArrayLike] | Collection[int] | None = None,
    dtype: DTypeLike | None = None,
    path: Any = None,
    memory_limit: int = 0,
    dialect: str = _DIALECT,
    method: str = "auto",
) -> Plan:
    """A Plan. `operands` are arrays, or shapes of row-major float32 arrays ((4, 5) or [4, 5]).
    `constants`: positions of operands whose arrays are kept, {1: b} or a set of positions; the plan
    is then called with the others alone."""
    arrays = [_operand_of(operand, dtype) for operand in operands]
    for index in constants or ():
        if whole_number("compile", "constants", index) not in range(len(arrays)):
            expected = f"positions from 0 to {len(arrays) - 1}"
            raise argument_error("compile", "constants", expected, index)
    if constants is not None and not isinstance(constants, dict):
        constants = {index: arrays[index] for index in constants}
    for index, array in (constants or {}).items():
        arrays[index] = array
    return Plan(equation, arrays, constants, dtype, _path_of(path), memory_limit, dialect, method)


def _operand_of(operand, dtype):
    is_list = isinstance(operand, (tuple, list))
    if not is_list or not all(isinstance(n, (int, np.integer)) for n in operand):
        return operand
    operand = [int(n) for n in operand]
    if any(n < 0 for n in operand):
        got = str(tuple(operand))
        message = f"[compile] a shape with a negative extent: expected 0 or more, got {got}"
        raise ShapeError(message, "size-overflow", "compile", "0 or more", got)
    kind = np.dtype(dtype or np.float32)
    strides = np.cumprod([kind.itemsize, *operand[:0:-1]])[::-1] if operand else []
    strides = tuple(int(s) for s in strides)[: len(operand)]
    return _array_like((kind.name, tuple(operand), strides))


def einsum_path(
    equation: str,
    *operands: Any,
    method: str = "auto",
    memory_limit: int = 0,
    dialect: str = _DIALECT,
) -> tuple[list[Any], Explanation]:
    """(path, text): the order that einsum would take, in the form of numpy.einsum_path, and the
    plan in words. The path goes into einsum's path=, numpy.einsum and opt_einsum.contract."""
    plan = compile(equation, *operands, method=method, memory_limit=memory_limit, dialect=dialect)
    return ["einsum_path", *plan.path], plan.explain()
