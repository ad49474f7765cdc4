"""What a call costs on tiny operands beside NumPy (bench/overhead.py), in the ratios that are asked
for: both are measured in the same run, by the time of their own thread."""

import importlib.util
import pathlib

import pytest

FILE = pathlib.Path(__file__).resolve().parents[2] / "bench/overhead.py"


@pytest.fixture(scope="module")
def overhead():
    spec = importlib.util.spec_from_file_location("overhead", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_says_what_holds(overhead, capsys):
    assert overhead.main(["--rounds", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = [line for line in lines if line.endswith(("holds", "BROKEN", "not installed"))]
    assert len(told) == len(overhead.BOUNDS)


def test_the_ratios_to_numpy(overhead):
    """Three tries: a busy machine may spoil one."""
    bounds = [(n, other, most) for n, other, most in overhead.BOUNDS if other and "numpy" in other]
    assert len(bounds) == 2
    for _ in range(3):
        times = overhead.measure(overhead.contenders(), 20)
        broken = {
            n: times[n] / times[other]
            for n, other, most in bounds
            if times[n] > most * times[other]
        }
        if not broken:
            return
    raise AssertionError(broken)


def test_a_bound_that_does_not_hold_is_told(overhead, capsys, monkeypatch):
    monkeypatch.setattr(overhead, "BOUNDS", [("tenfold.sum", None, 1.0)])
    assert overhead.main(["--rounds", "1", "--check"]) == 1
    assert "BROKEN" in capsys.readouterr().out
