"""`tenfold compare`: a model on several engines, and where their results part.

    tenfold compare model.onnx -i x=x.npy --engines tenfold,onnxruntime,openvino,onnx
    python -m tenfold.compare model.onnx            # made-up inputs, every engine that is installed

Each engine's outputs are compared with the first one's. Exit code 0: none differs; 1: one differs,
or an engine fails; 2: a wrong call, or fewer than two engines.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold import _engines
from tenfold._engines import ENGINES, Arrays, Input, Source
from tenfold.errors import TenfoldError

# Unless --rtol says otherwise: some hundred roundings of the type.
_RTOL = {"float64": 1e-12, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
_ATOL = 1e-7


class Tolerance(NamedTuple):
    """An element differs if it is further away than atol + rtol * |reference|, or than so many
    ULPs, if those are given. Integers have to be equal, unless ULPs are given."""

    rtol: float | None = None
    atol: float = _ATOL
    ulps: int | None = None


class Difference(NamedTuple):
    """The worst of the elements that are not the same."""

    wrong: int  # how many are out of tolerance; 0: none is
    text: str  # words for it
    place: tuple[int, ...] = ()
    ulps: int | None = None  # None: one of the two is a NaN, or their types or shapes differ


def _order(array: NDArray[Any]) -> NDArray[np.uint64]:
    """Whole numbers in the order of the elements, one apart where these are neighbours; both zeros
    are the same one."""
    bits = np.array(array, order="C").view(f"u{array.itemsize}").astype(np.uint64)
    sign = np.uint64(1 << (8 * array.itemsize - 1))
    if array.dtype.kind in "ub":
        return bits
    if array.dtype.kind == "i":
        return bits ^ sign
    magnitude = bits & (sign - np.uint64(1))
    return np.where(bits & sign, sign - magnitude, sign + magnitude)


def difference(one: NDArray[Any], other: NDArray[Any], limit: Tolerance) -> Difference | None:
    """Of two arrays of any type; None if every element is the same (NaNs are, and both zeros)."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return Difference(1, f"{one.dtype} {one.shape} and {other.dtype} {other.shape}")
    if one.dtype.kind not in "biufV" or one.dtype.names:  # text, sequences
        return None if np.array_equal(one, other) else Difference(one.size, "not the same")
    order_1, order_2 = _order(one), _order(other)
    ulps = np.asarray(np.maximum(order_1, order_2) - np.minimum(order_1, order_2))
    lost = np.zeros(one.shape, bool)
    if one.dtype.kind in "biu":
        worse = ulps.astype(np.float64)
        wrong = ulps > 0
    else:
        wide_1, wide_2 = one.astype(np.float64), other.astype(np.float64)
        rtol = _RTOL.get(one.dtype.name, 0.25) if limit.rtol is None else limit.rtol
        lost = np.isnan(wide_1) != np.isnan(wide_2)
        ulps = np.where(np.isnan(wide_1) & np.isnan(wide_2), np.uint64(0), ulps)
        with np.errstate(all="ignore"):
            worse = np.abs(wide_1 - wide_2) / (limit.atol + rtol * np.abs(wide_1))
        # Infinities next to finite values are wrong by any measure.
        lost |= np.isinf(wide_1) != np.isinf(wide_2)
        worse = np.where(ulps == 0, 0.0, np.where(np.isnan(worse) | lost, np.inf, worse))
        wrong = worse > 1
    if limit.ulps is not None:
        wrong = (ulps > limit.ulps) | lost
        worse = np.where(lost, np.inf, ulps)
    if not ulps.any():
        return None
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(worse)), one.shape))
    a, b = one[place], other[place]
    is_nan = one.dtype.kind not in "biu" and bool(np.isnan(float(a)) != np.isnan(float(b)))
    distance = None if is_nan else int(ulps[place])
    unit = "ULP" if one.dtype.kind not in "biu" else "unit"
    words = f"{a!s} and {b!s}"
    if distance is not None:
        words += f", {distance} {unit}{'s' * (distance != 1)}"
    if place:
        words = f"at {list(place)} {words}"
    return Difference(int(wrong.sum()), words, place, distance)


