"""OpenVINO IR files of one reduction: every operator, type and form of axes."""

import exact
import numpy as np
import pytest
from models import openvino_ir
from tenfold_cli import FLOATS, TYPES, call, from_npy, seed, to_npy

OPERATORS = {
    "ReduceL1": ("l1", 4),
    "ReduceL2": ("l2", 4),
    "ReduceSum": ("sum", 1),
    "ReduceMean": ("mean", 1),
    "ReduceMax": ("max", 1),
    "ReduceMin": ("min", 1),
    "ReduceProd": ("prod", 1),
    "ReduceLogicalAnd": ("all", 1),
    "ReduceLogicalOr": ("any", 1),
}
SHAPE = (3, 4, 5)
# Axes as the Const holds them: any integer type, a scalar or a list.
AXES = {
    "one": np.array([1], np.int64),
    "scalar": np.array(2, np.int32),
    "several": np.array([0, -1], np.int8),
    "unsigned": np.array([2, 0], np.uint16),
    "all": np.array([0, 1, 2], np.uint64),
}


def run_ir(folder, x, xml, weights, code=0):
    (folder / "m.xml").write_text(xml)
    (folder / "m.bin").write_bytes(weights)
    (folder / "x.npy").write_bytes(to_npy(x))
    done = call("run", folder / "m.xml", "-i", f"x={folder / 'x.npy'}", "-o", "-", code=code)
    return from_npy(done.out) if code == 0 else done.err


def element_type(name):
    return "boolean" if name == "bool" else name


def data(name, op):
    g = seed(name, op)
    if name == "bool":
        return g.integers(0, 2, SHAPE).astype(bool)
    if name in FLOATS:
        return g.standard_normal(SHAPE).astype(TYPES[name])
    info = np.iinfo(TYPES[name])
    return g.integers(info.min, info.max, SHAPE, dtype=TYPES[name], endpoint=True)


@pytest.mark.parametrize("operator", OPERATORS)
def test_types_and_axes(operator, tmp_path):
    op, version = OPERATORS[operator]
    names = ["bool"] if op in ("all", "any") else [n for n in TYPES if n != "bool"]
    for turn, name in enumerate(names):
        x = data(name, op)
        for index, axes in enumerate(AXES.values()):
            keep = ("true", "True", "1", "false", None)[(index + turn) % 5]
            kept = keep in ("true", "True", "1")
            ir = openvino_ir(operator, version, element_type(name), SHAPE, axes, keep)
            got = run_ir(tmp_path, x, *ir)
            case = f"{operator} {name} {axes} {keep}"
            exact.check(op, x, [int(a) for a in np.atleast_1d(axes)], kept, got, case)


@pytest.mark.parametrize("operator", OPERATORS)
def test_no_axes_is_the_identity(operator, tmp_path):
    """Even of L1 and L2, which elsewhere take the absolute value."""
    op, version = OPERATORS[operator]
    name = "bool" if op in ("all", "any") else "f32"
    x = data(name, op)
    for keep in ("true", "false"):
        ir = openvino_ir(operator, version, element_type(name), SHAPE, np.array([], np.int64), keep)
        np.testing.assert_array_equal(run_ir(tmp_path, x, *ir), x)


@pytest.mark.parametrize(
    ("operator", "version", "name", "axes", "words"),
    [
        ("ReduceSum", 1, "f32", np.array([3], np.int64), "out of range"),
        ("ReduceSum", 1, "f32", np.array([-4], np.int64), "out of range"),
        ("ReduceSum", 1, "f32", np.array([1, 1], np.int64), "twice"),
        ("ReduceSum", 1, "f32", np.array([1, -2], np.int64), "both ends"),
        ("ReduceSum", 1, "f32", np.array([[1]], np.int64), "dimensions"),
        ("ReduceSum", 1, "bool", np.array([1], np.int64), "type"),
        ("ReduceLogicalOr", 1, "f32", np.array([1], np.int64), "type"),
    ],
)
def test_refused(operator, version, name, axes, words, tmp_path):
    ir = openvino_ir(operator, version, element_type(name), SHAPE, axes)
    assert words in run_ir(tmp_path, np.zeros(SHAPE, TYPES[name]), *ir, code=3)


def test_float_axes_are_refused(tmp_path):
    xml, _ = openvino_ir("ReduceSum", 1, "f32", SHAPE, np.array([1], np.int32))
    xml = xml.replace('element_type="i32"', 'element_type="f32"')
    weights = np.array([1], np.float32).tobytes()
    assert "not integers" in run_ir(tmp_path, np.zeros(SHAPE, np.float32), xml, weights, code=3)


def test_unknown_version_is_unsupported(tmp_path):
    ir = openvino_ir("ReduceL2", 1, "f32", SHAPE, np.array([1]))
    run_ir(tmp_path, np.zeros(SHAPE, np.float32), *ir, code=4)
