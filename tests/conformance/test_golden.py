"""The golden sessions of the command line: every message, help text and printed value."""

import difflib

import pytest
from golden import FOLDER, play

SESSIONS = sorted(FOLDER.glob("*.txt"))


def test_there_are_sessions():
    assert len(SESSIONS) >= 4


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: p.stem)
def test_session(path):
    expected = path.read_text("utf-8")
    got = play(expected)
    if got != expected:
        diff = difflib.unified_diff(
            expected.splitlines(), got.splitlines(), str(path.name), "now", lineterm=""
        )
        pytest.fail(
            "\n".join(diff) + "\nAccept it with: .venv/bin/python tests/conformance/golden.py",
            pytrace=False,
        )
