"""How the command behaves as a process: files whole or absent, pipes, terminals, threads, memory,
and the shape of its JSON.
"""

import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import time

import numpy as np
import pytest
from golden import prepare
from models import many_reductions, one_model
from onnx import TensorProto, helper
from tenfold_cli import CLI, TIMEOUT, call, from_npy, reduce, same_bits, seed, to_npy


@pytest.fixture
def folder(tmp_path):
    prepare(tmp_path)
    return tmp_path


def names(folder):
    return sorted(p.name for p in folder.iterdir())


# Files


def test_failed_output_leaves_nothing(folder):
    """The second output cannot be written: the first does not appear, the old file stays."""
    (folder / "old.npy").write_bytes(b"old")
    before = names(folder)
    words = ("run", "two.onnx", "-i", "x.npy", "-o", "y0=old.npy", "-o")
    for bad in ("y1=x.npy/y.npy", "y1=missing/y.npy"):
        call(*words, bad, cwd=folder, code=3)
        assert names(folder) == before
        assert (folder / "old.npy").read_bytes() == b"old"


def test_target_that_is_a_folder(folder):
    (folder / "taken.npy").mkdir()
    before = names(folder)
    words = ("-i", "x.npy", "-o", "y0=new.npy", "-o", "y1=taken.npy")
    done = call("run", "two.onnx", *words, cwd=folder, code=3)
    assert "taken.npy" in done.err
    assert names(folder) == before


def small_files_only():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_full_disk_leaves_nothing(folder):
    (folder / "y.npy").write_bytes(b"old")
    before = names(folder)
    big = to_npy(np.zeros(5000, np.float32))
    words = ("reduce", "max", "-", "--axes", "none", "--noop-with-empty-axes", "-o", "y.npy")
    # Without restore_signals the limit is an error of write(), as a full disk is, and no signal.
    done = call(
        *words, stdin=big, cwd=folder, code=3, preexec_fn=small_files_only, restore_signals=False
    )
    assert "y.npy" in done.err
    assert names(folder) == before
    assert (folder / "y.npy").read_bytes() == b"old"


@pytest.mark.parametrize("suffix", ["npy", "npz", "pb", "safetensors", "raw", "bin"])
def test_every_format_comes_back(folder, suffix):
    file = f"y.{suffix}"
    call("reduce", "max", "x.npy", "--axes", 1, "-o", file, cwd=folder)
    raw = ("--shape", "2x1", "--input-dtype", "f32") if suffix in ("raw", "bin") else ()
    words = (file, *raw, "--axes", "none", "--noop-with-empty-axes", "-o", "-")
    back = call("reduce", "max", *words, cwd=folder)
    assert same_bits(from_npy(back.out), np.array([[3], [6e8]], np.float32))


def test_folder_of_outputs(folder):
    call("run", "two.onnx", "-i", "x.npy", "-o", "deep/er", cwd=folder)
    assert names(folder / "deep" / "er") == ["y0.npy", "y1.npy"]


def test_output_names_stay_in_their_folder(folder):
    outputs = ["../up", "/etc/root", "a/b", "..", "plain"]
    nodes = [helper.make_node("Identity", ["x"], [name]) for name in outputs]
    model = one_model(
        nodes, TensorProto.FLOAT, (2, 3), [(n, TensorProto.FLOAT) for n in outputs], 13
    )
    (folder / "names.onnx").write_bytes(model)
    before = names(folder)
    call("run", "names.onnx", "-i", "x.npy", "-o", "out", cwd=folder)
    assert names(folder) == sorted([*before, "out"])
    found = names(folder / "out")
    assert len(found) == len(outputs)
    assert all(name.endswith(".npy") for name in found)


# Pipes


def test_result_on_stdout_stands_alone(folder):
    done = call("run", "two.onnx", "-i", "x.npy", "-o", "y0=-", "--profile", cwd=folder)
    assert from_npy(done.out).shape == (2, 1)
    assert "microseconds" in done.err


