"""A child that was forked while its parent's threads were at work."""

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


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forking beside threads
def test_a_child_of_a_parent_at_work_computes_on_its_own_thread():
    a, done = np.ones((400, 400)), threading.Event()

    def busy():
        while not done.is_set():
            tf.einsum("ij,jk->ik", a, a, threads=2)

    def asks_for_more():
        tf.set_num_threads(2)
        with tf.num_threads(2):
            right = tf.einsum("ij,jk->ik", a, a, threads=2)[0, 0] == 400
        return right and tf.sum(a) == 160000 and tf.get_num_threads() == 1

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(4):
            time.sleep(0.02)
            assert in_a_child(asks_for_more)
    finally:
        done.set()
        thread.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_child_waits_for_a_lock_of_its_parent():
    """Plans and memory are kept behind locks; without care about one child in a hundred hangs."""
    a, done = np.ones((70, 70)), threading.Event()
    outs = [np.empty((70, 70)) for _ in range(3)]

    def busy(out):
        while not done.is_set():
            tf.einsum("ij,jk->ik", a, a, out=out)
            tf.einsum("ij,jk,kl->il", a, a, a, out=out)

    def work():
        out = np.empty((70, 70))
        return tf.einsum("ij,jk,kl->il", a, a, a, out=out)[0, 0] == 4900

    threads = [threading.Thread(target=busy, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    try:
        assert all(in_a_child(work) for _ in range(150))
    finally:
        done.set()
        for thread in threads:
            thread.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_child_waits_for_the_plans_of_a_model():
    folder = pathlib.Path(__file__).parents[2] / "examples" / "models" / "image_pooling"
    model, done = tf.load(folder / "model.onnx"), threading.Event()
    inputs = {file.stem: np.load(file)[:1] for file in (folder / "inputs").glob("*.npy")}
    expected = model.run(inputs)

    def busy():
        while not done.is_set():
            model.run(inputs)

    def work():
        got = model.run(inputs)
        return all(np.array_equal(got[name], expected[name]) for name in expected)

    threads = [threading.Thread(target=busy) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        assert all(in_a_child(work) for _ in range(150))
    finally:
        done.set()
        for thread in threads:
            thread.join()
