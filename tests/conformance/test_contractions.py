"""`tenfold einsum`, and Einsum, MatMul and Gemm in model files, held against NumPy on whole
numbers, which every type holds exactly.
"""

import json
import pathlib
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from models import proto_type
from onnx import helper
from tenfold_cli import BF16, INTEGERS, TYPES, call, from_npy, run_model, same_bits, seed, to_npy

EQUATIONS = {
    "matmul": ("ij,jk->ik", (3, 4), (4, 5)),
    "implicit": ("ba,bc", (3, 4), (3, 2)),
    "spaces": (" i j , j k -> i k ", (3, 4), (4, 5)),
    "trace": ("ii", (4, 4)),
    "diagonal": ("...ii->...i", (2, 4, 4)),
    "transpose": ("abc->cab", (2, 3, 4)),
    "total": ("ij->", (3, 4)),
    "outer": ("i,j->ij", (3,), (4,)),
    "batch": ("bqd,bkd->bqk", (2, 3, 4), (2, 5, 4)),
    "broadcast": ("...ij,...jk->...ik", (2, 1, 3, 4), (1, 5, 4, 2)),
    "three": ("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)),
    "hyperedge": ("ai,bi,ci->abc", (2, 3), (4, 3), (2, 3)),
    "scalars": (",->", (), ()),
    "one-stretches": ("ij,ij->ij", (1, 4), (3, 4)),
    "empty-sum": ("ij,jk->ik", (3, 0), (0, 2)),
    "nothing": ("ij,jk->ik", (0, 4), (4, 2)),
}


def whole_numbers(name, *shapes):
    g = seed(name, shapes)
    low = 0 if name in ("u8", "u16", "u32", "u64", "bool") else -2
    high = 2 if name == "bool" else 3
    return [g.integers(low, high, shape).astype(TYPES[name]) for shape in shapes]


def expected(equation, arrays):
    """NumPy's einsum, in float64 for the 16-bit floats; integers wrap as theirs do."""
    dtype = arrays[0].dtype
    wide = [a.astype(np.float64) if dtype == BF16 else a for a in arrays]
    return np.asarray(np.einsum(equation, *wide)).astype(dtype)


def einsum(folder: pathlib.Path, equation, arrays, *options, code=0):
    words = []
    for index, array in enumerate(arrays):
        file = folder / f"operand{index}.npy"
        file.write_bytes(to_npy(array))
        words.append(file)
    typed = ("--input-dtype", "bf16") if arrays and arrays[0].dtype == BF16 else ()
    done = call("einsum", equation, *words, "-o", "-", *typed, *options, code=code)
    return from_npy(done.out) if code == 0 else done.err


@pytest.mark.parametrize("name", EQUATIONS)
@pytest.mark.parametrize("dialect", ["numpy", "onnx:28", "openvino"])
def test_equations(name, dialect, tmp_path):
    equation, *shapes = EQUATIONS[name]
    arrays = whole_numbers("f32", *shapes)
    got = einsum(tmp_path, equation, arrays, "--dialect", dialect)
    want = expected(equation, arrays)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", TYPES)
def test_types(name, tmp_path):
    arrays = whole_numbers(name, (3, 4), (4, 5))
    got = einsum(tmp_path, "ij,jk->ki", arrays)
    np.testing.assert_array_equal(got, expected("ij,jk->ki", arrays))
    assert got.dtype == TYPES[name]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_wrap(name, tmp_path):
    info = np.iinfo(TYPES[name])
    g = seed("wrap", name)
    arrays = [g.integers(info.min, info.max, s, TYPES[name], True) for s in ((5, 6), (6, 7))]
    with np.errstate(over="ignore"):
        want = expected("ij,jk->ik", arrays)
    for dialect in ("numpy", "onnx", "openvino"):
        assert same_bits(einsum(tmp_path, "ij,jk->ik", arrays, "--dialect", dialect), want)


def test_complex(tmp_path):
    a, b = (x + 1j * y for x, y in [whole_numbers("f64", (3, 4), (3, 4)) for _ in "ab"])
    b = b.T
    got = einsum(tmp_path, "ij,jk->ik", [a, np.ascontiguousarray(b)])
    np.testing.assert_array_equal(got, a @ b)
    refused = einsum(tmp_path, "ij->", [a], "--dialect", "onnx", code=3)
    assert "Einsum-28" in refused


def test_mixed_types_promote_or_are_refused(tmp_path):
    arrays = [np.arange(3, dtype=np.int16), np.arange(3, dtype=np.float32)]
    got = einsum(tmp_path, "i,i->", arrays)
    assert (got.dtype, got) == (np.float32, 5)
    assert einsum(tmp_path, "i,i->", arrays, "--dtype", "f64").dtype == np.float64
    for dialect in ("onnx", "openvino"):
        assert "type" in einsum(tmp_path, "i,i->", arrays, "--dialect", dialect, code=3)
    assert "not allowed" in einsum(
        tmp_path, "i->", [np.ones(2, BF16)], "--dialect", "onnx:27", code=3
    )


WRONG = {
    "count": ("ij,jk->ik", [(2, 3)]),
    "rank": ("ijk,jk->ik", [(2, 3), (3, 4)]),
    "size": ("ij,jk->ik", [(2, 3), (4, 5)]),
    "out-unknown": ("ij->ik", [(2, 3)]),
    "out-repeat": ("ij->iij", [(2, 3)]),
    "char": ("i;j->ij", [(2,), (3,)]),
    "dots": ("i..j->ij", [(2, 3)]),
    "two-ell": ("...i...->i", [(2, 3)]),
    "arrow2": ("ij->i->j", [(2, 3)]),
    "diag-size": ("ii->i", [(2, 3)]),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("dialect", ["numpy", "onnx", "openvino"])
def test_wrong_equations(name, dialect, tmp_path):
    """An error of exit code 3 that shows the equation with a caret."""
    equation, shapes = WRONG[name]
    arrays = [np.ones(s, np.float32) for s in shapes]
    message = einsum(tmp_path, equation, arrays, "--dialect", dialect, code=3)
    lines = message.splitlines()
    assert lines[0].startswith("tenfold: ")
    assert lines[1].strip() == equation
    assert "^" in lines[2]


def test_ellipses_of_different_ranks(tmp_path):
    arrays = [np.ones(s, np.float32) for s in ((2, 3), (4, 2, 3))]
    assert einsum(tmp_path, "...i,...i->...", arrays).shape == (4, 2)
    assert einsum(tmp_path, "...i,...i->...", arrays, "--dialect", "openvino").shape == (4, 2)
    einsum(tmp_path, "...i,...i->...", arrays, "--dialect", "onnx", code=3)


def test_the_order_can_be_given(tmp_path):
    arrays = whole_numbers("i64", (3, 4), (4, 5), (5, 2))
    want = expected("ij,jk,kl->il", arrays)
    for path in ("auto", "dp", "greedy", "left", "1,2/0,1", "0,1/0,1", "0,2/0,1"):
        got = einsum(tmp_path, "ij,jk,kl->il", arrays, "--path", path)
        np.testing.assert_array_equal(got, want)
    einsum(tmp_path, "ij,jk,kl->il", arrays, "--path", "0,7/0,1", code=2)
    message = einsum(tmp_path, "ij,jk,kl->il", arrays, "--path", "gredy", code=2)
    assert "did you mean 'greedy'?" in message


def test_memory_limit(tmp_path):
    """One order of this chain has an intermediate of 40 kB, the other one of 400 bytes."""
    shapes = ((100, 10), (10, 100), (100, 10))
    arrays = whole_numbers("f32", *shapes)
    want = expected("ij,jk,kl->il", arrays)
    got = einsum(tmp_path, "ij,jk,kl->il", arrays, "--memory-limit", "4K")
    np.testing.assert_array_equal(got, want)
    message = einsum(tmp_path, "ij,jk,kl->il", arrays, "--memory-limit", "100", code=5)
    assert "400" in message  # the lowest peak: 10 x 10 floats
    einsum(tmp_path, "ij,jk,kl->il", arrays, "--memory-limit", "some", code=2)


def test_files(tmp_path):
    """Standard input once, members of archives, and the formats of the outputs."""
    a, b = whole_numbers("f32", (3, 4), (4, 5))
    np.savez(tmp_path / "both.npz", a=a, b=b)
    done = call("einsum", "ij,jk", "both.npz:a", "both.npz:b", "-o", "c.npy", cwd=tmp_path)
    assert done.out.decode() == "wrote c.npy: float32 (3, 5)\n"
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), a @ b)
    piped = call("einsum", "ij,jk", "-", "both.npz:b", "-o", "-", cwd=tmp_path, stdin=to_npy(a))
    np.testing.assert_array_equal(from_npy(piped.out), a @ b)
    assert "once" in call("einsum", "ij,jk", "-", "-", stdin=to_npy(a), code=2).err
    printed = call("einsum", "ij,jk", "both.npz:a", "both.npz:b", "--json", cwd=tmp_path)
    document = json.loads(printed.out)
    assert document["equation"] == "ij,jk"
    assert document["dtype"] == "float32"
    np.testing.assert_array_equal(np.array(document["data"]), a @ b)


