"""How the tests of this folder run the `tenfold` command: one process a call, arrays in and out.

The command is TENFOLD_CLI, or the one in TENFOLD_BUILD, or the one of the release build.
"""

import io
import os
import pathlib
import subprocess
import zlib
from dataclasses import dataclass

import ml_dtypes
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BF16 = np.dtype(ml_dtypes.bfloat16)
TYPES = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": BF16,
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "bool": np.dtype(np.bool_),
}
FLOATS = ("f64", "f32", "f16", "bf16")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED


def find_cli() -> str:
    named = os.environ.get("TENFOLD_CLI")
    if named:
        return named
    build = pathlib.Path(os.environ.get("TENFOLD_BUILD", ROOT / "build" / "release"))
    return str(build / "cli" / "tenfold")


CLI = find_cli()
TIMEOUT = 300  # seconds; far more than any call needs, for machines that are busy


def seed(*parts) -> np.random.Generator:
    """A generator that depends on what the test is called with, and on nothing else."""
    return np.random.default_rng(zlib.crc32(repr(parts).encode()))


@dataclass
class Done:
    code: int
    out: bytes
    err: str


class Failed(AssertionError):
    """The command ended with another exit code than it should."""


def call(*args, stdin: bytes = b"", env=None, code: int | None = 0, **process) -> Done:
    """Runs the command and checks its exit code (None: any). `env` is added to the environment;
    `process` goes to subprocess.run."""
    words = [CLI, *map(str, args)]
    process = {"close_fds": False, "timeout": TIMEOUT, **process}
    if env:
        process["env"] = {**os.environ, **env}
    run = subprocess.run(words, input=stdin, capture_output=True, check=False, **process)
    done = Done(run.returncode, run.stdout, run.stderr.decode("utf-8", "replace"))
    if code is not None and done.code != code:
        raise Failed(f"exit code {done.code}, not {code}: {' '.join(words)}\n{done.err}")
    return done


def to_npy(array: np.ndarray) -> bytes:
    """NumPy has no bfloat16 of its own: it goes into the file as a 2-byte void type."""
    buffer = io.BytesIO()
    array = np.asarray(array)
    np.save(buffer, array.view("V2") if array.dtype == BF16 else array)
    return buffer.getvalue()


def from_npy(data: bytes) -> np.ndarray:
    array = np.load(io.BytesIO(data))
    return array.view(BF16) if array.dtype == np.dtype("V2") else array


def reduce(op: str, array: np.ndarray, *options, **named) -> np.ndarray:
    """`tenfold reduce` through pipes."""
    array = np.asarray(array)
    typed = ("--input-dtype", "bf16") if array.dtype == BF16 else ()
    done = call("reduce", op, "-", "-o", "-", *typed, *options, stdin=to_npy(array), **named)
    return from_npy(done.out)


def run_model(model: bytes, inputs: dict, folder: pathlib.Path, *options) -> dict:
    """`tenfold run` on a model (bytes) and arrays by name; every output by name."""
    path = folder / "model.onnx"
    path.write_bytes(model)
    words = []
    for index, (name, array) in enumerate(inputs.items()):
        file = folder / f"in{index}.npy"
        file.write_bytes(to_npy(array))
        words += ["-i", f"{name}={file}"]
    out = folder / "out"
    for old in out.glob("*"):
        old.unlink()
    call("run", path, *words, "-o", f"{out}/", *options)
    return {file.stem: from_npy(file.read_bytes()) for file in out.glob("*.npy")}


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
