"""A child that was forked while its parent's threads were at work."""

import contextlib
import functools
import os
import pathlib
import signal
import threading
import time

import numpy as np
import pytest

import tenfold as tf

SECONDS = 30  # a child that waits for what nobody gives back is ended by then


def in_a_child(work):
    """What `work` returns, in a forked child."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@contextlib.contextmanager
def threads_that(*calls):
    """A thread for each call, which it repeats until the block ends."""
    done = threading.Event()

    def repeat(call):
        while not done.is_set():
            call()

    threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forking beside threads
def test_a_child_of_a_parent_at_work_computes_on_its_own_thread():
    a = np.ones((400, 400))

    def busy():
        tf.einsum("ij,jk->ik", a, a, threads=2)

    def asks_for_more():
        tf.set_num_threads(2)
        with tf.num_threads(2):
            right = tf.einsum("ij,jk->ik", a, a, threads=2)[0, 0] == 400
        return right and tf.sum(a) == 160000 and tf.get_num_threads() == 1

    with threads_that(busy):
        for _ in range(4):
            time.sleep(0.02)
            assert in_a_child(asks_for_more)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_child_waits_for_a_lock_of_its_parent():
    """Plans and memory are kept behind locks; without care about one child in a hundred hangs."""
    a = np.ones((70, 70))

    def busy(out):
        tf.einsum("ij,jk->ik", a, a, out=out)
        tf.einsum("ij,jk,kl->il", a, a, a, out=out)

    def work():
        out = np.empty((70, 70))
        return tf.einsum("ij,jk,kl->il", a, a, a, out=out)[0, 0] == 4900

    with threads_that(*(functools.partial(busy, np.empty((70, 70))) for _ in range(3))):
        assert all(in_a_child(work) for _ in range(150))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_child_waits_for_the_plans_of_a_model():
    folder = pathlib.Path(__file__).parents[2] / "examples" / "models" / "image_pooling"
    model = tf.load(folder / "model.onnx")
    inputs = {file.stem: np.load(file)[:1] for file in (folder / "inputs").glob("*.npy")}
    expected = model.run(inputs)

    def busy():
        model.run(inputs)

    def work():
        got = model.run(inputs)
        return all(np.array_equal(got[name], expected[name]) for name in expected)

    with threads_that(*[busy] * 4):
        assert all(in_a_child(work) for _ in range(150))
