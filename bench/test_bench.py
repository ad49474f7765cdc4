"""Tests of the benchmark itself. They need pytest and NumPy, none of the peers.

.venv/bin/python -m pytest bench/test_bench.py
"""

import io
import json
import math
import os
import pathlib
import sys
import time

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import check  # noqa: E402
import contender  # noqa: E402
import measure  # noqa: E402
import problem  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402

ROWS = problem.read_rows(HERE / "rows.txt")
SMALL = problem.parse("ReduceSum dt=f32 shape=8x16 axes=1 keepdims=0")


# Rows and data


def operand(row):
    """The data of a reduction."""
    (data,) = problem.make_data(row)
    return data


def test_every_row_parses_and_names_itself_once():
    assert len({row.text for row in ROWS}) == len(ROWS)
    reductions = [row for row in ROWS if row.op != "einsum"]
    assert (len(reductions), len(ROWS) - len(reductions)) == (53, 62)
    for row in reductions:
        assert row.text.startswith(
            f"{row.op} dt={row.dtype} shape=" + "x".join(map(str, row.shape))
        )
        assert row.reduced * math.prod(row.output_shape) == math.prod(row.shape)


def test_shapes_follow_axes_keepdims_and_perm():
    row = problem.parse("ReduceMax dt=f16 shape=2x3x4 axes=0,2 keepdims=1 perm=2,0,1")
    assert row.view_shape == (4, 2, 3)
    assert row.output_shape == (1, 2, 1)
    assert row.reduced == 12
    assert (row.input_bytes, row.output_bytes) == (48, 4)
    row = problem.parse("ArgMax dt=f16 shape=2x3 axes=-1 keepdims=0")
    assert (row.output_shape, row.output_dtype, row.output_bytes) == ((2,), "i64", 16)


def test_an_einsum_row_has_operands_an_output_and_terms():
    row = problem.parse("einsum 'bij,bjk->bik' dt=f64 shapes=2x3x4,2x4x5")
    assert (row.shapes, row.output_shape) == (((2, 3, 4), (2, 4, 5)), (2, 3, 5))
    assert (row.reduced, row.flops) == (4, 2 * 2 * 3 * 4 * 5)
    assert (row.input_bytes, row.output_bytes) == (8 * (24 + 40), 8 * 30)
    row = problem.parse("einsum '...ij,...jk->...ik' dt=f32 shapes=8x1x6x4,1x16x4x6")
    assert row.output_shape == (8, 16, 6, 6) and row.reduced == 4


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16", "i8", "i32", "i64"])
def test_einsum_values_are_those_of_the_definition_and_a_slip_is_seen(dtype):
    row = problem.parse(f"einsum 'ij,jk->ik' dt={dtype} shapes=5x7,7x3")
    a, b = (check.values_of(dtype, each) for each in problem.make_data(row))
    kind = a.dtype.type if dtype[0] == "i" else float
    with np.errstate(over="ignore"):
        sums = [
            [sum((kind(x) * kind(y) for x, y in zip(p, q, strict=True)), kind(0)) for q in b.T]
            for p in a
        ]
    expected = check.exact(row, problem.make_data(row))
    np.testing.assert_allclose(expected.value.astype(kind), np.array(sums, kind), rtol=1e-9)
    value = expected.value
    stored = problem.to_bf16(value) if dtype == "bf16" else value.astype(problem.STORAGE[dtype])
    assert check.judge(row, expected, dtype, (5, 3), stored).right
    spoiled = stored.copy()
    spoiled[2, 1] += 8
    assert not check.judge(row, expected, dtype, (5, 3), spoiled).right