def _pairs(one: Arrays, other: Arrays) -> list[tuple[str, NDArray[Any], NDArray[Any] | None]]:
    """By name, or by position where an engine has names of its own."""
    if set(one) == set(other):
        return [(name, array, other[name]) for name, array in one.items()]
    rest = [*other.values(), *[None] * len(one)]
    return [(name, array, rest[i]) for i, (name, array) in enumerate(one.items())]


def _compare(one: Arrays, other: Arrays, limit: Tolerance) -> bool:
    """Prints a line for each output; is one of them different?"""
    different = len(one) != len(other)
    if different:
        print(f"  {len(one)} and {len(other)} outputs")
    for name, array, theirs in _pairs(one, other):
        if theirs is None:
            continue
        found = difference(array, theirs, limit)
        title = f"  {name}: {array.dtype} {array.shape}"
        if found is None:
            print(f"{title}: the same")
        elif found.wrong == 0:
            print(f"{title}: within the tolerance; worst {found.text}")
        else:
            print(f"{title}: DIFFERS in {found.wrong} of {array.size}; worst {found.text}")
            different = True
    return different


def first_node(
    source: Source, one: str, other: str, inputs: Arrays, limit: Tolerance
) -> tuple[Any, str, Difference] | None:
    """The first node of an ONNX model whose value differs, the name of that value, and how; None if
    no single one does."""
    whole, values = _engines.with_every_value(source)
    ours, theirs = ENGINES[one](whole, inputs), ENGINES[other](whole, inputs)
    for node, name in values:
        if name in ours and name in theirs:
            found = difference(ours[name], theirs[name], limit)
            if found is not None and found.wrong > 0:
                return node, name, found
    return None


def _say_first_node(source: Source, one: str, other: str, inputs: Arrays, limit: Tolerance) -> None:
    if source.proto is None:
        print("  the nodes are compared in ONNX models only, with the package onnx")
        return
    try:
        found = first_node(source, one, other, inputs, limit)
    except Exception as error:  # an engine may raise anything
        print(f"  with every node's value as an output an engine fails: {_short(error)}")
        return
    if found is None:
        print("  no node differs by itself when every value is kept")
        return
    node, name, how = found
    title = f"{node.op_type} '{node.name}'" if node.name else node.op_type
    print(f"  first node that differs: {title}, its output '{name}': {how.text}")