def test_threads_do_not_matter(tmp_path):
    g = seed("threads")
    arrays = [g.standard_normal(s).astype(np.float32) for s in ((150, 90), (90, 170))]
    one = einsum(tmp_path, "ij,jk->ik", arrays, "--threads", 1)
    for threads in (2, 3, 8):
        assert same_bits(einsum(tmp_path, "ij,jk->ik", arrays, "--threads", threads), one)
    np.testing.assert_allclose(one, arrays[0].astype(np.float64) @ arrays[1], rtol=1e-4, atol=1e-4)


def explain(*words, **named):
    return call("explain", *words, **named).out.decode()


def test_explain(tmp_path):
    chain = ("ab,bc,cd->ad", "--shapes", "10x20,20x30,30x5")
    text = explain(*chain)
    assert "ab,bc,cd->ad" in text.splitlines()[0]
    plan = json.loads(explain(*chain, "--json"))
    assert plan["equation"] == "ab,bc,cd->ad"
    assert [sorted(step) for step in plan["path"]] == [[1, 2], [0, 1]]
    assert plan["flops"] == 2 * (20 * 30 * 5 + 10 * 20 * 5)
    assert len(plan["steps"]) == 2
    explain(*chain, "--svg", "tree.svg", "--dot", "tree.dot", cwd=tmp_path)
    assert ET.parse(tmp_path / "tree.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "tree.dot").read_text().startswith("digraph")
    assert explain(*chain, "--dot", "-").startswith("digraph")
    left = json.loads(explain(*chain, "--path", "left", "--dtype", "bf16", "--json"))
    assert [sorted(step) for step in left["path"]] == [[0, 1], [0, 1]]
    assert left["dtype"] == "bf16"
    for words in (("ab,bc->ac",), ("a->", "--shape", "3"), (*chain, "--svg", "-", "--json")):
        call("explain", *words, code=2)
    assert "two sizes" in call("explain", "ab,bc", "--shapes", "2x3,4x5", code=3).err


def model(nodes, inputs, outputs, dtype=np.float32, opset=13):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, proto_type(dtype), s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(n, proto_type(dtype), None) for n in outputs],
    )
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


