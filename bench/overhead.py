"""What a call from Python costs on tiny operands, beside NumPy and, where it is, ONNX Runtime.

    PYTHONPATH=build/release/python python bench/overhead.py [--rounds N] [--check]

One thread; the contenders take turns in one run; each figure is the median over the rounds of the
time of a call. --check ends with 1 if a bound of BOUNDS does not hold.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import tenfold as tf

Call = Callable[[], object]
CALLS = 500  # in a row: some hundred times the clock's own cost

# (call, another one or None, most: a part of the other's time, or nanoseconds)
BOUNDS = [
    ("tenfold.sum", "numpy.sum", 0.5),
    ("tenfold.einsum", "numpy.einsum, optimize", 1 / 3),
    ("tenfold.einsum", "onnxruntime, bound", 1.0),
    ("tenfold plan, out", None, 600.0),
]


def bound_run(a: np.ndarray, b: np.ndarray) -> Call | None:
    """ONNX Runtime with operands and output bound beforehand; None if it, or onnx, is missing."""
    try:
        import onnxruntime
        from onnx import TensorProto, helper
    except ImportError:
        return None
    names = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4, 4]) for n in "aby"]
    node = helper.make_node("Einsum", ["a", "b"], ["y"], equation="ij,jk->ik")
    graph = helper.make_graph([node], "einsum", names[:2], names[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    for name, array in (("a", a), ("b", b)):
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    out = onnxruntime.OrtValue.ortvalue_from_numpy(np.empty((4, 4), np.float32))
    binding.bind_ortvalue_output("y", out)
    return lambda: session.run_with_iobinding(binding)


def contenders() -> dict[str, Call]:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    a, b = np.arange(32, dtype=np.float32).reshape(2, 4, 4)
    out = np.empty((4, 4), np.float32)
    plan = tf.compile("ij,jk->ik", a, b)
    calls: dict[str, Call | None] = {
        "tenfold.sum": lambda: tf.sum(x),
        "numpy.sum": lambda: np.sum(x),
        "tenfold.sum, axis": lambda: tf.sum(x, axis=1),
        "numpy.sum, axis": lambda: np.sum(x, axis=1),
        "tenfold.einsum": lambda: tf.einsum("ij,jk->ik", a, b),
        "numpy.einsum": lambda: np.einsum("ij,jk->ik", a, b),
        "numpy.einsum, optimize": lambda: np.einsum("ij,jk->ik", a, b, optimize=True),
        "tenfold plan": lambda: plan(a, b),
        "tenfold plan, out": lambda: plan(a, b, out=out),
        "onnxruntime, bound": bound_run(a, b),
    }
    return {name: call for name, call in calls.items() if call is not None}


def measure(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Nanoseconds of a call: the median of `rounds` measurements, all contenders in each."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.thread_time_ns()
            for _ in range(CALLS):
                call()
            times[name].append((time.thread_time_ns() - start) / CALLS)
    return {name: statistics.median(each) for name, each in times.items()}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="hold the figures to the bounds")
    options = parser.parse_args(arguments)
    with tf.num_threads(1):
        times = measure(contenders(), options.rounds)
    for name, nanoseconds in times.items():
        print(f"{name:24} {nanoseconds:8.0f} ns")
    failed = False
    for name, other, most in BOUNDS:
        if other is not None and other not in times:
            print(f"{other}: not installed")
            continue
        value = times[name] / times[other] if other else times[name]
        failed |= value > most
        what = f"{name} / {other}" if other else f"{name}, ns"
        print(f"{what}: {value:.3g}, at most {most:.3g}: {'holds' if value <= most else 'BROKEN'}")
    return int(options.check and failed)


if __name__ == "__main__":
    sys.exit(main())
