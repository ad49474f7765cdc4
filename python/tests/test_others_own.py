"""NumPy's and opt_einsum's own tests pass with Tenfold in the place of numpy.einsum."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


def outcomes_of(*command):
    """What the other package's tests gave: {"passed": [...], "failed": [...], "calls": n}, text."""
    paths = [str(HERE), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=HERE,
    )
    text = (done.stdout + done.stderr)[-8000:]
    assert done.stdout.rstrip().endswith("}"), text
    outcomes = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode == (1 if outcomes["failed"] else 0), text
    return outcomes, text


def needs(package, file):
    found = importlib.util.find_spec(package)
    if found is None or not (pathlib.Path(found.origin).parent / file).exists():
        pytest.skip(f"the installed {package} has no {file}")


def test_numpys_own_tests_of_einsum_pass():
    needs("numpy", "_core/tests/test_einsum.py")
    outcomes, text = outcomes_of("numpys_own.py")
    assert outcomes["failed"] == [], text
    assert len(outcomes["passed"]) >= 70
    assert outcomes["calls"] >= 5000  # of the replacement: it was there


def test_a_wrong_einsum_would_be_seen():
    """The run above can fail: with every result doubled, it does."""
    needs("numpy", "_core/tests/test_einsum.py")
    code = (
        "import sys, numpy as np, numpys_own as own, own_tests\n"
        "np.einsum = lambda *a, **k: own.einsum(*a, **k) * 2\n"
        "sys.exit(own_tests.run([str(own.TESTS), '-k', 'sums_float64 or misc or chunking']))\n"
    )
    outcomes, text = outcomes_of("-c", code)
    assert len(outcomes["failed"]) == 3, text


# opt_einsum's tests that fail with the backend, each with its reason. None is about a value.
EXCEPTIONS = {}


def test_opt_einsums_own_tests_pass_with_the_backend():
    needs("opt_einsum", "tests/test_contract.py")
    outcomes, text = outcomes_of("opt_einsums_own.py")
    assert set(outcomes["failed"]) <= set(EXCEPTIONS), text
    assert len(EXCEPTIONS) <= 5
    assert len(outcomes["passed"]) >= 2000
    assert outcomes["calls"] >= 5000
