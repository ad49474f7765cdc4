"""Golden sessions: text files of commands and what they print. `test_golden.py` plays them; run
this file to accept what the command prints now, then read the diff.

    $ tenfold reduce max x.npy          a command, run in a folder that prepare() fills
    float32 (1, 1)                      its standard output
    ! tenfold: [x.npy] ...              its standard error, marked
    = 3                                 its exit code, when it is not 0
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from models import (
    many_reductions,
    masked_model,
    one_model,
    openvino_ir,
    pool_model,
    product_model,
)
from onnx import TensorProto, helper, numpy_helper
from tenfold_cli import CLI, TIMEOUT, TYPES, to_npy

FOLDER = pathlib.Path(__file__).parent / "golden"


def prepare(folder: pathlib.Path):
    """The files that the sessions and the examples of the help texts name."""
    x = np.array([[1, -2.5, 3], [0.1, 1e-30, 6e8]], np.float32)
    arrays = {
        "x": x,
        "ids": np.arange(6, dtype=np.int32).reshape(2, 3),
        "empty": np.zeros((2, 0), np.float32),
        "special": np.array([np.nan, np.inf, -np.inf, -0.0], np.float32),
        "half": np.array([0.1, 65504, 6e-8], np.float16),
        "bf": np.array([0.1, 3e38, 1], TYPES["bf16"]),
        "flags": np.array([[True, False], [True, True]]),
        "big": np.arange(2400, dtype=np.int64).reshape(2, 40, 30),
        "long": np.arange(60, dtype=np.float64) / 8,
        "image": np.ones((1, 2, 4, 4), np.float32),
        "mask": np.ones((2, 3), np.float32),
        "cube": np.ones((2, 3, 4), np.float32),
        "turned": x.T,
    }
    for name, array in arrays.items():
        (folder / f"{name}.npy").write_bytes(to_npy(array))
    x.tofile(folder / "x.bin")
    np.ones((32, 256), np.float16).tofile(folder / "x.raw")
    np.savez(folder / "two.npz", a=x, b=x)
    (folder / "text.npy").write_text("this is no array\n")
    (folder / "cut.npy").write_bytes(to_npy(x)[:-3])
    (folder / "text.onnx").write_text("this is no model\n")

    both = [("max", {"axes": [1]}), ("argmax", {"axis": 1, "keepdims": 0})]
    (folder / "two.onnx").write_bytes(many_reductions(both, np.float32, (2, 3), 18))
    one = [("sum", {"axes": [0], "keepdims": 0})]
    (folder / "one.onnx").write_bytes(many_reductions(one, np.float32, (2, 3), 18))
    (folder / "bf.onnx").write_bytes(many_reductions(one, TYPES["bf16"], (3,), 18))
    (folder / "pool.onnx").write_bytes(pool_model())
    (folder / "masked.onnx").write_bytes(masked_model())
    (folder / "product.onnx").write_bytes(product_model())
    mask = numpy_helper.from_array(arrays["mask"], "mask")
    (folder / "mask.pb").write_bytes(mask.SerializeToString())
    xml, weights = openvino_ir("ReduceL2", 4, "f32", (2, 3), np.array([1]), "true")
    (folder / "norm.xml").write_text(xml)
    (folder / "norm.bin").write_bytes(weights)
    softmax = helper.make_node("Softmax", ["x"], ["y"], name="s")
    (folder / "softmax.onnx").write_bytes(
        one_model([softmax], TensorProto.FLOAT, (2, 3), [("y", TensorProto.FLOAT)], 13)
    )


def play(text: str) -> str:
    """The session with the output of now."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TENFOLD_NUM")}
    environment["PATH"] = f"{pathlib.Path(CLI).resolve().parent}:{environment['PATH']}"
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        prepare(pathlib.Path(folder))
        if pathlib.Path(CLI).name != "tenfold":
            link = pathlib.Path(folder) / "bin" / "tenfold"
            link.parent.mkdir()
            link.symlink_to(pathlib.Path(CLI).resolve())
            environment["PATH"] = f"{link.parent}:{environment['PATH']}"
        for line in text.splitlines():
            if line.startswith("#"):
                lines.append(line)
            if not line.startswith("$ "):
                continue
            done = subprocess.run(
                ["bash", "-c", line[2:]],
                capture_output=True,
                text=True,
                cwd=folder,
                env=environment,
                check=False,
                timeout=TIMEOUT,
            )
            lines += ["" if lines and not lines[-1].startswith("#") else None, line]
            lines += [out.rstrip() for out in done.stdout.splitlines()]
            lines += [f"! {error}" for error in done.stderr.splitlines()]
            lines += [f"= {done.returncode}"] if done.returncode else []
    return "\n".join(line for line in lines if line is not None) + "\n"


def main() -> int:
    if not os.access(CLI, os.X_OK):
        print(f"no command at {CLI}: build it, or name it in TENFOLD_CLI", file=sys.stderr)
        return 1
    for path in sorted(FOLDER.glob("*.txt")):
        before = path.read_text("utf-8")
        after = play(before)
        if before != after:
            path.write_text(after, "utf-8")
            print(f"accepted: {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
