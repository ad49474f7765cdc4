"""How many threads a call may use."""

import contextlib
import os
import threading
from collections.abc import Iterator

from tenfold import _core
from tenfold.errors import argument_error, whole_number


def set_num_threads(count: int) -> None:
    """At most `count` threads for each call from now on, but within a block of num_threads; 0: as
    many as there are CPUs, or as TENFOLD_NUM_THREADS says. Results don't depend on it."""
    global _limit
    count = _checked("set_num_threads", count)
    with _lock:
        _limit = count
        _tell()


def get_num_threads() -> int:
    """The threads that a call may use."""
    return _core.num_threads()


@contextlib.contextmanager
def num_threads(count: int) -> Iterator[None]:
    """The same for a block, `with tenfold.num_threads(1): ...`, and for every Python thread. Of
    blocks that are open at the same time in several threads the one entered last counts."""
    count = _checked("num_threads", count)
    block = object()
    with _lock:
        _blocks[block] = count
        _tell()
    try:
        yield
    finally:
        with _lock:
            del _blocks[block]
            _tell()


def _checked(where, count):
    count = whole_number(where, "count", count)
    if not 0 <= count < 2**31:
        raise argument_error(where, "count", "a number from 0 to 2147483647", count)
    return count


def _tell():
    _core.set_num_threads(next(reversed(_blocks.values()), _limit))


_limit = 0  # what set_num_threads said
_blocks: dict[object, int] = {}  # the open ones, in the order in which they were entered
_lock = threading.RLock()  # a signal's handler may come in between


def _after_fork():
    # The worker threads don't survive a fork: the child computes on its own thread, whatever it
    # asks for (-1 stays), since a thread that was at work when it was made may hold what others
    # wait for: the lock too.
    global _lock
    _lock = threading.RLock()
    _core.set_num_threads(-1)


os.register_at_fork(after_in_child=_after_fork)
