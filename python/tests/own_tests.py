"""Runs another package's installed tests with some functions replaced, and reports as JSON."""

import functools
import json

import pytest

calls = 0


def counted(function):
    """The function, its calls counted."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        global calls
        calls += 1
        return function(*args, **kwargs)

    return wrapper


class _Outcomes:
    def __init__(self):
        self.tests = {"passed": [], "failed": [], "skipped": []}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            name = report.nodeid.split("tests/")[-1]
            if name not in self.tests[report.outcome]:
                self.tests[report.outcome].append(name)


def run(arguments):
    outcomes = _Outcomes()
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--tb=short"]
    code = pytest.main([*options, *arguments], plugins=[outcomes])
    print(json.dumps({**outcomes.tests, "calls": calls}))
    return code