@pytest.mark.parametrize(
    "text",
    [
        "einsum 'ij,jk' dt=f32 shapes=2x3,3x2",
        "einsum 'ij,jk->ik' dt=f32 shapes=2x3",
        "einsum 'ij,jk->ik' dt=f32 shapes=2x3,4x2",
        "einsum 'ij,jk->ik' dt=f33 shapes=2x3,3x2",
        "einsum ij,jk->ik dt=f32 shapes=2x3,3x2",
        "ReduceFoo dt=f32 shape=2 axes=0 keepdims=0",
        "ReduceSum dt=f33 shape=2 axes=0 keepdims=0",
        "ReduceSum dt=f32 shape=2 axes=0",
        "ReduceSum dt=f32 shape=2 axes=1 keepdims=0",
        "ReduceSum dt=f32 shape=2x2 axes=0,0 keepdims=0",
        "ReduceSum dt=f32 shape=2xb axes=0 keepdims=0",
        "ReduceSum dt=f32 shape=2x2 axes=0 keepdims=0 perm=0,0",
        "ReduceSum dt=f32 shape=2 axes=0 keepdims=2",
        "ReduceSum dt=f32 shape=2 axes=0 keepdims=0 extra=1",
        "ArgMax dt=f32 shape=2x2 axes=all keepdims=0",
        "",
    ],
)
def test_a_bad_row_is_refused(text):
    with pytest.raises(ValueError):
        problem.parse(text)


def test_data_depend_on_the_text_and_on_nothing_else():
    for dtype in problem.STORAGE:
        row = problem.parse(f"ReduceMax dt={dtype} shape=64x33 axes=1 keepdims=0")
        first, second = operand(row), operand(row)
        assert first.dtype == problem.STORAGE[dtype] and first.shape == (64, 33)
        assert np.array_equal(first, second)
        other = problem.parse(f"ReduceMax dt={dtype} shape=64x33 axes=0 keepdims=0")
        assert not np.array_equal(first, operand(other))


def test_data_lie_in_the_ranges_that_rows_txt_promises():
    def data(op, dtype, extra=""):
        row = problem.parse(f"{op} dt={dtype} shape=200x500 axes=1 keepdims=0{extra}")
        return operand(row)

    assert data("ReduceLogSum", "f32").min() >= 0.5 and data("ReduceLogSum", "f32").max() <= 1.5
    assert np.abs(data("ReduceProd", "f64") - 1).max() <= 1e-3
    assert abs(data("ReduceSum", "f32").std() - 1) < 0.02
    assert (data("ReduceMax", "i8").min(), data("ReduceMax", "i8").max()) == (-128, 127)
    assert np.abs(data("ReduceSum", "i32")).max() <= 2**15
    assert 2**16 >= data("ReduceSum", "u32").max() > 2**15
    assert 2**20 >= np.abs(data("ReduceSum", "i64")).max() > 2**19
    assert data("ReduceSum", "i64", " range=full").max() > 2**62
    some = data("ReduceMax", "bool").any(axis=1)
    assert 0.3 < some.mean() < 0.7


def test_bf16_rounds_to_nearest_even():
    values = np.array([1, 1 + 2**-9, 1 + 2**-8, 1 + 3 * 2**-8, -2.5, 0.0], np.float32)
    back = problem.from_bf16(problem.to_bf16(values))
    assert back.tolist() == [1, 1, 1, 1 + 2**-6, -2.5, 0.0]


def test_loaded_data_lie_16_bytes_past_a_page(tmp_path):
    path = tmp_path / "data"
    data = operand(SMALL)
    data.tofile(path)
    (loaded,) = problem.load_data(SMALL, path)
    assert np.array_equal(data, loaded) and loaded.ctypes.data % 4096 == 16
    path.write_bytes(b"short")
    with pytest.raises(ValueError):
        problem.load_data(SMALL, path)


# Right and wrong values


