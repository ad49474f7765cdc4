"""What must be an error is one: exit code 3 for a model or data that break the rules, on the
command line and in model files; never a value, a crash or a hang.
"""

import json

import numpy as np
import onnx
import pytest
from models import NODE_NAME, SCHEMA_TYPE, one_model, proto_type
from onnx import TensorProto, helper
from tenfold_cli import TYPES, call, to_npy

X = np.arange(6, dtype=np.float32).reshape(2, 3)
NEWEST = onnx.defs.onnx_opset_version()


def refuse(op, array, *options, code=3):
    done = call("reduce", op, "-", *options, stdin=to_npy(array), code=code)
    assert done.out == b""
    assert done.err.startswith("tenfold: ")
    return done.err


@pytest.mark.parametrize(
    ("op", "axes", "code_words"),
    [
        ("max", "2", "out of range"),
        ("max", "-3", "out of range"),
        ("sum", "1,1", "twice"),
        ("sum", "0,-2", "both ends"),
        ("argmax", "2", "out of range"),
        ("argmin", "-3", "out of range"),
        ("l2", "9223372036854775807", "out of range"),
    ],
)
@pytest.mark.parametrize("dialect", ["onnx:11", "onnx:28", "openvino", "numpy"])
def test_axes(op, axes, code_words, dialect):
    if dialect == "openvino" and op.startswith("arg"):
        assert "unknown operator" in refuse(op, X, "--dialect", dialect, "--axes", axes, code=2)
        return
    assert code_words in refuse(op, X, "--dialect", dialect, "--axes", axes)


@pytest.mark.parametrize("dialect", ["onnx:11", "onnx:28", "openvino", "numpy"])
def test_complex_numbers_are_not_reduced(dialect):
    for name in ("complex64", "complex128"):
        for op in ("sum", "max", "mean", "l2"):
            assert name in refuse(op, X.astype(name), "--dialect", dialect, "--axes", "1")


def test_scalars_have_no_axis():
    scalar = np.float32(3)
    for axes in ("0", "-1"):
        assert "rank 0" in refuse("max", scalar, "--axes", axes)
    assert "rank 0" in refuse("argmax", scalar)


def test_nothing_to_point_at():
    empty = np.zeros((2, 0), np.float32)
    for dialect in ("onnx:28", "numpy"):
        assert "no element" in refuse("argmax", empty, "--axes", 1, "--dialect", dialect)


@pytest.mark.parametrize(
    ("op", "name", "dialect"),
    [
        ("sum", "i8", "onnx:28"),
        ("sum", "bool", "onnx:28"),
        ("sum", "bf16", "onnx:12"),
        ("max", "u8", "onnx:11"),
        ("max", "bool", "onnx:19"),
        ("mean", "i16", "onnx:28"),
        ("logsum", "i32", "onnx:28"),
        ("argmax", "bf16", "onnx:12"),
        ("sum", "bool", "openvino"),
        ("ReduceLogicalAnd", "f32", "openvino"),
    ],
)
def test_types(op, name, dialect):
    x = X.astype(TYPES[name])
    typed = ("--input-dtype", "bf16") if name == "bf16" else ()
    assert "type not allowed" in refuse(op, x, "--dialect", dialect, "--axes", 0, *typed)


def test_attributes_of_other_versions():
    old_noop = ("--noop-with-empty-axes", "--dialect", "onnx:17")
    assert "no attribute noop_with_empty_axes" in refuse("max", X, *old_noop)
    old_last = ("--select-last-index", "--dialect", "onnx:11")
    assert "no attribute select_last_index" in refuse("argmax", X, *old_last)
    assert "axes missing" in refuse("ReduceSum", X, "--dialect", "openvino")


def node_model(op, opset, inputs=("x",), initializers=(), dtype=np.float32, **attributes) -> bytes:
    node = helper.make_node(NODE_NAME[op], list(inputs), ["y"], **attributes)
    kind = TensorProto.INT64 if op.startswith("arg") else proto_type(dtype)
    return one_model([node], proto_type(dtype), (2, 3), [("y", kind)], opset, initializers)


def axes_tensor(values, kind=TensorProto.INT64, shape=None):
    shape = [len(values)] if shape is None else shape
    return helper.make_tensor("axes", kind, shape, values)


