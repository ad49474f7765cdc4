"""Without the command there is nothing to test: say so at once instead of failing everywhere."""

import os

import pytest
from tenfold_cli import CLI


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than a second")


@pytest.fixture(scope="session", autouse=True)
def command():
    if not os.access(CLI, os.X_OK):
        pytest.fail(f"no command at {CLI}: build it, or name it in TENFOLD_CLI", pytrace=False)
