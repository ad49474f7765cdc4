"""Files that are cut, damaged or lie about themselves: always an error that says so, in a moment,
and never a crash, a hang or much memory.
"""

import json
import resource
import struct

import numpy as np
import onnx
import pytest
from models import many_reductions, openvino_ir
from onnx import TensorProto, helper
from tenfold_cli import call, from_npy, seed, to_npy

X = np.arange(6, dtype=np.float32).reshape(2, 3)
NPY = to_npy(X)
MODEL = many_reductions([("max", {"axes": [1]}), ("sum", {"axes": [0]})], np.float32, (2, 3), 18)
PB = onnx.numpy_helper.from_array(X, "x").SerializeToString()


def npy(header: str, data: bytes = b"\0" * 24, version=1) -> bytes:
    text = header.encode("latin1").ljust(117) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def safetensors(header: dict | bytes, data: bytes = b"\0" * 24, size=None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if size is None else size) + text + data


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def survives(*words, codes, **process):
    """An error of ours: one of these exit codes (a crash would be negative), and a message."""
    done = call(*words, code=None, preexec_fn=little_memory, **process)
    assert done.code in codes, f"{done.code}: {done.err}"
    if done.code:
        assert done.err.startswith("tenfold: ")
        assert done.out == b""
    return done


LIES = {
    "empty.npy": b"",
    "magic.npy": b"\x93NUMPY",
    "header-length.npy": b"\x93NUMPY\1\0\xff\xff{",
    "header-length2.npy": b"\x93NUMPY\2\0\xff\xff\xff\xff{",
    "version9.npy": b"\x93NUMPY\x09\0" + NPY[8:],
    "no-dict.npy": npy("hello"),
    "object.npy": npy("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}"),
    "complex.npy": npy("{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}"),
    "huge.npy": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999,)}"),
    "overflow.npy": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"
    ),
    "negative.npy": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -6)}"),
    "too-long.npy": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (7,)}"),
    "twice.npy": npy("{'descr': '<f4', 'shape': (6,), 'shape': (600,), 'fortran_order': False}"),
    "rank99.npy": npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({'1,' * 99})}}"),
    "empty.npz": b"",
    "empty.pb": b"",
    "text.pb": b"hello, world",
    "raw-short.pb": helper.make_tensor("x", TensorProto.FLOAT, [2], b"\0" * 8, raw=True)
    .SerializeToString()
    .replace(b"\x08\x02", b"\x08\x03"),
    "empty.safetensors": b"",
    "length.safetensors": safetensors(b"{}", size=1 << 62),
    "offsets.safetensors": safetensors(
        {"x": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 1 << 60]}}
    ),
    "backwards.safetensors": safetensors(
        {"x": {"dtype": "F32", "shape": [2, 3], "data_offsets": [24, 0]}}
    ),
    "deep.safetensors": safetensors(b"[" * 100_000),
}


@pytest.mark.parametrize("name", LIES)
def test_lies(name, tmp_path):
    (tmp_path / name).write_bytes(LIES[name])
    survives("reduce", "max", tmp_path / name, codes=(2, 3, 4))


def cuts(data: bytes, many: int):
    return sorted({int(n) for n in np.linspace(0, len(data) - 1, many)})


@pytest.mark.parametrize("suffix", ["npy", "pb", "safetensors", "npz"])
def test_truncated_data(suffix, tmp_path):
    whole = tmp_path / f"whole.{suffix}"
    (tmp_path / "x.npy").write_bytes(NPY)
    words = ("--axes", "none", "--noop-with-empty-axes")
    call("reduce", "max", tmp_path / "x.npy", *words, "-o", whole)
    data = whole.read_bytes()
    cut = tmp_path / f"cut.{suffix}"
    for length in cuts(data, 25):
        cut.write_bytes(data[:length])
        survives("reduce", "max", cut, codes=(3,))


def test_truncated_model(tmp_path):
    (tmp_path / "x.npy").write_bytes(NPY)
    cut = tmp_path / "cut.onnx"
    for length in cuts(MODEL, 40):
        cut.write_bytes(MODEL[:length])
        # cut between two fields, a model can be one still, with less in it
        survives("run", cut, "-i", f"x={tmp_path / 'x.npy'}", codes=(2, 3, 4))


