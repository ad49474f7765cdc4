"""How many threads a call may use."""

import contextlib
import os
from collections.abc import Iterator

from tenfold import _core
from tenfold.errors import argument_error, whole_number


def set_num_threads(count: int) -> None:
    """At most `count` threads for each call from now on; 0: as many as there are CPUs, or as
    TENFOLD_NUM_THREADS says. Results don't depend on it."""
    count = whole_number("set_num_threads", "count", count)
    if count < 0:
        raise argument_error("set_num_threads", "count", "0 or more", count)
    global _limit
    _limit = count
    _core.set_num_threads(count)


def get_num_threads() -> int:
    """The threads that a call may use."""
    return _core.num_threads()


@contextlib.contextmanager
def num_threads(count: int) -> Iterator[None]:
    """The same for a block: `with tenfold.num_threads(1): ...`"""
    before = _limit
    set_num_threads(count)
    try:
        yield
    finally:
        set_num_threads(before)


_limit = 0
# The worker threads don't survive a fork: the child computes on its own thread, whatever it asks
# for (-1 stays), since a thread that was at work when it was made may hold what others wait for.
os.register_at_fork(after_in_child=lambda: _core.set_num_threads(-1))
