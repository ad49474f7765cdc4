"""Many Python threads at once, with a GIL and, in a free-threaded Python, without one."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import threading

import numpy as np
import pytest

import tenfold as tf
from tenfold.compat.numpy import einsum as numpys_einsum

THREADS = 16
MODELS = pathlib.Path(__file__).resolve().parents[2] / "examples/models"
PACKAGE = str(pathlib.Path(tf.__file__).parents[1])


@pytest.fixture(autouse=True)
def many_switches():
    """With a GIL too the threads come in between each other's lines."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(*works, threads=THREADS):
    """Thread i runs works[i % len(works)](i); all start together. Raises what the first raised."""
    start, errors = threading.Barrier(threads), []

    def run(i):
        try:
            start.wait()
            works[i % len(works)](i)
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=run, args=(i,)) for i in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(120)
    assert not any(thread.is_alive() for thread in running), "a thread hangs"
    if errors:
        raise errors[0]


def same(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


def in_python(code, folder=None):
    """What a fresh interpreter prints; `folder` comes first on its path."""
    path = os.pathsep.join([str(folder), PACKAGE] if folder else [PACKAGE])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python is not free-threaded"
)
def test_the_import_leaves_the_gil_off():
    code = "import sys, tenfold, tenfold.compat.numpy\nprint(tenfold.sum([1]))\n"
    assert in_python(code + "print(sys._is_gil_enabled())").split() == ["1", "False"]


def test_sixteen_threads_share_plans_and_models():
    x = np.random.default_rng(1).standard_normal((96, 96))  # large enough to run without the GIL
    small = np.arange(12.0).reshape(3, 4)
    plan, kept = tf.compile("ij,jk->ik", x, x), tf.compile("ij,jk->ik", x, x, constants={1: x})
    tiny = tf.compile("ij,kj->ik", small, small)
    folder = MODELS / "image_pooling"
    model = tf.load(folder / "model.onnx")
    inputs = {file.stem: np.load(file) for file in (folder / "inputs").glob("*.npy")}
    outputs = model.run(inputs)
    product, gram = plan(x, x), tiny(small, small)

    def plans(_):
        out = np.empty_like(product)
        for _ in range(60):
            same(plan(x, x), product)
            assert plan(x, x, out=out) is out
            same(out, product)
            same(kept(x), product)
            same(tiny(small, small), gram)
            assert plan.explain().to_dict() and plan.path == [(0, 1)]

    def models(i):
        mine = tf.load(folder / "model.onnx") if i % 2 else model
        for count in range(40):
            # Another batch: more shapes than a model keeps plans for.
            batch = 1 + count % 12
            given = {name: array[:1].repeat(batch, 0) for name, array in inputs.items()}
            for name, value in mine.run(given).items():
                same(value, outputs[name][:1].repeat(batch, 0))
            assert mine.explain() and mine.inputs

    def errors(i):
        for count in range(100):
            with pytest.raises(tf.EquationError) as caught:
                tf.einsum("ij,jk->ik", x, x[: 1 + i + count % 7])
            assert caught.value.sizes[:2] == (96, 1 + i + count % 7)
            with pytest.raises(tf.AxisError):
                tf.sum(x, axis=5 + i)
            with pytest.raises(TypeError):
                plan(x, "text")

    at_once(plans, models, errors)


def test_sixteen_threads_fill_the_caches_of_plans():
    """More equations than are kept, most of them made by several threads at the same time."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    arrays = [np.arange(1.0, n + 1) for n in range(2, 9)]
    equations = [f"{a},{b}->{b}{a}" for a in letters for b in letters if a != b]

    def work(i):
        for at in range(len(equations)):
            equation = equations[(at + 17 * (i // 4)) % len(equations)]
            u, v = arrays[(at + i) % 7], arrays[at % 7]
            same(tf.einsum(equation, u, v), np.outer(v, u))
            same(numpys_einsum(equation, u, v), np.outer(v, u))

    at_once(work)


def test_the_caches_of_numpys_einsum_are_emptied_between_calls():
    """It forgets all it knows when it knows too much: in the middle of other threads' calls."""
    from tenfold.compat import numpy as compat

    a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    expected, done = a @ b, threading.Event()

    def forgets(_):
        while not done.is_set():
            compat._plain.clear()

    def calls(i):
        try:
            for _ in range(2000):
                same(numpys_einsum("ij,j->i", a, b), expected)
        finally:
            done.set()

    at_once(forgets, calls, calls, calls)


def test_blocks_of_num_threads_leave_the_limit_as_it_was():
    x = np.random.default_rng(2).standard_normal((300, 300))
    expected = tf.sum(x, axis=0, threads=1), tf.einsum("ij,jk->ik", x, x, threads=1)
    before = tf.get_num_threads()

    def work(i):
        for count in range(30):
            with tf.num_threads(1 + (i + count) % 3):
                same(tf.sum(x, axis=0), expected[0])
                with tf.num_threads(2):
                    same(tf.einsum("ij,jk->ik", x, x), expected[1])

    at_once(work)
    assert tf.get_num_threads() == before


def test_the_block_entered_last_counts_until_it_is_left():
    first, second = tf.num_threads(1), tf.num_threads(2)
    before = tf.get_num_threads()
    first.__enter__()
    second.__enter__()
    tf.set_num_threads(1)  # for when no block is open
    assert tf.get_num_threads() == min(2, before)
    first.__exit__(None, None, None)  # as another thread may
    assert tf.get_num_threads() == min(2, before)
    second.__exit__(None, None, None)
    assert tf.get_num_threads() == 1
    tf.set_num_threads(0)
    assert tf.get_num_threads() == before


def test_the_first_calls_come_from_many_threads(tmp_path):
    """What is looked up at the first need imports a package, which lets the other threads in."""
    (tmp_path / "ml_dtypes.py").write_text("import time\ntime.sleep(0.3)\nimport none_such\n")
    code = """
import sys, threading
import tenfold as tf
start, sums = threading.Barrier(16), []
def work():
    start.wait()
    sums.append(int(tf.sum([1, 2, 3], dtype="int32")))
threads = [threading.Thread(target=work, daemon=True) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join(20)
print(sums == [6] * 16)
"""
    assert in_python(code, tmp_path) == "True"
