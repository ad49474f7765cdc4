"""Random ONNX models of several reductions: any version, type, shape, axes and attributes that the
standard's own schemas allow, judged by exact arithmetic; and against the standard's reference
evaluator where that one is right.
"""

import io
import warnings

import exact
import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models import NODE_NAME, SCHEMA_TYPE, axes_is_input, many_reductions, schema_of
from onnx.reference import ReferenceEvaluator
from tenfold_cli import FLOATS, TYPES, run_model

# The first and the last opset of every version of our operators, and those between.
OPSETS = (1, 5, 10, 11, 12, 13, 17, 18, 19, 20, 27, onnx.defs.onnx_opset_version())
PROCESS_PER_EXAMPLE = settings(
    deadline=None,
    derandomize=True,  # the same cases in every run: a failure is never somebody else's
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def types_of(op: str, opset: int) -> list[str]:
    """The element types that the schema allows for the data."""
    schema = schema_of(op, opset)
    name = schema.inputs[0].type_str
    allowed = next(c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == name)
    return [t for t in TYPES if f"tensor({SCHEMA_TYPE[t]})" in allowed]


def test_schema_types_are_found():
    assert types_of("sum", 13) == ["f64", "f32", "f16", "bf16", "i32", "i64", "u32", "u64"]
    assert types_of("max", 20)[-1] == "bool"


def values(g: np.random.Generator, dtype, shape) -> np.ndarray:
    """Mostly ordinary numbers; sometimes zeros, ties, whole-range, infinities and NaN."""
    name = exact.NAME[dtype]
    flavour = g.integers(4)
    if name == "bool":
        return g.integers(0, 2, shape).astype(bool)
    if name not in FLOATS:
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if flavour == 0 else (max(info.min, -5), 5)
        return g.integers(low, high, shape, dtype=dtype, endpoint=True)
    x = g.standard_normal(shape) * (1 if flavour else 100)
    if flavour == 1:
        x = np.round(x)
    x = np.asarray(x, dtype=dtype)
    if flavour == 2 and x.size:
        spots = g.integers(0, x.size, max(1, x.size // 8))
        x.reshape(-1)[spots] = g.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], len(spots))
    return x


@st.composite
def reduction_calls(draw, op, opset, shape):
    """One (op, attributes) for data of this shape; None where the standard allows none."""
    rank = len(shape)
    options = {}
    if draw(st.booleans()):
        options["keepdims"] = draw(st.integers(0, 1))
    if op.startswith("arg"):
        axes = [a for a in range(rank) if shape[a] > 0]
        if not axes:
            return None
        axis = draw(st.sampled_from(axes))
        if axis != 0 or shape[0] == 0 or draw(st.booleans()):
            options["axis"] = axis - (rank if draw(st.booleans()) else 0)
        if opset >= 12 and draw(st.booleans()):
            options["select_last_index"] = draw(st.integers(0, 1))
        return op, options
    chosen = draw(st.none() | st.sets(st.integers(0, rank - 1)) if rank else st.none())
    if chosen is not None:
        signs = [draw(st.booleans()) for _ in chosen]
        options["axes"] = [
            a - rank * negative for a, negative in zip(sorted(chosen), signs, strict=True)
        ]
        if draw(st.booleans()):
            options["axes"].reverse()
    if axes_is_input(op, opset) and draw(st.booleans()):
        options["noop_with_empty_axes"] = draw(st.integers(0, 1))
    return op, options


@st.composite
def problems(draw, names, smallest):
    """Opset, type, shape (extents from `smallest` to 5), calls, and a seed for the data."""
    opset = draw(st.sampled_from(OPSETS))
    name = draw(st.sampled_from(names))
    allowed = [op for op in NODE_NAME if name in types_of(op, opset)]
    shape = tuple(draw(st.lists(st.integers(smallest, 5), max_size=4)))
    chosen = draw(st.lists(st.sampled_from(allowed), min_size=1, max_size=8)) if allowed else []
    calls = [c for op in chosen if (c := draw(reduction_calls(op, opset, shape))) is not None]
    return opset, name, shape, calls, draw(st.integers(0, 2**32 - 1))


def judge(calls, x, results, opset):
    for index, (op, options) in enumerate(calls):
        got, case = results[f"y{index}"], f"opset {opset} {options} shape {x.shape}"
        keepdims = options.get("keepdims", 1) == 1
        if op.startswith("arg"):
            last = options.get("select_last_index", 0) == 1
            exact.check_arg(op, x, options.get("axis", 0), keepdims, last, got, case)
            continue
        axes = options.get("axes") or []
        if not axes and options.get("noop_with_empty_axes", 0) == 0:
            axes = list(range(x.ndim))
        exact.check(op, x, axes, keepdims and bool(axes), got, case)


@settings(PROCESS_PER_EXAMPLE, max_examples=300)
@given(problem=problems(tuple(TYPES), smallest=0))
def test_against_exact_arithmetic(tmp_path, problem):
    opset, name, shape, calls, number = problem
    if not calls:
        return
    x = values(np.random.default_rng(number), TYPES[name], shape)
    results = run_model(many_reductions(calls, x.dtype, x.shape, opset), {"x": x}, tmp_path)
    judge(calls, x, results, opset)


def reference_is_right(op: str, name: str, x: np.ndarray) -> bool:
    """Where the reference evaluator is known to be wrong or the standard leaves the value open:
    integer logarithms, norms and means; squares of 32-bit integers, which come back as 64-bit."""
    if name in ("i32", "i64", "u32", "u64"):
        return op in ("sum", "prod", "max", "min", "l1", "argmax", "argmin")
    return x.ndim > 0 or op != "logsumexp"


@settings(PROCESS_PER_EXAMPLE, max_examples=100)
@given(problem=problems(("f64", "f32", "i32", "i64", "u32", "u64"), smallest=1))
def test_against_the_reference_evaluator(tmp_path, problem):
    opset, name, shape, calls, number = problem
    g = np.random.default_rng(number)
    if name in FLOATS:  # positive, so that no logarithm is of a negative sum
        x = np.asarray(g.uniform(0.5, 2, shape), dtype=TYPES[name])
    else:
        x = np.asarray(g.integers(1, 9, shape), dtype=TYPES[name])
    calls = [(op, options) for op, options in calls if reference_is_right(op, name, x)]
    if not calls:
        return
    model = many_reductions(calls, x.dtype, x.shape, opset)
    results = run_model(model, {"x": x}, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ReferenceEvaluator(onnx.load(io.BytesIO(model))).run(None, {"x": x})
    for index, (op, options) in enumerate(calls):
        got, case = results[f"y{index}"], f"{op}-{opset} {name} {options} {shape}"
        want = np.asarray(expected[index])
        assert (got.dtype, got.shape) == (want.dtype, want.shape), case
        if name in FLOATS:
            np.testing.assert_allclose(
                got, want, rtol=1e-5 if name == "f32" else 1e-13, atol=1e-6, err_msg=case
            )
        else:
            np.testing.assert_array_equal(got, want, err_msg=case)


@pytest.mark.parametrize("opset", OPSETS)
def test_every_version_and_type(opset, tmp_path):
    """Each operator of the opset with each type that it allows, twice."""
    counted = 0
    for name in TYPES:
        allowed = [op for op in NODE_NAME if name in types_of(op, opset)]
        if not allowed:
            continue
        x = values(np.random.default_rng(opset), TYPES[name], (3, 4))
        calls = []
        for op in allowed:
            calls += [
                (op, {"axis": 1} if op.startswith("arg") else {"axes": [-1]}),
                (op, {"keepdims": 0}),
            ]
        model = many_reductions(calls, x.dtype, x.shape, opset)
        judge(calls, x, run_model(model, {"x": x}, tmp_path), opset)
        counted += len(allowed)
    assert counted >= 12 * 7 - 2 * 4  # from 28 on the logarithms have the four floats only