MODELS = {
    "axes-2d": node_model("max", 18, ("x", "axes"), [axes_tensor([0], shape=[1, 1])]),
    "axes-0d": node_model("max", 18, ("x", "axes"), [axes_tensor([0], shape=[])]),
    "axes-int32": node_model("max", 18, ("x", "axes"), [axes_tensor([0], TensorProto.INT32)]),
    "axes-float": node_model("max", 18, ("x", "axes"), [axes_tensor([0.0], TensorProto.FLOAT)]),
    "axes-as-input-old": node_model("max", 13, ("x", "axes"), [axes_tensor([0])]),
    "axes-as-attr-new": node_model("max", 18, axes=[0]),
    "sum-axes-as-attr-new": node_model("sum", 13, axes=[0]),
    "noop-old": node_model("l1", 13, noop_with_empty_axes=1),
    "sel-old": node_model("argmax", 11, select_last_index=1),
    "keepdims-2": node_model("max", 13, keepdims=2),
    "noop-2": node_model("max", 18, noop_with_empty_axes=2),
    "arg-axis-high": node_model("argmax", 13, axis=2),
    "axis-high": node_model("max", 13, axes=[2]),
    "axis-low": node_model("max", 13, axes=[-3]),
    "dup": node_model("max", 13, axes=[0, 0]),
    "dup-neg": node_model("max", 13, axes=[1, -1]),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name, tmp_path):
    model, data, out = tmp_path / "m.onnx", tmp_path / "x.npy", tmp_path / "y.npy"
    model.write_bytes(MODELS[name])
    data.write_bytes(to_npy(X))
    done = call("run", model, "-i", f"x={data}", "-o", f"y={out}", code=3)
    assert done.err.startswith("tenfold: [")
    assert not out.exists()


def test_good_models_are_not_refused(tmp_path):
    """The same makers with nothing wrong: the cases above fail for their own reason only."""
    (tmp_path / "x.npy").write_bytes(to_npy(X))
    for model in (
        node_model("max", 18, ("x", "axes"), [axes_tensor([0])]),
        node_model("max", 13, axes=[0]),
        node_model("argmax", 13, axis=1),
    ):
        (tmp_path / "m.onnx").write_bytes(model)
        call("run", tmp_path / "m.onnx", "-i", f"x={tmp_path / 'x.npy'}")


def test_unsupported_is_4(tmp_path):
    node = helper.make_node("Softmax", ["x"], ["y"])
    model = one_model([node], TensorProto.FLOAT, (2, 3), [("y", TensorProto.FLOAT)], 13)
    (tmp_path / "m.onnx").write_bytes(model)
    (tmp_path / "x.npy").write_bytes(to_npy(X))
    done = call("run", tmp_path / "m.onnx", "-i", f"x={tmp_path / 'x.npy'}", code=4)
    assert "Softmax" in done.err


def test_operator_table_is_the_schemas():
    """`tenfold ops` against the onnx package: every version, its types and attributes."""
    rows = json.loads(call("ops", "--dialect", "onnx", "--json").out)["operators"]
    listed = {(r["operator"], r["since_version"]): r for r in rows}
    contractions = {"Einsum", "MatMul", "Gemm"}
    ours = {*NODE_NAME.values(), *contractions}
    schemas = {
        (s.name, s.since_version): s
        for s in onnx.defs.get_all_schemas_with_history()
        if s.domain == "" and s.name in ours
    }
    assert listed.keys() == schemas.keys()
    for key, schema in schemas.items():
        row = listed[key]
        allowed = schema.type_constraints[0].allowed_type_strs
        assert {f"tensor({SCHEMA_TYPE[t]})" for t in row["types"]} == set(allowed), key
        if key[0] == "Gemm":
            optional = schema.inputs[2].option == onnx.defs.OpSchema.FormalParameterOption.Optional
            flagged = "broadcast" in schema.attributes
            form = "stretched-by-attribute" if flagged else "required"
            assert row["c"] == ("optional" if optional else form), key
        if key[0] in contractions:
            continue
        for attribute in ("noop_with_empty_axes", "select_last_index"):
            assert row[attribute] == (attribute in schema.attributes), key
        form = "attribute" if "axes" in schema.attributes else "optional-input"
        assert row["axes"] == ("axis-attribute" if "axis" in schema.attributes else form), key
        assert row["keepdims_default"] is True