CONTRACTIONS_IN_A_ROW = {
    "matmul-chain": (
        [
            helper.make_node("MatMul", ["a", "b"], ["t"], name="first"),
            helper.make_node("MatMul", ["t", "c"], ["y"], name="second"),
        ],
        {"a": (30, 20), "b": (20, 40), "c": (40, 1)},
        lambda a, b, c: a @ (b @ c),
    ),
    "einsum-sum": (
        [
            helper.make_node("Einsum", ["a", "b"], ["t"], name="first", equation="ij,jk->ik"),
            helper.make_node("ReduceSum", ["t", "axes"], ["y"], name="second", keepdims=1),
            helper.make_node("Constant", [], ["axes"], value_ints=[1]),
        ],
        {"a": (30, 20), "b": (20, 40)},
        lambda a, b: (a @ b).sum(1, keepdims=True),
    ),
    "gemm": (
        [
            helper.make_node("Einsum", ["a", "b"], ["t"], name="first", equation="ij,jk->ki"),
            helper.make_node(
                "Gemm", ["t", "c", "d"], ["y"], name="second", transA=1, alpha=2.0, beta=-1.0
            ),
        ],
        {"a": (30, 20), "b": (20, 40), "c": (40, 1), "d": (1,)},
        lambda a, b, c, d: 2 * (a @ (b @ c)) - d,
    ),
}


