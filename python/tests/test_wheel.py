"""The wheel: built and repaired by scripts/wheel, installed into an environment that has NumPy and
nothing else, and used there with a PATH without compilers (wheel_session.py)."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import zipfile

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*words, **variables):
    done = subprocess.run(
        [str(word) for word in words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, **variables},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    lines = run("scripts/wheel", tmp_path_factory.mktemp("wheels"), PYTHON=sys.executable)
    return pathlib.Path(lines.split()[-1])


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """Made from the wheel without network: NumPy is that of the tests' environment."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    site = pathlib.Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    for part in pathlib.Path(np.__file__).parents[1].glob("numpy*"):
        (site / part.name).symlink_to(part)
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", wheel)
    return folder


def test_its_tag_is_that_of_this_python(wheel):
    name, version, python, abi, platform = wheel.stem.split("-")
    assert name == "tenfold" and platform.startswith("manylinux_2_")
    number = f"cp3{sys.version_info.minor}"
    expected = (number, number) if sys.version_info < (3, 12) else ("cp312", "abi3")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        expected = (number, f"{number}t")
    assert (python, abi) == expected
    with zipfile.ZipFile(wheel) as archive:
        (module,) = [n for n in archive.namelist() if n.startswith("tenfold/_core.") and ".so" in n]
    assert ("abi3" in module) == (abi == "abi3")  # what another Python would look for


def test_it_works_where_there_is_nothing_else(environment):
    output = run(
        environment / "bin/python",
        ROOT / "python/tests/wheel_session.py",
        ROOT,
        PATH=str(environment / "bin"),
        LD_LIBRARY_PATH="",
    )
    assert output == "all checks passed\n"