def naive(row, data):
    """The value by the definition, one result at a time."""
    x = row.view(check.values_of(row.dtype, data))
    kept = [i for i in range(x.ndim) if i not in row.axes]
    slices = x.transpose([*kept, *row.axes]).reshape(-1, row.reduced).tolist()
    folds = {
        "ReduceSum": math.fsum,
        "ReduceMean": lambda v: math.fsum(v) / len(v),
        "ReduceMax": max,
        "ReduceMin": min,
        "ReduceProd": math.prod,
        "ReduceL1": lambda v: math.fsum(map(abs, v)),
        "ReduceL2": lambda v: math.sqrt(math.fsum(e * e for e in v)),
        "ReduceSumSquare": lambda v: math.fsum(e * e for e in v),
        "ReduceLogSum": lambda v: math.log(math.fsum(v)),
        "ReduceLogSumExp": lambda v: math.log(math.fsum(math.exp(e) for e in v)),
        "ArgMax": lambda v: v.index(max(v)),
        "ArgMin": lambda v: v.index(min(v)),
    }
    return np.array([folds[row.op](v) for v in slices]).reshape(row.output_shape)


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
@pytest.mark.parametrize("op", problem.OPERATORS)
def test_the_exact_value_is_that_of_the_definition(op, dtype):
    for axes in ("1",) if op.startswith("Arg") else ("1", "0,2"):
        row = problem.parse(f"{op} dt={dtype} shape=5x7x4 axes={axes} keepdims=0 perm=1,0,2")
        data = operand(row)
        np.testing.assert_allclose(
            check.exact(row, [data]).value.astype(float), naive(row, data), rtol=1e-12
        )


def test_integer_values_wrap_and_means_round_toward_zero():
    def exact(op, dtype, values):
        row = problem.parse(f"{op} dt={dtype} shape=2 axes=0 keepdims=0")
        return check.exact(row, [np.array(values, problem.STORAGE[dtype])]).value.item()

    assert exact("ReduceSum", "i8", [127, 1]) == -128
    assert exact("ReduceMean", "i64", [-3, -4]) == -3
    assert exact("ReduceMean", "i8", [127, 127]) == 127
    assert exact("ReduceL1", "i32", [-5, 3]) == 8
    assert exact("ReduceSumSquare", "i32", [-5, 3]) == 34


def judged(row, change=lambda y: y):
    data = operand(row)
    expected = check.exact(row, [data])
    result = expected.value
    if row.output_dtype == "bf16":
        result = problem.to_bf16(result)
    else:
        result = result.astype(problem.STORAGE[row.output_dtype])
    return check.judge(row, expected, row.output_dtype, result.shape, change(result))


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
@pytest.mark.parametrize("op", problem.OPERATORS)
def test_the_rounded_exact_value_is_right_and_a_slip_is_seen(op, dtype):
    row = problem.parse(f"{op} dt={dtype} shape=16x9 axes=1 keepdims=0")
    assert judged(row).right

    def spoiled(y):
        y = y.copy()
        y[3] = y[3] + 8 if dtype == "bf16" or op.startswith("Arg") else y[3] * 1.05 + 0.01
        return y

    verdict = judged(row, spoiled)
    assert not verdict.right and verdict.why.startswith("[3] is") and "1 of 16 wrong" in verdict.why


def test_a_float32_sum_in_float64_input_is_wrong_but_any_order_of_adding_is_right():
    row = problem.parse("ReduceSum dt=f64 shape=4x5000 axes=1 keepdims=0")
    data = operand(row)
    expected = check.exact(row, [data])
    in_order = np.cumsum(data, axis=1)[:, -1]
    assert check.judge(row, expected, "f64", (4,), in_order).right
    narrow = data.astype(np.float32).sum(axis=1).astype(np.float64)
    assert not check.judge(row, expected, "f64", (4,), narrow).right


def test_a_nan_another_type_and_another_shape_are_wrong():
    nan = judged(SMALL, lambda y: np.where(np.arange(y.size) == 2, np.float32("nan"), y))
    assert not nan.right and nan.why.startswith("[2] is nan")
    data = operand(SMALL)
    expected = check.exact(SMALL, [data])
    assert not check.judge(SMALL, expected, "f64", (8,), data.sum(axis=1, dtype=np.float64)).right
    assert not check.judge(SMALL, expected, "f32", (8, 1), data.sum(axis=1, keepdims=True)).right


