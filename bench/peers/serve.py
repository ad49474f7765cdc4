"""What every contender in Python does: wait for a command on the pipe, obey, answer.

A command and an answer are one line of JSON each:

    {"cmd": "setup", "row": …, "data": …, "threads": …}  ->  {"ok": true, "how": …}
    {"cmd": "time", "calls": k}                          ->  {"ok": true, "ns": …}
    {"cmd": "result", "path": …}                         ->  {"ok": true, "dtype": …, "shape": …}
    {"cmd": "quit"}

or {"ok": false, "why": …}. The answer to set-up may name the type in which the engine computes,
"computes_in". `prepare(problem, data, threads)` of a peer gives its ways to compute the row: a list
of (how, call, result); `einsum` likewise. Where a peer has several, the fastest is taken once, at
set-up.
"""

import gc
import json
import os
import sys
import time
import traceback

import numpy as np

import problem as rows


class Unsupported(Exception):
    """The engine can't do the row."""


def main(prepare, version, einsum=None, further=None):
    """Serves until told to quit. `prepare` takes the operand of a reduction, `einsum` those of a
    contraction; `further` holds commands that only one contender knows."""
    # The pipe to the driver is kept apart: what a library prints goes to the error output.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    gc.disable()
    way = None

    def answer(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    answer(ok=True, version=version)
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if command["cmd"] == "quit":
                break
            if command["cmd"] == "setup":
                way = None
                gc.collect()
                problem = rows.parse(command["row"])
                data = rows.load_data(problem, command["data"])
                way = fastest(ways_of(prepare, einsum, problem, data, command["threads"]))
                computes_in = getattr(way[2], "computes_in", None)
                answer(ok=True, how=way[0], computes_in=computes_in)
            elif command["cmd"] == "time":
                answer(ok=True, ns=time_calls(way[1], command["calls"]))
            elif command["cmd"] == "result":
                dtype, array = way[2]()
                np.ascontiguousarray(array).tofile(command["path"])
                answer(ok=True, dtype=dtype, shape=list(array.shape))
            elif command["cmd"] in (further or {}):
                answer(ok=True, **further[command["cmd"]](command))
            else:
                answer(ok=False, why=f"unknown command {command['cmd']!r}")
        except Exception as error:  # whatever an engine raises: it can't do the row
            if not isinstance(error, Unsupported):
                traceback.print_exc()
            answer(ok=False, why=f"{type(error).__name__}: {error}".split("\n")[0][:300])


def ways_of(prepare, einsum, problem, data, threads):
    if problem.op != "einsum":
        return prepare(problem, data[0], threads)
    if einsum is None:
        raise Unsupported("no einsum")
    return einsum(problem, data, threads)


def fastest(ways):
    if not ways:
        raise Unsupported("no way to compute this row")
    if len(ways) == 1:
        return ways[0]
    best = {}
    for _ in range(3):
        for index, way in enumerate(ways):
            way[1]()
            calls = 1
            while (spent := time_calls(way[1], calls)) < 1_000_000 and calls < 1000:
                calls *= 4
            best[index] = min(best.get(index, spent), spent / calls)
    return ways[min(best, key=best.get)]


def time_calls(call, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return time.perf_counter_ns() - start


def name_of(dtype):
    """The short name of a NumPy dtype, ml_dtypes' bfloat16 included."""
    kind = np.dtype(dtype)
    if kind.name == "bfloat16":
        return "bf16"
    for name, storage in rows.STORAGE.items():
        if name != "bf16" and np.dtype(storage) == kind:
            return name
    return kind.name


def storage_of(array):
    """(short name, array in storage type) of a NumPy result."""
    array = np.asarray(array)
    name = name_of(array.dtype)
    return name, array.view(np.uint16) if name == "bf16" else array