def test_broken_pipe_is_quiet(folder):
    many = np.zeros(200_000, np.float32)
    words = [CLI, "reduce", "max", "-", "--axes", "none", "--noop-with-empty-axes"]
    for tail in (["-o", "-"], ["--json"]):
        child = subprocess.Popen(
            words + tail, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        child.stdout.close()
        child.stdin.write(to_npy(many))
        child.stdin.close()
        error = child.stderr.read()
        child.stderr.close()
        assert child.wait(timeout=TIMEOUT) == -signal.SIGPIPE
        assert error == b""


def test_long_input_through_a_pipe():
    x = seed("pipe").standard_normal((300, 1000)).astype(np.float32)
    np.testing.assert_array_equal(reduce("max", x, "--axes", 0, "--keepdims", 0), x.max(axis=0))


# Terminals


def on_terminal(words, feed=b"", wait=0.0, env=None):
    """Runs the command with standard error on a terminal; returns (exit code, what it saw)."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [CLI, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **(env or {})},
    )
    os.close(theirs)
    time.sleep(wait)
    child.stdin.write(feed)
    child.stdin.close()
    seen = b""
    while select.select([ours], [], [], 30)[0]:
        try:
            block = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not block:
            break
        seen += block
    os.close(ours)
    return child.wait(timeout=TIMEOUT), seen.decode()


def test_colour_on_a_terminal_only():
    plain = {"NO_COLOR": ""}
    code, seen = on_terminal(["rum"], env=plain)
    assert code == 2
    assert "\x1b[" in seen
    for quiet in ({"NO_COLOR": "1"}, {**plain, "TERM": "dumb"}):
        assert "\x1b[" not in on_terminal(["rum"], env=quiet)[1]
    assert "\x1b" not in call("rum", env=plain, code=2).err


def test_progress_of_long_work():
    """Two seconds of waiting for input count as work."""
    data = to_npy(np.ones(3, np.float32))
    code, seen = on_terminal(["reduce", "max", "-"], data, wait=2.6)
    assert code == 0
    assert "tenfold: reading -, 2 s" in seen
    assert seen.endswith("\r")  # the line is wiped
    assert seen.rstrip("\r").endswith(" ")
    code, seen = on_terminal(["reduce", "max", "-", "--quiet"], data, wait=2.6)
    assert (code, seen) == (0, "")


def test_no_progress_of_short_work_or_into_a_pipe(folder):
    assert on_terminal(["reduce", "max", str(folder / "x.npy")]) == (0, "")
    child = subprocess.Popen(
        [CLI, "reduce", "max", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    time.sleep(2.4)
    assert child.communicate(to_npy(np.ones(3, np.float32)), timeout=TIMEOUT)[1] == b""


# Threads and memory


@pytest.mark.parametrize("op", ["sum", "mean", "l2", "logsumexp", "prod", "max"])
def test_same_bits_for_any_threads(op):
    """Large enough to be cut: rows, columns and everything."""
    x = seed(op).standard_normal((700, 900)).astype(np.float32)
    for axes in (("--axes", 0), ("--axes", 1), ()):
        one = reduce(op, x, *axes, "--threads", 1)
        for threads in (2, 3, 7):
            assert same_bits(reduce(op, x, *axes, "--threads", threads), one)
        for limit in ("1", "2", "5"):
            assert same_bits(reduce(op, x, *axes, env={"TENFOLD_NUM_THREADS": limit}), one)


def test_threads_from_the_environment():
    for limit in (1, 3, 11):
        env = {"TENFOLD_NUM_THREADS": str(limit)}
        info = json.loads(call("info", "--no-measure", "--json", env=env).out)
        assert info["threads"] == limit


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))


def test_out_of_memory_is_5(tmp_path):
    """A file with a hole: large, and no bytes on the disk."""
    file = tmp_path / "large.raw"
    with file.open("wb") as f:
        f.truncate(4 << 30)
    words = ("reduce", "max", file, "--shape", "1024x1048576", "--input-dtype", "f32")
    done = call(*words, "--threads", 1, code=5, preexec_fn=little_memory)
    assert done.err.startswith("tenfold: ")
    assert done.err.count("\n") == 1


# JSON


def test_json_of_reduce(folder):
    object_ = json.loads(call("reduce", "max", "x.npy", "--json", cwd=folder).out)
    assert list(object_) == ["operator", "dialect", "dtype", "shape", "data"]
    to_file = call("reduce", "max", "x.npy", "--json", "-o", "y.npy", cwd=folder)
    assert list(json.loads(to_file.out)) == ["operator", "dialect", "dtype", "shape", "file"]


def test_json_of_run(folder):
    words = ("run", "two.onnx", "-i", "x.npy", "--json", "--profile")
    object_ = json.loads(call(*words, cwd=folder).out)
    assert list(object_) == ["model", "outputs", "profile"]
    assert [list(o) for o in object_["outputs"]] == [["name", "dtype", "shape", "data"]] * 2
    assert len(object_["profile"]) == 2
    for node in object_["profile"]:
        assert list(node) == ["node", "op", "microseconds", "detail"]
        assert node["microseconds"] >= 0


def test_json_of_info():
    object_ = json.loads(call("info", "--json").out)
    assert list(object_) == [
        "version",
        "simd_target",
        "simd_targets",
        "threads",
        "cpus",
        "newest_onnx_opset",
        "read_bytes_per_second",
        "fma_f32_flops",
    ]
    assert object_["simd_target"] in object_["simd_targets"]
    assert 1e8 < object_["read_bytes_per_second"] < 1e13
    assert 1e8 < object_["fma_f32_flops"] < 1e13
    assert json.loads(call("info", "--json", "--no-measure").out)["fma_f32_flops"] is None


def test_info_for_people():
    text = call("info", "--quiet").out.decode()
    for words in ("version", "SIMD target", "threads", "GB/s", "GFLOP/s"):
        assert words in text


@pytest.mark.parametrize("name", ["float64", "float32", "float16", "int64", "uint64", "bool"])
def test_json_values_come_back(name):
    """What is printed reads back as the same elements."""
    g = seed(name)
    dtype = np.dtype(name)
    if dtype.kind == "f":
        bits = g.integers(0, 1 << (8 * dtype.itemsize), 200, dtype=f"u{dtype.itemsize}")
        x = bits.view(dtype)
    elif dtype.kind == "b":
        x = g.integers(0, 2, 200).astype(bool)
    else:
        info = np.iinfo(dtype)
        x = g.integers(info.min, info.max, 200, dtype=dtype, endpoint=True)
    words = ("--dialect", "numpy", "--axes", "none", "--json")
    object_ = json.loads(call("reduce", "max", "-", *words, stdin=to_npy(x)).out)
    words_ = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
    back = [words_[v] if isinstance(v, str) else v for v in object_["data"]]
    np.testing.assert_array_equal(np.array(back, dtype=dtype), x)


# Help


def test_examples_of_the_help_texts_run(folder):
    """Each example line, as it stands, in a folder that holds the files it names."""
    (folder / "model.onnx").write_bytes(many_reductions([("max", {})], np.float32, (2, 3), 18))
    examples = []
    for command in ("run", "reduce", "explain", "ops", "info"):
        text = call(command, "--help").out.decode()
        section = text.split("Examples:\n", 1)[1]
        examples += [line.strip() for line in section.splitlines() if "tenfold" in line]
    assert len(examples) >= 16
    path = os.pathsep.join([str(command_folder(folder)), os.environ["PATH"]])
    for example in examples:
        line = re.sub(r"\s{3,}.*", "", example)  # what follows is a remark
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def command_folder(folder):
    link = folder / "bin" / "tenfold"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(os.path.abspath(CLI))
    return link.parent