def test_damaged_bytes(tmp_path):
    g = seed("damage")
    (tmp_path / "x.npy").write_bytes(NPY)
    for index in range(60):
        data = bytearray(MODEL if index % 2 else NPY)
        for _ in range(int(g.integers(1, 4))):
            data[int(g.integers(len(data)))] = int(g.integers(256))
        file = tmp_path / ("m.onnx" if index % 2 else "d.npy")
        file.write_bytes(data)
        if index % 2:
            survives("run", file, "-i", f"x={tmp_path / 'x.npy'}", codes=(0, 2, 3, 4))
        else:
            survives("reduce", "max", file, codes=(0, 2, 3, 4, 5))


def model_of(nodes, outputs=("y",), initializers=()):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 3))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        initializer=list(initializers),
    )
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def external(location, offset=0, length=24):
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(value))
    return model_of([helper.make_node("Mul", ["x", "w"], ["y"])], initializers=[tensor])


node = helper.make_node
BAD_MODELS = {
    "cycle": model_of([node("Abs", ["b"], ["a"]), node("Abs", ["a"], ["b"])], ("a",)),
    "itself": model_of([node("Abs", ["y"], ["y"])]),
    "dangling": model_of([node("Abs", ["nowhere"], ["y"])]),
    "two-makers": model_of([node("Abs", ["x"], ["y"]), node("Exp", ["x"], ["y"])]),
    "no-such-output": model_of([node("Abs", ["x"], ["z"])]),
    "same-output-twice": model_of([node("Abs", ["x"], ["y"])], ("y", "y")),
    "no-inputs": model_of([node("ReduceMax", [], ["y"])]),
    "external-up": external("../w.bin"),
    "external-absolute": external("/etc/passwd", length=8),
    "external-missing": external("w.bin"),
    "external-past-the-end": external("short.bin"),
    "external-negative": external("short.bin", offset=-8),
}


@pytest.mark.parametrize("name", BAD_MODELS)
def test_models_that_contradict_themselves(name, tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "m.onnx").write_bytes(BAD_MODELS[name].SerializeToString())
    (folder / "x.npy").write_bytes(NPY)
    (folder / "short.bin").write_bytes(b"\0" * 8)
    (tmp_path / "w.bin").write_bytes(b"\0" * 24)
    survives("run", "m.onnx", "-i", "x=x.npy", codes=(3,), cwd=folder)


def test_external_data_in_its_place(tmp_path):
    """The same makers with the file where it may be: not refused."""
    (tmp_path / "m.onnx").write_bytes(external("w.bin").SerializeToString())
    (tmp_path / "w.bin").write_bytes(X.tobytes())
    (tmp_path / "x.npy").write_bytes(NPY)
    call("run", "m.onnx", "-i", "x=x.npy", cwd=tmp_path)
    (tmp_path / "w.bin").rename(tmp_path / "real.bin")
    (tmp_path / "w.bin").symlink_to(tmp_path / "real.bin")
    survives("run", "m.onnx", "-i", "x=x.npy", codes=(3,), cwd=tmp_path)


