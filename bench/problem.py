"""A benchmark row: its text taken apart, and the data that the text stands for.

Read by the driver (run.py) and by every contender written in Python.
"""

import dataclasses
import hashlib
import math
import mmap
import re

import numpy as np

# Short name: how NumPy stores it. NumPy has no bf16, so its bits are kept as 16-bit integers.
STORAGE = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.uint16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "bool": np.bool_,
}
OPERATORS = (
    "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum "
    "ReduceLogSumExp ReduceSumSquare ArgMax ArgMin"
).split()


@dataclasses.dataclass(frozen=True)
class Problem:
    text: str
    op: str
    dtype: str
    shape: tuple  # of the memory
    axes: tuple  # of the view, ascending
    keepdims: bool
    perm: tuple | None = None
    full_range: bool = False

    @property
    def view_shape(self):
        return tuple(self.shape[i] for i in self.perm) if self.perm else self.shape

    @property
    def output_shape(self):
        kept = ((1 if i in self.axes else n) for i, n in enumerate(self.view_shape))
        if self.keepdims:
            return tuple(kept)
        return tuple(n for i, n in enumerate(self.view_shape) if i not in self.axes)

    @property
    def output_dtype(self):
        return "i64" if self.op.startswith("Arg") else self.dtype

    @property
    def reduced(self):
        """How many elements go into one result."""
        return int(np.prod([self.view_shape[i] for i in self.axes], dtype=np.int64))

    @property
    def input_bytes(self):
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(STORAGE[self.dtype]).itemsize

    @property
    def output_bytes(self):
        size = np.dtype(STORAGE[self.output_dtype]).itemsize
        return int(np.prod(self.output_shape, dtype=np.int64)) * size

    @property
    def shapes(self):
        """Of the operands' memory; a reduction has one operand."""
        return (self.shape,)

    def view(self, array):
        return array.transpose(self.perm) if self.perm else array


@dataclasses.dataclass(frozen=True)
class Contraction:
    """An einsum row. Its operands are row-major."""

    text: str
    equation: str
    dtype: str
    shapes: tuple
    output_shape: tuple
    terms: int  # products that go into all of the output together
    full_range: bool = False

    op = "einsum"

    @property
    def output_dtype(self):
        return self.dtype

    @property
    def reduced(self):
        return self.terms // max(math.prod(self.output_shape), 1)

    @property
    def input_bytes(self):
        return sum(map(math.prod, self.shapes)) * np.dtype(STORAGE[self.dtype]).itemsize

    @property
    def output_bytes(self):
        return math.prod(self.output_shape) * np.dtype(STORAGE[self.dtype]).itemsize

    @property
    def flops(self):
        """Of a product of two operands; 0 where the order of contraction is open."""
        return 2 * self.terms if len(self.shapes) == 2 else 0


def parse(text):
    """The problem that a row's text names. ValueError says what is wrong with it."""
    if text.startswith("einsum "):
        return _parse_einsum(text)
    words = text.split()
    if not words or words[0] not in OPERATORS:
        raise ValueError(f"unknown operator in row: {text!r}")
    fields = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not equals or name in fields:
            raise ValueError(f"expected name=value once each, got {word!r} in row: {text!r}")
        fields[name] = value
    unknown = set(fields) - {"dt", "shape", "axes", "keepdims", "perm", "range"}
    missing = {"dt", "shape", "axes", "keepdims"} - set(fields)
    if unknown or missing:
        raise ValueError(f"unknown fields {sorted(unknown)}, missing {sorted(missing)}: {text!r}")
    if fields["dt"] not in STORAGE:
        raise ValueError(f"unknown type {fields['dt']!r} in row: {text!r}")
    if fields["keepdims"] not in ("0", "1") or fields.get("range", "full") != "full":
        raise ValueError(f"bad keepdims or range in row: {text!r}")
    shape = _integers(fields["shape"], "x", text)
    rank = len(shape)
    axes = range(rank) if fields["axes"] == "all" else _integers(fields["axes"], ",", text)
    axes = tuple(sorted(axis + rank if axis < 0 else axis for axis in axes))
    if len(set(axes)) != len(axes) or not all(0 <= axis < rank for axis in axes):
        raise ValueError(f"axes out of range or repeated in row: {text!r}")
    perm = _integers(fields["perm"], ",", text) if "perm" in fields else None
    if perm is not None and sorted(perm) != list(range(rank)):
        raise ValueError(f"perm is no permutation in row: {text!r}")
    if words[0].startswith("Arg") and len(axes) != 1:
        raise ValueError(f"{words[0]} takes one axis: {text!r}")
    return Problem(
        text,
        words[0],
        fields["dt"],
        shape,
        axes,
        fields["keepdims"] == "1",
        perm,
        "range" in fields,
    )


