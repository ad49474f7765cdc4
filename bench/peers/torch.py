"""PyTorch on the CPU."""

import numpy as np
import torch

from peers import serve
from problem import aligned_empty

TYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "u16": torch.uint16,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "bool": torch.bool,
}


def tensor_of(array, dtype):
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if dtype == "bf16" else tensor


def prepare(problem, data, threads):
    torch.set_num_threads(threads)
    x = tensor_of(data, problem.dtype)
    x = x.permute(problem.perm) if problem.perm else x
    storage = np.uint16 if problem.output_dtype == "bf16" else None
    kind = storage or np.dtype({v: k for k, v in NUMPY.items()}[problem.output_dtype])
    array = aligned_empty(problem.output_shape, kind)
    out = tensor_of(array, problem.output_dtype)

    def result():
        return problem.output_dtype, array

    return [(how, call, result) for how, call in calls(problem, x, out)]


NUMPY = {
    getattr(np, str(kind).split(".")[1]): name
    for name, kind in TYPES.items()
    if name not in ("bf16", "bool")
}
NUMPY[np.bool_] = "bool"


def calls(problem, x, out):
    dims, keep, kind = list(problem.axes), problem.keepdims, TYPES[problem.dtype]
    op, one = problem.op, problem.axes[0]
    if op == "ReduceSum":
        return [("sum", lambda: torch.sum(x, dims, keep, dtype=kind, out=out))]
    if op in ("ReduceMax", "ReduceMin"):
        pick = torch.amax if op == "ReduceMax" else torch.amin
        ways = [(pick.__name__, lambda: pick(x, dims, keep, out=out))]
        if problem.dtype == "bool":
            some = torch.any if op == "ReduceMax" else torch.all
            ways.append((some.__name__, lambda: some(x, dims, keep, out=out)))
        elif len(dims) == 1:
            both = torch.max if op == "ReduceMax" else torch.min
            indices = torch.empty(out.shape, dtype=torch.int64)
            ways.append((both.__name__, lambda: both(x, one, keep, out=(out, indices))))
        return ways
    if op == "ReduceMean" and kind.is_floating_point:
        return [("mean", lambda: torch.mean(x, dims, keep, out=out))]
    if op == "ReduceMean":  # no mean of integers
        total = torch.empty_like(out)

        def integer_mean():
            torch.sum(x, dims, keep, dtype=kind, out=total)
            torch.div(total, problem.reduced, rounding_mode="trunc", out=out)

        return [("sum, div", integer_mean)]
    if op in ("ReduceL1", "ReduceL2"):
        order = 1 if op == "ReduceL1" else 2
        return [("vector_norm", lambda: torch.linalg.vector_norm(x, order, dims, keep, out=out))]
    if op == "ReduceSumSquare":
        ways = [("square, sum", lambda: torch.sum(torch.square(x), dims, keep, out=out))]
        if len(dims) == 1 and not keep:
            ways.append(("vecdot", lambda: torch.linalg.vecdot(x, x, dim=one, out=out)))
        return ways
    if op == "ReduceLogSum":
        return [("sum, log", lambda: torch.log(torch.sum(x, dims, keep, out=out), out=out))]
    if op == "ReduceLogSumExp":
        return [("logsumexp", lambda: torch.logsumexp(x, dims, keep, out=out))]
    if op == "ReduceProd" and len(dims) == 1:
        return [("prod", lambda: torch.prod(x, one, keep, out=out))]
    if op in ("ArgMax", "ArgMin"):
        find = torch.argmax if op == "ArgMax" else torch.argmin
        both = torch.max if op == "ArgMax" else torch.min
        values = torch.empty(out.shape, dtype=kind)
        return [
            (find.__name__, lambda: find(x, one, keep, out=out)),
            (both.__name__, lambda: both(x, one, keep, out=(values, out))),
        ]
    raise serve.Unsupported(op)


def einsum(problem, operands, threads):
    torch.set_num_threads(threads)
    x = [tensor_of(each, problem.dtype) for each in operands]
    kept = {}

    def call():
        kept["y"] = torch.einsum(problem.equation, *x)

    def result():
        call()
        return problem.output_dtype, storage_of(kept["y"], problem.output_dtype)

    if len(x) > 1 or problem.reduced > 1:
        return [("einsum", call, result)]
    # A permutation gives a view, which computes nothing: it is copied into a ready output.
    view = torch.einsum(problem.equation, *x)
    array = aligned_empty(problem.output_shape, operands[0].dtype)
    out = tensor_of(array, problem.dtype)
    return [("view, copy", lambda: out.copy_(view), lambda: (problem.output_dtype, array))]


def storage_of(tensor, dtype):
    tensor = tensor.contiguous()
    return tensor.view(torch.int16).numpy().view(np.uint16) if dtype == "bf16" else tensor.numpy()


if __name__ == "__main__":
    with torch.inference_mode():
        serve.main(prepare, torch.__version__, einsum)
