"""A million calls leave no memory behind, those that raise included."""

import gc
import os
import pathlib
import subprocess
import sys

import numpy as np

import tenfold as tf

CALLS = 1_000_000
FIRST = 100_000  # by then every cache is full
ROUND = 20
# Less than one byte a call, which no lost object fits in; more than what an allocator's own
# bookkeeping and a touched page here and there come to.
MOST_GROWTH = 800_000


def resident():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def calls():
    """Runs `ROUND` calls: reductions, contractions, plans, and ones that are refused."""
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    a, b, out = np.ones((3, 3)), np.ones((3, 3)), np.empty((3, 3))
    sums = np.empty((2, 4), np.float32)
    plan = tf.compile("ij,jk->ik", a, b)

    def a_round():
        for _ in range(4):
            plan(a, b, out=out)
            tf.sum(x)
        for _ in range(2):
            plan(a, b)
            tf.einsum("ij,jk->ik", a, b)
            tf.max(x, axis=-1)
        tf.sum(x, axis=1, out=sums)
        tf.einsum("ij,jk->ik", a, b, out=out)
        tf.einsum(a, [0, 1], [1])
        refused(tf.sum, x, axis=3)
        refused(plan, a, x)
        refused(tf.einsum, "ij,jk->ik", a, x)

    return a_round


def refused(function, *arguments, **named):
    try:
        function(*arguments, **named)
    except tf.TenfoldError:
        pass


def main():
    a_round = calls()
    for _ in range(FIRST // ROUND):
        a_round()
    gc.collect()
    before = resident()
    for _ in range((CALLS - FIRST) // ROUND):
        a_round()
    gc.collect()
    print(resident() - before)


def test_a_million_calls_leave_nothing():
    """In a process of its own: nothing else allocates there."""
    done = subprocess.run(
        [sys.executable, __file__],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(tf.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MOST_GROWTH


if __name__ == "__main__":
    main()