def test_which_types_are_narrower():
    def narrower(dtype, computes_in):
        row = problem.parse(f"ReduceMax dt={dtype} shape=2 axes=0 keepdims=0")
        return check.narrower(row, computes_in)

    assert narrower("f64", "f32") and narrower("i64", "i32") and narrower("i32", "f32")
    assert narrower("f32", "bf16") and narrower("f64", "i64")
    assert not narrower("f32", "f32") and not narrower("f16", "f32") and not narrower("i8", "f32")
    assert not narrower("f32", None) and not narrower("u8", "i32")


# Statistics


def row_of(ours, **peers):
    def timing(rounds, counts=True):
        return measure.Timing(counts=counts, rounds_us=rounds)

    timings = {"tenfold": timing(ours)}
    timings |= {name: timing(*value) for name, value in peers.items()}
    return measure.Row(SMALL, 1, timings, {})


def test_the_ratio_is_that_of_medians_to_the_best_peer_that_counts():
    row = row_of(
        [10, 50, 20], slow=([80, 90, 100],), best=([40, 30, 60],), wrong=([1, 1, 1], False)
    )
    assert row.best_peer("tenfold") == "best"
    assert row.ratio("tenfold") == 40 / 20
    assert row.ratio("tenfold", "min_us") == 30 / 10
    assert not row.is_short("tenfold")
    assert row_of([1], best=([19.9],)).is_short("tenfold")


def test_a_row_without_a_right_peer_or_without_a_right_value_of_ours_has_no_ratio():
    assert math.isnan(row_of([10], wrong=([1], False)).ratio("tenfold"))
    row = row_of([10], best=([20],))
    row.timings["tenfold"].counts = False
    assert math.isnan(row.ratio("tenfold"))
    assert any("doesn't count" in text for text in measure.failures([row], "tenfold"))


def test_means_are_geometric_and_leave_the_short_rows_apart():
    rows = [row_of([10], p=([20],)), row_of([10], p=([80],)), row_of([1], p=([10],)), row_of([1])]
    mean = report.means(rows, "tenfold")
    assert mean["long_median_us"] == pytest.approx(4)
    assert (mean["long_rows"], mean["short_rows"]) == (2, 1)
    assert mean["short_median_us"] == pytest.approx(10)
    assert "1.00" not in report.summary(rows, "tenfold")


def test_slow_and_unsteady_rows_are_measured_again():
    assert measure.is_suspect(row_of([10, 10], p=([9, 9],)), "tenfold")
    assert measure.is_suspect(row_of([10, 15, 15], p=([30],)), "tenfold")
    assert not measure.is_suspect(row_of([10, 10.2], p=([30, 30.1],)), "tenfold")


def test_bandwidth_is_the_median_over_turns_of_kernel_and_plain_read():
    # The clock halves after the first turn: the share stays.
    timed = {"loop": "some", "kernel_ns": [50, 100, 100], "read_ns": [40, 80, 99]}
    seen = measure.compare_reads(SMALL, timed)
    moved = SMALL.input_bytes + SMALL.output_bytes
    assert seen["read_share"] == pytest.approx(0.8)
    assert seen["share"] == pytest.approx(0.8 * moved / SMALL.input_bytes)
    assert seen["gb_per_s"] == moved / 100
    assert (seen["read_gb_per_s"], seen["read_loop"]) == (SMALL.input_bytes / 80, "some")


# Whole runs, with contenders of known speed


def compare(tmp_path, ours, peers, *more):
    """A run of the driver; returns its exit code, what it printed and its JSON."""
    rows_file = tmp_path / "rows.txt"
    rows_file.write_text("# one row\n" + SMALL.text + "\n")
    result = tmp_path / "result.json"
    options = run.arguments(["--rows-file", str(rows_file), "--json", str(result), *more])

    def synthetic(name, setting):
        words = [str(word) for word in setting]
        argv = [sys.executable, "-m", "peers.synthetic", *words]
        return contender.Contender(name, argv, 1, patience=120)

    contenders = [synthetic("tenfold", ours)]
    contenders += [synthetic(name, setting) for name, setting in peers.items()]
    printed = io.StringIO()
    saved, sys.stdout = sys.stdout, printed
    try:
        code = run.finish(options, contenders)
    finally:
        sys.stdout = saved
    return code, printed.getvalue(), json.loads(result.read_text())


