"""OpenVINO's CPU plugin: a model of one node, f32 where it would otherwise choose less."""

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from peers import serve
from problem import STORAGE, aligned_empty

FOLDS = {
    "ReduceSum": ops.reduce_sum,
    "ReduceMean": ops.reduce_mean,
    "ReduceMax": ops.reduce_max,
    "ReduceMin": ops.reduce_min,
    "ReduceProd": ops.reduce_prod,
    "ReduceL1": ops.reduce_l1,
    "ReduceL2": ops.reduce_l2,
}
TYPES = {
    "f64": ov.Type.f64,
    "f32": ov.Type.f32,
    "f16": ov.Type.f16,
    "bf16": ov.Type.bf16,
    "i8": ov.Type.i8,
    "i16": ov.Type.i16,
    "i32": ov.Type.i32,
    "i64": ov.Type.i64,
    "u8": ov.Type.u8,
    "u16": ov.Type.u16,
    "u32": ov.Type.u32,
    "u64": ov.Type.u64,
    "bool": ov.Type.boolean,
}
# Nodes of the compiled model that compute nothing.
CARRIERS = {"Input", "Output", "Const", "Convert", "Reorder", "Reshape", "Transpose"}


def model_of(problem):
    parameter = ops.parameter(list(problem.shape), TYPES[problem.dtype])
    x = ops.transpose(parameter, np.array(problem.perm)) if problem.perm else parameter
    axes, keep = np.array(problem.axes, np.int64), problem.keepdims
    if problem.op.startswith("Arg"):
        mode = "max" if problem.op == "ArgMax" else "min"
        axis = problem.axes[0]
        top = ops.topk(x, np.int64(1), axis, mode, "value", "i64", stable=True)
        y = top.output(1) if keep else ops.squeeze(top.output(1), axes)
    elif problem.dtype == "bool":
        fold = ops.reduce_logical_or if problem.op == "ReduceMax" else ops.reduce_logical_and
        y = fold(x, axes, keep)
    elif problem.op in FOLDS:
        y = FOLDS[problem.op](x, axes, keep)
    elif problem.op == "ReduceSumSquare":
        y = ops.reduce_sum(ops.multiply(x, x), axes, keep)
    elif problem.op == "ReduceLogSum":
        y = ops.log(ops.reduce_sum(x, axes, keep))
    elif problem.op == "ReduceLogSumExp":
        peak = ops.reduce_max(x, axes, True)
        total = ops.reduce_sum(ops.exp(ops.subtract(x, peak)), axes, keep)
        y = ops.add(ops.log(total), peak if keep else ops.squeeze(peak, axes))
    else:
        raise serve.Unsupported(problem.op)
    return ov.Model([y], [parameter], "row")


def computing_type(compiled):
    """The narrowest type in which a node of the compiled model computes."""
    names = set()
    for node in compiled.get_runtime_model().get_ops():
        info = node.get_rt_info()
        kind = info["layerType"].astype(str) if "layerType" in info else "Input"
        if kind not in CARRIERS and "runtimePrecision" in info:
            names.add(info["runtimePrecision"].astype(str))
    known = [name for name in TYPES if name in names]
    return min(known, key=lambda name: np.dtype(STORAGE[name]).itemsize) if known else None


def prepare(problem, data, threads):
    return compiled_ways(problem, model_of(problem), [data], threads)


def einsum(problem, operands, threads):
    parameters = [ops.parameter(list(shape), TYPES[problem.dtype]) for shape in problem.shapes]
    model = ov.Model([ops.einsum(parameters, problem.equation)], parameters, "row")
    return compiled_ways(problem, model, operands, threads)


def compiled_ways(problem, model, inputs, threads):
    core = ov.Core()
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
    }
    compiled = core.compile_model(model, "CPU", settings)
    request = compiled.create_infer_request()
    out = aligned_empty(problem.output_shape, STORAGE[problem.output_dtype])
    for index, array in enumerate(inputs):
        request.set_input_tensor(index, tensor_on(array, problem.dtype))
    request.set_output_tensor(tensor_on(out, problem.output_dtype))

    def asynchronous():
        request.start_async()
        request.wait()

    def result():
        return problem.output_dtype, out

    result.computes_in = computing_type(compiled)
    result.inputs = inputs  # shared, not copied: must live as long as the calls
    return [("infer", request.infer, result), ("start_async, wait", asynchronous, result)]


def tensor_on(array, dtype):
    if dtype == "bf16":
        return ov.Tensor(array, list(array.shape), ov.Type.bf16)
    return ov.Tensor(array, shared_memory=True)


if __name__ == "__main__":
    serve.main(prepare, ov.__version__, einsum)