def test_long_chain(tmp_path):
    """Depth of the graph is no depth of our stack."""
    count = 20_000
    nodes = [node("Abs", [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(count)]
    nodes.append(node("ReduceMax", [f"v{count}"], ["y"]))
    (tmp_path / "m.onnx").write_bytes(model_of(nodes[::-1]).SerializeToString())
    (tmp_path / "x.npy").write_bytes(NPY)
    call("run", "m.onnx", "-i", "x=x.npy", cwd=tmp_path)


def test_long_chain_of_products(tmp_path):
    """Contracting through looks at a few neighbours at a time."""
    count = 5_000
    names = ["x", *(f"v{i}" for i in range(1, count + 1))]
    square = helper.make_tensor("w", TensorProto.FLOAT, [3, 3], np.eye(3).ravel())
    nodes = [node("MatMul", [names[i], "w"], [names[i + 1]]) for i in range(count)]
    nodes.append(node("Identity", [names[-1]], ["y"]))
    model = model_of(nodes[::-1], initializers=[square])
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    (tmp_path / "x.npy").write_bytes(NPY)
    done = survives("run", "m.onnx", "-i", "x=x.npy", "-o", "-", codes=(0,), cwd=tmp_path)
    assert from_npy(done.out).tolist() == X.tolist()


def product(equation, count):
    return model_of([node("Einsum", ["x"] * count, ["y"], equation=equation)])


HUGE = ",".join(f"{chr(97 + 2 * i)}{chr(98 + 2 * i)}" for i in range(12))
BAD_PRODUCTS = {
    "huge": (product(HUGE, 12), (3, 5)),  # 6^12 elements
    "huge-inside": (product(HUGE + "->a", 12), (0,)),  # the result has two
    "no-operands": (product("->", 0), (3,)),
    "too-many-terms": (product("ij," * 100_000 + "ij", 1), (3,)),
    "endless": (product("i" * 1_000_000, 1), (3,)),
    "not-utf8": (product(b"\xff\xfe,ij", 2), (3,)),
    "zeros": (product("i\0j", 1), (3,)),
    "empty": (product("", 1), (3,)),
    "gemm-of-one": (model_of([node("Gemm", ["x"], ["y"])]), (3,)),
    "gemm-of-four": (model_of([node("Gemm", ["x"] * 4, ["y"])]), (3,)),
    "gemm-inner": (model_of([node("Gemm", ["x", "x", "x"], ["y"])]), (3,)),
    "gemm-of-itself": (model_of([node("Gemm", ["x", "y", "x"], ["y"])]), (3,)),
    "cycle": (
        model_of([node("MatMul", ["x", "b"], ["y"]), node("MatMul", ["y", "x"], ["b"])]),
        (3,),
    ),
}


@pytest.mark.parametrize("name", BAD_PRODUCTS)
def test_products_that_cannot_be(name, tmp_path):
    model, codes = BAD_PRODUCTS[name]
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    (tmp_path / "x.npy").write_bytes(NPY)
    survives("run", "m.onnx", "-i", "x=x.npy", codes=codes, cwd=tmp_path)


def test_equations_that_cannot_be(tmp_path):
    """The same on the command line, where the equation comes from the user."""
    (tmp_path / "x.npy").write_bytes(NPY)
    for equation in (
        "i" * 100_000,
        "ij" + ",ij" * 10_000,
        "\u202eij",
        "i\u0301j",
        "...",
        "ij->" * 9,
    ):
        for dialect in ("numpy", "onnx", "openvino"):
            words = ("einsum", equation, "x.npy", "--dialect", dialect)
            done = survives(*words, codes=(0, 3), cwd=tmp_path)
            assert len(done.err) < 2000


XML, WEIGHTS = openvino_ir("ReduceMax", 1, "f32", (2, 3), np.array([1], np.int64))
BAD_IRS = {
    "empty": "",
    "not-closed": XML[:-8],
    "other-root": "<html><body/></html>",
    "no-layers": '<net name="n" version="11"><layers/><edges/></net>',
    "offset": XML.replace('offset="0"', 'offset="99999999"'),
    "offset-negative": XML.replace('offset="0"', 'offset="-8"'),
    "size": XML.replace('size="8"', 'size="9223372036854775807"'),
    "edge-to-nowhere": XML.replace('to-layer="2"', 'to-layer="77"', 1),
    "same-id": XML.replace('<layer id="1"', '<layer id="0"'),
    "cycle": XML.replace('from-layer="0" from-port="0"', 'from-layer="2" from-port="2"'),
    "deep": "<a>" * 100_000,
    "bad-shape": XML.replace('shape="2,3"', 'shape="2,a"'),
    "bad-type": XML.replace('element_type="f32"', 'element_type="f31"'),
    "bad-keep": XML.replace("<input><port", '<data keep_dims="maybe"/><input><port', 1),
}


@pytest.mark.parametrize("name", BAD_IRS)
def test_bad_openvino_ir(name, tmp_path):
    (tmp_path / "m.xml").write_text(BAD_IRS[name])
    (tmp_path / "m.bin").write_bytes(WEIGHTS)
    (tmp_path / "x.npy").write_bytes(NPY)
    survives("run", "m.xml", "-i", "x=x.npy", codes=(2, 3, 4), cwd=tmp_path)


def test_openvino_without_weights(tmp_path):
    (tmp_path / "m.xml").write_text(XML)
    (tmp_path / "x.npy").write_bytes(NPY)
    survives("run", "m.xml", "-i", "x=x.npy", codes=(3,), cwd=tmp_path)


def test_ranks(tmp_path):
    """64 axes are the most."""
    for rank, code in ((64, 0), (65, 3)):
        shape = "1," * rank
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape})}}"
        size = struct.pack("<I", 400)
        data = b"\x93NUMPY\2\0" + size + header.encode().ljust(399) + b"\n\0\0\x80\x3f"
        (tmp_path / "x.npy").write_bytes(data)
        survives("reduce", "max", "x.npy", codes=(code,), cwd=tmp_path)
