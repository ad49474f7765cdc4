"""Writes the seeds of the model loaders' fuzzers: small valid ONNX models and OpenVINO IRs.

    python3 fuzz/make_model_corpus.py

Needs Python's standard library only: the protobuf messages are written field by field, with the
numbers of onnx.proto. The files are committed; a second run changes nothing.
"""

import pathlib
import struct

CORPUS = pathlib.Path(__file__).parent / "corpus"
FLOAT, INT8, INT64 = 1, 3, 7


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number: int, value: int | float | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number: int, values: list) -> bytes:
    return b"".join(field(number, value) for value in values)


def tensor(name: str, kind: int, dims: list[int], raw: bytes) -> bytes:
    return fields(1, dims) + field(2, kind) + field(8, name) + field(9, raw)


def integers(name: str, values: list[int]) -> bytes:
    return tensor(name, INT64, [len(values)], struct.pack(f"<{len(values)}q", *values))


def attribute(name: str, **value) -> bytes:
    numbers = {"f": (2, 1), "i": (3, 2), "s": (4, 3), "t": (5, 4), "floats": (7, 6), "ints": (8, 7)}
    ((kind, content),) = value.items()
    number, type_number = numbers[kind]
    content = content if isinstance(content, list) else [content]
    return field(1, name) + fields(number, content) + field(20, type_number)


def node(op: str, inputs: list[str], outputs: list[str], *attributes: bytes, domain="") -> bytes:
    out = fields(1, inputs) + fields(2, outputs) + field(3, "n") + field(4, op)
    return out + fields(5, list(attributes)) + (field(7, domain) if domain else b"")


