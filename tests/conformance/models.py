"""Models of reductions and products: ONNX through onnx.helper, OpenVINO IR as text."""

import numpy as np
import onnx
from onnx import TensorProto, helper
from tenfold_cli import BF16, TYPES

NODE_NAME = {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "max": "ReduceMax",
    "min": "ReduceMin",
    "prod": "ReduceProd",
    "l1": "ReduceL1",
    "l2": "ReduceL2",
    "logsum": "ReduceLogSum",
    "logsumexp": "ReduceLogSumExp",
    "sumsquare": "ReduceSumSquare",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
}
# How the standard's schemas spell the types.
SCHEMA_TYPE = {
    "f64": "double",
    "f32": "float",
    "f16": "float16",
    "bf16": "bfloat16",
    "bool": "bool",
    **{n: n.replace("i", "int").replace("u", "uint") for n in TYPES if n[0] in "iu"},
}


def proto_type(dtype) -> int:
    if np.dtype(dtype) == BF16:
        return TensorProto.BFLOAT16
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def schema_of(op: str, opset: int):
    return onnx.defs.get_schema(NODE_NAME.get(op, op), opset, "")


def axes_is_input(op: str, opset: int) -> bool:
    return len(schema_of(op, opset).inputs) > 1


def one_model(nodes, x_type, x_shape, outputs, opset, initializers=()):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", x_type, x_shape)],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs],
        initializer=list(initializers),
    )
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def many_reductions(calls, dtype, shape, opset: int) -> bytes:
    """One node for each (op, options) of `calls`, all on the input x; outputs y0, y1, ... Options:
    the attributes as they are called, and axes, which goes where the opset wants it."""
    nodes, initializers, outputs = [], [], []
    for index, (op, options) in enumerate(calls):
        options = dict(options)
        inputs = ["x"]
        if "axes" in options and axes_is_input(op, opset):
            axes = options.pop("axes")
            tensor = helper.make_tensor(f"axes{index}", TensorProto.INT64, [len(axes)], axes)
            initializers.append(tensor)
            inputs.append(tensor.name)
        # make_node cannot tell the type of an empty list
        empty = options.pop("axes") if options.get("axes") == [] else None
        node = helper.make_node(NODE_NAME[op], inputs, [f"y{index}"], **options)
        if empty is not None:
            node.attribute.append(
                onnx.AttributeProto(name="axes", type=onnx.AttributeProto.INTS, ints=[])
            )
        nodes.append(node)
        kind = TensorProto.INT64 if op.startswith("arg") else proto_type(dtype)
        outputs.append((f"y{index}", kind))
    return one_model(nodes, proto_type(dtype), shape, outputs, opset, initializers)


def masked_model() -> bytes:
    """Two inputs and two outputs: y, the sum of x * mask, and index, where it is largest."""
    nodes = [
        helper.make_node("Mul", ["x", "mask"], ["product"]),
        helper.make_node("ReduceSum", ["product"], ["y"], keepdims=0),
        helper.make_node("ArgMax", ["product"], ["index"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "masked",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, (2, 3)) for n in ("x", "mask")],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, ()),
            helper.make_tensor_value_info("index", TensorProto.INT64, (2, 1)),
        ],
    )
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def pool_model() -> bytes:
    """The mean over height and width of an image batch of any size."""
    node = helper.make_node("ReduceMean", ["image"], ["pooled"], axes=[2, 3])
    graph = helper.make_graph(
        [node],
        "pool",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ("n", "c", "h", "w"))],
        [helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ("n", "c", 1, 1))],
    )
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def product_model() -> bytes:
    """The product of two matrices of any size."""
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["y"], name="product")],
        "product",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, (None, None)) for n in "ab"],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (None, None))],
    )
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def dims(shape) -> str:
    return "".join(f"<dim>{n}</dim>" for n in shape)


def commas(shape) -> str:
    return ",".join(map(str, shape))


def openvino_ir(op, version, element_type, shape, axes, keep_dims=None) -> tuple[str, bytes]:
    """The .xml and .bin of one reduction of input x; `axes` is an array, `keep_dims` the text of
    the attribute (None: not given)."""
    axes = np.asarray(axes)
    kind = axes.dtype.name.replace("uint", "u").replace("int", "i")
    attributes = "" if keep_dims is None else f'<data keep_dims="{keep_dims}"/>'
    xml = f"""<?xml version="1.0"?>
<net name="one" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="{commas(shape)}" element_type="{element_type}"/>
      <output><port id="0">{dims(shape)}</port></output>
    </layer>
    <layer id="1" name="axes" type="Const" version="opset1">
      <data element_type="{kind}" shape="{commas(axes.shape)}" offset="0" size="{axes.nbytes}"/>
      <output><port id="0">{dims(axes.shape)}</port></output>
    </layer>
    <layer id="2" name="r" type="{op}" version="opset{version}">
      {attributes}
      <input><port id="0">{dims(shape)}</port><port id="1">{dims(axes.shape)}</port></input>
      <output><port id="2"/></output>
    </layer>
    <layer id="3" name="y" type="Result" version="opset1">
      <input><port id="0"/></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>
"""
    return xml, axes.tobytes()