@pytest.mark.parametrize("name", CONTRACTIONS_IN_A_ROW)
def test_contracting_through(name, tmp_path):
    """The same whole numbers with and without it; the profile says what was done."""
    nodes, shapes, value = CONTRACTIONS_IN_A_ROW[name]
    arrays = dict(zip(shapes, whole_numbers("f32", *shapes.values()), strict=True))
    data = model(nodes, shapes, ["y"])
    for switch, words in (((), True), (("--no-contract-through",), False)):
        got = run_model(data, arrays, tmp_path, *switch)["y"]
        np.testing.assert_array_equal(got, value(*arrays.values()))
        inputs = [w for i, n in enumerate(shapes) for w in ("-i", f"{n}={tmp_path}/in{i}.npy")]
        done = call("run", tmp_path / "model.onnx", *inputs, "--profile", *switch)
        assert (b"contracted into 'second'" in done.out) == words
        assert (b"2 nodes as one" in done.out) == words
    assert "contracted into 'second' where that is cheaper" in explain(tmp_path / "model.onnx")


def test_matmul_batches(tmp_path):
    a, b = whole_numbers("f64", (5, 1, 2, 3), (4, 3, 2))
    nodes = [helper.make_node("MatMul", ["a", "b"], ["y"])]
    data = model(nodes, {"a": a.shape, "b": b.shape}, ["y"], np.float64)
    np.testing.assert_array_equal(run_model(data, {"a": a, "b": b}, tmp_path)["y"], a @ b)


def test_types_of_versions(tmp_path):
    """A type before its opset is an error of exit code 3."""
    for op, opset, name, attributes in (
        ("MatMul", 8, "i32", {}),
        ("MatMul", 12, "bf16", {}),
        ("MatMul", 13, "i8", {}),
        ("Gemm", 12, "bf16", {}),
        ("Einsum", 27, "bf16", {"equation": "ij,jk"}),
        ("Einsum", 28, "bool", {"equation": "ij,jk"}),
    ):
        inputs = {"a": (2, 2), "b": (2, 2)}
        nodes = [helper.make_node(op, ["a", "b"], ["y"], **attributes)]
        (tmp_path / "m.onnx").write_bytes(model(nodes, inputs, ["y"], TYPES[name], opset))
        (tmp_path / "x.npy").write_bytes(to_npy(np.ones((2, 2), TYPES[name])))
        words = [w for n in inputs for w in ("-i", f"{n}=x.npy")]
        done = call("run", "m.onnx", *words, code=3, cwd=tmp_path)
        assert f"{op}-" in done.err
        assert "not allowed" in done.err


def test_missing_equation(tmp_path):
    nodes = [helper.make_node("Einsum", ["a"], ["y"], name="n")]
    (tmp_path / "m.onnx").write_bytes(model(nodes, {"a": (2,)}, ["y"]))
    done = call("run", "m.onnx", "-i", "a=x.npy", code=3, cwd=tmp_path)
    assert "'equation' is missing" in done.err