def value_info(name: str, kind: int, dims: list[int | str]) -> bytes:
    shape = b"".join(field(1, field(1 if isinstance(d, int) else 2, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def model(
    opset: int, nodes: list[bytes], initialisers=(), functions=(), inputs=None, result=FLOAT
) -> bytes:
    output = field(1, "y") + field(2, field(1, field(1, result)))
    graph = fields(1, nodes) + field(2, "g") + fields(5, list(initialisers))
    graph += fields(11, inputs or [value_info("x", FLOAT, ["N", 3])]) + field(12, output)
    imports = field(8, field(2, opset)) + field(8, field(1, "mine") + field(2, 1))
    return field(1, 8) + imports + field(7, graph) + fields(25, list(functions))


def onnx_models() -> dict[str, bytes]:
    axes = integers("a", [-1])
    value = tensor("", FLOAT, [3], struct.pack("<3f", 1, 2, 3))
    weight = tensor("w", FLOAT, [3, 3], struct.pack("<9f", *range(9)))
    packed = fields(1, [2]) + field(2, FLOAT) + field(4, struct.pack("<2f", 1, 2)) + field(8, "w")
    body = [
        node("Mul", ["p", "p"], ["q"]),
        node("ReduceSum", ["q"], ["s"], field(1, "keepdims") + field(21, "keep") + field(20, 2)),
    ]
    function = field(1, "SumSquare") + field(4, "p") + field(5, "s") + field(6, "keep")
    function += fields(7, body) + field(9, field(2, 13)) + field(10, "mine")
    files = {
        "max18": model(
            18, [node("ReduceMax", ["x", "a"], ["y"], attribute("keepdims", i=0))], [axes]
        ),
        "sum11": model(11, [node("ReduceSum", ["x"], ["y"], attribute("axes", ints=[1]))]),
        "run_time_axes": model(
            18,
            [node("ReduceL2", ["x", "a"], ["y"], attribute("noop_with_empty_axes", i=1))],
            inputs=[value_info("x", FLOAT, ["N", 3]), value_info("a", INT64, ["K"])],
        ),
        "arg": model(13, [node("ArgMax", ["x"], ["y"], attribute("axis", i=1))], result=INT64),
        "any_order": model(
            13,
            [node("Sqrt", ["t"], ["y"]), node("Abs", ["x"], ["t"]), node("Exp", ["x"], ["unused"])],
        ),
        "shapes": model(
            14,
            [
                node("Transpose", ["x"], ["t"], attribute("perm", ints=[1, 0])),
                node("Unsqueeze", ["t", "a"], ["u"]),
                node("Squeeze", ["u"], ["q"]),
                node("Flatten", ["q"], ["f"], attribute("axis", i=-1)),
                node("Reshape", ["f", "s"], ["y"], attribute("allowzero", i=0)),
            ],
            [axes, integers("s", [3, -1])],
        ),
        "casts": model(
            19,
            [
                node("Constant", [], ["c"], attribute("value", t=value)),
                node("Cast", ["x"], ["i"], attribute("to", i=INT64), attribute("saturate", i=1)),
                node("CastLike", ["i", "c"], ["f"]),
                node("Mul", ["f", "c"], ["y"]),
            ],
        ),
        "constants": model(
            13,
            [
                node("Constant", [], ["k"], attribute("value_ints", ints=[0, 1])),
                node("Constant", [], ["h"], attribute("value_float", f=0.5)),
                node("Identity", ["h"], ["unused"]),
                node("ReduceSum", ["x", "k"], ["y"]),
            ],
        ),
        "function": model(
            18,
            [node("SumSquare", ["x"], ["y"], attribute("keep", i=0), domain="mine")],
            functions=[function],
        ),
        "typed_data": model(
            6,
            [node("Mul", ["x", "w"], ["y"], attribute("broadcast", i=1), attribute("axis", i=0))],
            [packed],
            inputs=[value_info("x", FLOAT, [2, 3]), value_info("w", FLOAT, [2])],
        ),
        "einsum": model(
            12, [node("Einsum", ["x", "x"], ["y"], attribute("equation", s="ij,kj->ik"))]
        ),
        "einsum_sum": model(
            13,
            [
                node("Einsum", ["x", "w"], ["t"], attribute("equation", s="...i, i j->...j")),
                node("ReduceSum", ["t", "a"], ["y"], attribute("keepdims", i=0)),
            ],
            [axes, weight],
        ),
        "matmul_chain": model(
            13,
            [node("MatMul", ["x", "w"], ["t"]), node("MatMul", ["t", "w"], ["y"])],
            [weight],
        ),
        "gemm": model(
            13,
            [
                node("Einsum", ["x"], ["t"], attribute("equation", s="ij")),
                node(
                    "Gemm",
                    ["t", "w", "v"],
                    ["y"],
                    attribute("alpha", f=0.5),
                    attribute("beta", f=2.0),
                    attribute("transB", i=1),
                ),
            ],
            [weight, tensor("v", FLOAT, [3], struct.pack("<3f", 1, 2, 3))],
        ),
        "gemm6": model(
            6,
            [node("Gemm", ["x", "w", "v"], ["y"], attribute("broadcast", i=1))],
            [weight, tensor("v", FLOAT, [1], struct.pack("<f", 1))],
        ),
        "cast1": model(1, [node("Cast", ["x"], ["y"], attribute("to", s="INT8"))], result=INT8),
    }
    return {f"{name}.onnx": data for name, data in files.items()}


def layer(number: int, kind: str, version: str, data: str, inputs: int, outputs: int) -> str:
    ports = [f'<port id="{i}"><dim>2</dim></port>' for i in range(inputs + outputs)]
    return (
        f'<layer id="{number}" name="l{number}" type="{kind}" version="{version}"><data {data}/>'
        f"<input>{''.join(ports[:inputs])}</input><output>{''.join(ports[inputs:])}</output></layer>\n"
    )


def ir(layers: list[str], edges: list[tuple[int, int, int, int]], weights: bytes = b"") -> bytes:
    names = ("from-layer", "from-port", "to-layer", "to-port")
    lines = [
        "<edge " + " ".join(f'{n}="{v}"' for n, v in zip(names, edge, strict=True)) + "/>\n"
        for edge in edges
    ]
    text = '<?xml version="1.0"?>\n<net name="m" version="11">\n<layers>\n' + "".join(layers)
    text += "</layers>\n<edges>\n" + "".join(lines) + "</edges>\n</net>\n"
    return text.encode() + weights


def constant(number: int, dtype: str, shape: str, offset: int, size: int) -> str:
    data = f'element_type="{dtype}" shape="{shape}" offset="{offset}" size="{size}"'
    return layer(number, "Const", "opset1", data, 0, 1)


def two_inputs(kind: str, version: str, data: str, values: list[int], shape="?,3", dtype="f32"):
    parameter = layer(0, "Parameter", "opset1", f'shape="{shape}" element_type="{dtype}"', 0, 1)
    size = 8 * len(values)
    layers = [
        parameter,
        constant(1, "i64", str(len(values)), 0, size),
        layer(2, kind, version, data, 2, 1),
        layer(3, "Result", "opset1", "", 1, 0),
    ]
    edges = [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)]
    return ir(layers, edges, struct.pack(f"<{len(values)}q", *values))


def openvino_models() -> dict[str, bytes]:
    convert = [
        layer(0, "Parameter", "opset1", 'shape="1..4,-1,..9" element_type="f16"', 0, 1),
        layer(1, "Convert", "opset1", 'destination_type="i32"', 1, 1),
        layer(2, "Squeeze", "opset15", 'allow_axis_skip="false"', 1, 1),
        layer(3, "Result", "opset1", "", 1, 0),
    ]
    floats = 'shape="2,?" element_type="f32"'
    contraction = [
        layer(0, "Parameter", "opset1", floats, 0, 1),
        layer(1, "Parameter", "opset1", floats, 0, 1),
    ]
    into_result = [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)]
    result = layer(3, "Result", "opset1", "", 1, 0)
    sum_of_product = [
        *contraction,
        layer(2, "MatMul", "opset1", 'transpose_a="true" transpose_b="false"', 2, 1),
        constant(3, "i64", "1", 0, 8),
        layer(4, "ReduceSum", "opset1", "", 2, 1),
        layer(5, "Result", "opset1", "", 1, 0),
    ]
    files = {
        "einsum": ir(
            [*contraction, layer(2, "Einsum", "opset7", 'equation="ij,kj-&gt;ik"', 2, 1), result],
            into_result,
        ),
        "matmul": ir(
            [*contraction, layer(2, "MatMul", "opset1", 'transpose_b="true"', 2, 1), result],
            into_result,
        ),
        "sum_of_product": ir(
            sum_of_product,
            [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 4, 0), (3, 0, 4, 1), (4, 2, 5, 0)],
            struct.pack("<q", 1),
        ),
        "l2": two_inputs("ReduceL2", "opset4", 'keep_dims="True"', [1]),
        "sum": two_inputs("ReduceSum", "opset1", 'keep_dims="false"', [0, -1]),
        "identity": two_inputs("ReduceMax", "opset1", "", []),
        "logical": two_inputs("ReduceLogicalAnd", "opset1", "", [0], "2,2", "boolean"),
        "reshape": two_inputs("Reshape", "opset1", 'special_zero="true"', [0, 1, -1]),
        "transpose": two_inputs("Transpose", "opset1", "", [1, 0]),
        "unsqueeze": two_inputs("Unsqueeze", "opset1", "", [0, -1], "..."),
        "convert": ir(convert, [(0, 0, 1, 0), (1, 1, 2, 0), (2, 1, 3, 0)]),
    }
    return {f"{name}.ir": data for name, data in files.items()}


def main() -> None:
    for target, files in {"fuzz_onnx": onnx_models(), "fuzz_openvino": openvino_models()}.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
