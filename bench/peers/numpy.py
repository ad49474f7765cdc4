"""NumPy. Its reductions use one thread whatever the setting."""

import functools

import ml_dtypes
import numpy as np

from peers import serve
from problem import aligned_empty

FOLDS = {
    "ReduceSum": np.add,
    "ReduceMax": np.maximum,
    "ReduceMin": np.minimum,
    "ReduceProd": np.multiply,
}


def prepare(problem, data, threads):
    del threads
    x = data.view(ml_dtypes.bfloat16) if problem.dtype == "bf16" else data
    x = problem.view(x)
    axis = problem.axes if len(problem.axes) > 1 else problem.axes[0]
    over = {"axis": axis, "keepdims": problem.keepdims}
    kind = np.int64 if problem.op.startswith("Arg") else x.dtype
    out = aligned_empty(problem.output_shape, kind)

    def way(how, call, *args, **kwargs):
        return how, functools.partial(call, *args, **kwargs), lambda: serve.storage_of(out)

    op = problem.op
    if op.startswith("Arg"):
        return [
            way(
                op,
                np.argmax if op == "ArgMax" else np.argmin,
                x,
                axis,
                out,
                keepdims=problem.keepdims,
            )
        ]
    if problem.dtype == "bool":
        any_or_all = np.logical_or if op == "ReduceMax" else np.logical_and
        return [
            way(f"{any_or_all.__name__}.reduce", any_or_all.reduce, x, out=out, **over),
            way(f"{FOLDS[op].__name__}.reduce", FOLDS[op].reduce, x, out=out, **over),
        ]
    if op in FOLDS:
        ways = [way(f"{FOLDS[op].__name__}.reduce", FOLDS[op].reduce, x, out=out, **over)]
        if problem.dtype == "bf16" and op in ("ReduceSum", "ReduceProd"):  # adding in bf16 is wrong
            call = composed(lambda: FOLDS[op].reduce(x, dtype=np.float32, **over), out)
            ways = [way("reduce in f32", call)]
        return ways
    return [way(how, composed(call, out)) for how, call in compositions(problem, x, over)]


def composed(call, out):
    def run():
        out[...] = call()

    return run


def compositions(problem, x, over):
    """The operators that NumPy has no single call for."""
    floats = problem.dtype in ("f64", "f32", "f16", "bf16")
    wide = np.float32 if problem.dtype in ("f16", "bf16") else x.dtype
    op, n = problem.op, problem.reduced
    if op == "ReduceMean" and floats:
        return [("mean", lambda: np.mean(x, dtype=wide, **over))]
    if op == "ReduceMean":  # integers, rounded toward zero; np.mean would give floats

        def integer_mean():
            total = np.add.reduce(x, **over)
            return (total - np.fmod(total, n)) // n

        return [("add.reduce and a division", integer_mean)]
    scratch = aligned_empty(x.shape, wide)
    if op == "ReduceL1":
        return [("abs, add.reduce", lambda: np.add.reduce(np.abs(x, out=scratch), **over))]
    if op == "ReduceLogSum":
        return [("log of add.reduce", lambda: np.log(np.add.reduce(x, dtype=wide, **over)))]
    if op == "ReduceLogSumExp":

        def log_sum_exp():
            peak = np.maximum.reduce(x, axis=over["axis"], keepdims=True)
            np.subtract(x, peak, out=scratch, dtype=wide)
            np.exp(scratch, out=scratch)
            total = np.add.reduce(scratch, **over)
            return np.log(total) + peak.reshape(total.shape)

        return [("shifted exp, add.reduce, log", log_sum_exp)]
    if op in ("ReduceL2", "ReduceSumSquare"):
        last = np.sqrt if op == "ReduceL2" else np.asarray
        ways = [
            (
                "multiply, add.reduce",
                lambda: last(np.add.reduce(np.multiply(x, x, out=scratch, dtype=wide), **over)),
            )
        ]
        if problem.dtype in ("f64", "f32"):
            letters = "abcdefgh"[: x.ndim]
            left = "".join(c for i, c in enumerate(letters) if i not in problem.axes)
            shape = problem.output_shape
            ways.append(
                (
                    "einsum",
                    lambda: last(np.einsum(f"{letters},{letters}->{left}", x, x)).reshape(shape),
                )
            )
            if problem.axes == (x.ndim - 1,):
                ways.append(("vecdot", lambda: last(np.vecdot(x, x)).reshape(shape)))
            if len(problem.axes) == x.ndim:
                flat = x.reshape(-1)
                ways.append(("dot", lambda: last(np.dot(flat, flat)).reshape(shape)))
        return ways
    raise serve.Unsupported(op)


def einsum(problem, operands, threads):
    del threads
    kind = operands[0].dtype
    out = aligned_empty(problem.output_shape, kind)

    def result():
        return problem.output_dtype, out

    if problem.dtype == "bf16":  # NumPy's einsum does not know it
        wide = [each.view(ml_dtypes.bfloat16) for each in operands]
        target = out.view(ml_dtypes.bfloat16)

        def through_f32():
            parts = [each.astype(np.float32) for each in wide]
            target[...] = np.einsum(problem.equation, *parts, optimize=True)

        return [("in f32", through_f32, result)]

    def call():
        np.einsum(problem.equation, *operands, out=out, optimize=True)

    ways = [("einsum", call, result)]
    if problem.dtype == "f16":  # sums in f16 are wrong, and slow

        def in_f32():
            parts = [each.astype(np.float32) for each in operands]
            out[...] = np.einsum(problem.equation, *parts, optimize=True)

        ways = [("in f32", in_f32, result)]
    if len(operands) == 1 and problem.reduced == 1:  # einsum of one operand gives a view
        view = np.einsum(problem.equation, operands[0])
        ways.append(("copyto", lambda: np.copyto(out, view), result))
    return ways


if __name__ == "__main__":
    serve.main(prepare, np.__version__, einsum)