def _short(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__


def _made_up(port: Input, extent: int, random: np.random.Generator) -> NDArray[Any]:
    """Normal numbers, small integers or truth values, `extent` for each extent left open."""
    if port.dtype is None or port.shape is None:
        raise ValueError(f"the model leaves input '{port.name}' open: give it by -i")
    shape = [n if isinstance(n, int) else extent for n in port.shape]
    dtype = np.dtype(port.dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return random.integers(-8 if dtype.kind == "i" else 0, 9, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def _read_array(file: str) -> NDArray[Any]:
    """.npy, .npz (file.npz:name) or .pb, an ONNX tensor."""
    if file.endswith(".pb"):
        from onnx import load_tensor, numpy_helper

        return np.asarray(numpy_helper.to_array(load_tensor(file)))
    archive, _, member = file.partition(".npz:")
    loaded = np.load(archive + ".npz" if member else file)
    if isinstance(loaded, np.ndarray):
        return loaded
    if not member and len(loaded.files) != 1:
        raise ValueError(f"{file}: expected file.npz:NAME, with NAME one of {loaded.files}")
    return np.asarray(loaded[member or loaded.files[0]])


def _given(words: Sequence[str], ports: Sequence[Input]) -> Arrays:
    arrays: Arrays = {}
    dtypes = {port.name: port.dtype for port in ports}
    for word in words:
        names = [name for name in dtypes if word.startswith(f"{name}=")]
        if names:
            name = min(names, key=len)
            file = word[len(name) + 1 :]
        elif len(dtypes) == 1 and "=" not in word:
            name, file = next(iter(dtypes)), word
        else:
            raise ValueError(f"-i {word}: expected NAME=FILE, with NAME one of {list(dtypes)}")
        if name in arrays:
            raise ValueError(f"-i {word}: input '{name}' is given twice")
        array = _read_array(file)
        # NumPy's files know no bfloat16: its elements are there as two bytes without a type.
        if array.dtype.kind == "V" and dtypes[name] is not None:
            array = array.view(dtypes[name])
        arrays[name] = array
    return arrays


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "tenfold compare",
        description="Runs a model on several engines and says where their results part: the worst "
        "element of each output, and the first node whose value differs.",
        epilog="Exit codes: 0 no difference, 1 a difference or an engine that fails, 2 wrong call.",
    )
    parser.add_argument("model", metavar="MODEL", help="an ONNX model, or an OpenVINO IR (.xml)")
    parser.add_argument(
        "-i",
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="once for each input: .npy, .npz:NAME or .pb; FILE alone if there is one; what is "
        "not given is made up",
    )
    parser.add_argument(
        "--engines",
        default=",".join(ENGINES),
        metavar="LIST",
        help="of %(default)s; the others are compared with the first",
    )
    parser.add_argument("--rtol", type=float, help="default: by type, 1e-4 for float32")
    parser.add_argument("--atol", type=float, default=_ATOL, help="default: %(default)s")
    parser.add_argument("--ulps", type=int, help="most ULPs, instead of --rtol and --atol")
    parser.add_argument("--seed", type=int, default=0, help="of what is made up")
    parser.add_argument(
        "--extent", type=int, default=4, help="of axes that the model leaves open; default: 4"
    )
    return parser


def _prepare(options: argparse.Namespace) -> tuple[Source, Arrays, list[str]]:
    """The model, its inputs, the engines that can run it. Raises ValueError, OSError and
    TenfoldError for a wrong call."""
    engines = [name for name in options.engines.split(",") if name]
    unknown = [name for name in engines if name not in ENGINES]
    if unknown:
        raise ValueError(f"unknown engine '{unknown[0]}': expected some of {', '.join(ENGINES)}")
    source = _engines.read(pathlib.Path(options.model))
    ports = _engines.inputs_of(source)
    inputs = _given(options.input, ports)
    usable = []
    for name in engines:
        reason = _engines.why_not(name, source)
        if reason is None:
            usable.append(name)
        else:
            print(f"{name}: {reason}")
    if len(usable) < 2:
        raise ValueError(f"two engines are needed, there is {usable[0] if usable else 'none'}")
    random = np.random.default_rng(options.seed)
    for port in ports:
        if port.name not in inputs:
            array = inputs[port.name] = _made_up(port, options.extent, random)
            print(f"input {port.name}: made up, {array.dtype} {array.shape}, seed {options.seed}")
    return source, inputs, usable


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        source, inputs, engines = _prepare(options)
    except (ValueError, OSError, TenfoldError) as error:
        print(f"tenfold compare: {error}", file=sys.stderr)
        return 2
    limit = Tolerance(options.rtol, options.atol, options.ulps)
    results: dict[str, Arrays] = {}
    different = False
    for name in engines:
        try:
            results[name] = ENGINES[name](source, inputs)
        except Exception as error:  # an engine may raise anything
            print(f"{name}: FAILS: {_short(error)}")
            different = True
    reference = next(iter(results), None)
    for name, arrays in results.items():
        if reference is None or name == reference:
            continue
        print(f"{reference} and {name}:")
        if _compare(results[reference], arrays, limit):
            _say_first_node(source, reference, name, inputs, limit)
            different = True
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