def steady(tmp_path, ours, peer, seen):
    """Whether `seen(ratio)` holds in one of a few runs: other work may spoil some of them."""
    found = []
    for _ in range(4):
        # A round of a millisecond often passes without an interruption, even on a busy machine.
        more = ["--rounds", "60", "--round-ms", "1", "--no-bandwidth"]
        _, _, result = compare(tmp_path, [ours], {"peer": [peer]}, *more)
        found.append(result["rows"][0]["ratio_by_min"])
        if seen(found[-1]):
            return True
    print(found)
    return False


def test_two_equal_contenders_come_out_equal(tmp_path):
    assert steady(tmp_path, 200, 200, lambda ratio: 0.98 < ratio < 1.02)


def test_ten_percent_slower_is_seen(tmp_path):
    assert steady(tmp_path, 220, 200, lambda ratio: 0.88 < ratio < 0.94)
    assert steady(tmp_path, 200, 220, lambda ratio: 1.06 < ratio < 1.13)


def test_a_wrong_peer_is_shown_but_does_not_count(tmp_path):
    peers = {"right": [400], "wrong": [50, "wrong"]}
    code, text, result = compare(tmp_path, [100], peers, "--quick", "--no-bandwidth")
    row = result["rows"][0]
    assert row["best_peer"] == "right" and row["ratio"] > 1
    assert "[7] is" in row["contenders"]["wrong"]["why"] and "(wrong " in text
    assert code == 0


def test_a_wrong_value_of_ours_fails_the_run(tmp_path):
    code, text, _ = compare(tmp_path, [100, "wrong"], {"peer": [200]}, "--quick", "--no-bandwidth")
    assert code == 1 and "not valid" in text


def test_a_kernel_faster_than_the_plain_read_fails_the_run(tmp_path):
    code, _, result = compare(tmp_path, [100, 1.0], {"peer": [200]}, "--quick")
    assert code == 0 and result["rows"][0]["bandwidth"]["cold"]["read_share"] == 1
    code, text, _ = compare(tmp_path, [100, 1.05], {"peer": [200]}, "--quick")
    assert code == 1 and "105 % of the best plain read" in text


def test_a_missed_target_fails_a_strict_run_only(tmp_path):
    slower = ([400], {"peer": [100]}, "--quick", "--no-bandwidth")
    code, text, _ = compare(tmp_path, *slower)
    assert code == 0 and "Targets missed" in text
    assert compare(tmp_path, *slower, "--strict")[0] == 1


def test_a_contender_that_dies_or_hangs_is_a_failure_not_a_hang():
    dead = contender.Contender("dead", [sys.executable, "-c", "pass"], 1)
    with pytest.raises(contender.Failure, match="died"):
        dead.ask(cmd="time", calls=1)
    waiting = "import time; time.sleep(60)"
    asleep = contender.Contender("asleep", [sys.executable, "-c", waiting], 1, patience=0.2)
    with pytest.raises(contender.Failure, match="no answer"):
        asleep.ask(cmd="time", calls=1)


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_contenders_are_stopped_while_they_wait_and_keep_to_their_cpus():
    one = contender.peer("synthetic", 1, "10")
    try:
        one.start()
        pid = one._process.pid
        deadline = time.monotonic() + 20
        while state_of(pid) != "T" and time.monotonic() < deadline:
            time.sleep(0.01)
        assert state_of(pid) == "T"
        assert os.sched_getaffinity(pid) == contender.cpus(1)
    finally:
        one.close()


def test_the_environment_of_a_contender(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    env = contender.environment(2)
    assert "OPENBLAS_CORETYPE" not in env and "OMP_WAIT_POLICY" not in env
    assert env["OMP_NUM_THREADS"] == env["TENFOLD_NUM_THREADS"] == "2"


def test_every_cold_target_names_a_row():
    names = {row.text for row in ROWS}
    targets = run.cold_targets()
    assert targets and set(targets) <= names
    assert all(0 < least <= 100 for least in targets.values())
