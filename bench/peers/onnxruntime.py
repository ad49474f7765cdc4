"""ONNX Runtime: a model of one node (two for a transposed view), input and output bound."""

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

from peers import serve
from problem import STORAGE, aligned_empty

TYPES = {
    "f64": TensorProto.DOUBLE,
    "f32": TensorProto.FLOAT,
    "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
    "i8": TensorProto.INT8,
    "i16": TensorProto.INT16,
    "i32": TensorProto.INT32,
    "i64": TensorProto.INT64,
    "u8": TensorProto.UINT8,
    "u16": TensorProto.UINT16,
    "u32": TensorProto.UINT32,
    "u64": TensorProto.UINT64,
    "bool": TensorProto.BOOL,
}


def model_of(problem):
    nodes, initializers, name = [], [], "x"
    if problem.perm:
        nodes.append(helper.make_node("Transpose", ["x"], ["t"], perm=problem.perm))
        name = "t"
    if problem.op.startswith("Arg"):
        attributes = {"axis": problem.axes[0]}
        inputs = [name]
    else:
        attributes = {}
        inputs = [name, "axes"]
        initializers.append(onnx.numpy_helper.from_array(np.array(problem.axes, np.int64), "axes"))
    nodes.append(
        helper.make_node(problem.op, inputs, ["y"], keepdims=int(problem.keepdims), **attributes)
    )
    graph = helper.make_graph(
        nodes,
        "row",
        [helper.make_tensor_value_info("x", TYPES[problem.dtype], problem.shape)],
        [helper.make_tensor_value_info("y", TYPES[problem.output_dtype], problem.output_shape)],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def einsum_model_of(problem):
    names = [f"x{i}" for i in range(len(problem.shapes))]
    node = helper.make_node("Einsum", names, ["y"], equation=problem.equation)
    graph = helper.make_graph(
        [node],
        "row",
        [
            helper.make_tensor_value_info(name, TYPES[problem.dtype], shape)
            for name, shape in zip(names, problem.shapes, strict=True)
        ],
        [helper.make_tensor_value_info("y", TYPES[problem.dtype], problem.output_shape)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def prepare(problem, data, threads):
    return bound(problem, model_of(problem), {"x": data}, threads)


def einsum(problem, operands, threads):
    inputs = {f"x{i}": each for i, each in enumerate(operands)}
    return bound(problem, einsum_model_of(problem), inputs, threads)


def bound(problem, model, inputs, threads):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise serve.Unsupported(str(error)) from error
    kind = TYPES[problem.output_dtype]
    out = aligned_empty(problem.output_shape, STORAGE[problem.output_dtype])
    binding = session.io_binding()
    for name, array in inputs.items():
        address = array.ctypes.data
        binding.bind_input(name, "cpu", 0, TYPES[problem.dtype], array.shape, address)
    binding.bind_output("y", "cpu", 0, kind, problem.output_shape, out.ctypes.data)

    def call():
        session.run_with_iobinding(binding)

    def result():
        return problem.output_dtype, out

    result.inputs = inputs  # bound by address: must live as long as the calls
    return [("one node, bound", call, result)]


if __name__ == "__main__":
    serve.main(prepare, ort.__version__, einsum)