def _parse_einsum(text):
    match = re.fullmatch(r"einsum '([^']*)' dt=(\w+) shapes=([\dx,]+)( range=full)?", text)
    if not match or match[2] not in STORAGE:
        raise ValueError(f"expected einsum 'equation' dt=type shapes=2x3,3x4 in row: {text!r}")
    equation, dtype = match[1], match[2]
    shapes = tuple(_integers(shape, "x", text) for shape in match[3].split(","))
    inputs, arrow, output = equation.partition("->")
    terms = inputs.split(",")
    if not arrow or len(terms) != len(shapes):
        raise ValueError(f"terms, shapes and an explicit output must agree in row: {text!r}")
    sizes = {}
    for term, shape in zip(terms, shapes, strict=True):
        letters = term.replace("...", "")
        dots = len(shape) - len(letters)
        if dots < 0 or (dots > 0 and "..." not in term):
            raise ValueError(f"term {term!r} doesn't fit shape {shape} in row: {text!r}")
        # The axes of an ellipsis are counted from its end.
        names = term.replace("...", "".join(chr(0x2080 + i) for i in reversed(range(dots))))
        for name, size in zip(names, shape, strict=True):
            if sizes.setdefault(name, size) != size and 1 not in (size, sizes[name]):
                raise ValueError(f"label {name!r} has two sizes in row: {text!r}")
            sizes[name] = max(sizes[name], size)
    hidden = sorted((name for name in sizes if name >= "\u2080"), reverse=True)
    letters = output.replace("...", "".join(hidden))
    output_shape = tuple(sizes[name] for name in letters)
    return Contraction(
        text, equation, dtype, shapes, output_shape, math.prod(sizes.values()), bool(match[4])
    )


def _integers(text, separator, row):
    try:
        return tuple(int(part) for part in text.split(separator))
    except ValueError:
        raise ValueError(f"expected integers, got {text!r} in row: {row!r}") from None


def read_rows(path, pattern=""):
    """The problems of a file whose text matches the regular expression."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    rows = [parse(line) for line in lines if line and not line.startswith("#")]
    return [row for row in rows if re.search(pattern, row.text)]


def make_data(problem):
    """The operands, in storage type and memory order; the same for the same text."""
    seed = int.from_bytes(hashlib.sha256(problem.text.encode()).digest()[:16], "little")
    rng = np.random.default_rng(seed)
    return [_make_operand(problem, shape, rng) for shape in problem.shapes]


def _make_operand(problem, shape, rng):
    kind = np.dtype(STORAGE[problem.dtype])
    if problem.dtype == "bool":
        # n elements that are all false with probability one half
        return rng.random(shape, np.float32) < np.log(2) / max(problem.reduced, 1)
    if problem.dtype in ("f64", "f32", "f16", "bf16"):
        wide = np.float64 if problem.dtype == "f64" else np.float32
        if problem.op == "ReduceLogSum":
            data = rng.random(shape, wide) + wide(0.5)
        elif problem.op == "ReduceProd":
            data = wide(1) + (rng.random(shape, wide) - wide(0.5)) * wide(2e-3)
        else:
            data = rng.standard_normal(shape, wide)
        return to_bf16(data) if problem.dtype == "bf16" else data.astype(kind, copy=False)
    info = np.iinfo(kind)
    if problem.full_range or kind.itemsize == 1:
        low, high = info.min, info.max
    else:
        limit = 2**20 if kind.itemsize == 8 else 2**15
        low, high = (-limit, limit) if kind.kind == "i" else (0, limit * (1 + (limit == 2**15)))
        high = min(high, info.max)
    return rng.integers(low, high, shape, kind, endpoint=True)


def to_bf16(values):
    """The bits of float32 values rounded to bf16, ties to even. No NaN among them."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + (np.uint32(0x7FFF) + ((bits >> 16) & 1))) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def aligned_empty(shape, dtype):
    """An array 16 bytes past a page, as NumPy's own large arrays lie, in huge pages if large."""
    count = int(np.prod(shape, dtype=np.int64))
    size = count * np.dtype(dtype).itemsize
    memory = mmap.mmap(-1, size + 4096)
    if size >= 1 << 22 and hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype, count, offset=16).reshape(shape)


def load_data(problem, path):
    """The operands that the driver wrote, each in memory of the caller's own."""
    arrays = [aligned_empty(shape, STORAGE[problem.dtype]) for shape in problem.shapes]
    with open(path, "rb", buffering=0) as file:
        for array in arrays:
            left = memoryview(array.reshape(-1).view(np.uint8))
            while len(left) > 0:
                read = file.readinto(left)
                if not read:
                    raise ValueError(f"{path} is shorter than the row says")
                left = left[read:]
    return arrays


def save_data(arrays, path):
    with open(path, "wb") as file:
        for array in arrays:
            array.tofile(file)
