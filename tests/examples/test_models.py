"""The model files of examples/models: what the script writes is what is committed, and both the
command line and the C++ example return what is expected."""

import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
MODELS = ROOT / "examples" / "models"
BUILD = ROOT / "build" / "release"
sys.path.insert(0, str(MODELS))

import check_outputs  # noqa: E402
import make_models  # noqa: E402

CASES = ["attention_mask/model.onnx", "channel_norm/model.xml", "image_pooling/model.onnx"]


def files_below(folder):
    return {p.relative_to(folder) for p in folder.glob("*/**/*") if p.is_file()} - {
        p.relative_to(folder) for p in folder.glob("__pycache__/*")
    }


def test_committed_files_are_what_the_script_writes(tmp_path):
    make_models.write_all(tmp_path)
    assert files_below(tmp_path) == files_below(MODELS)
    for name in files_below(tmp_path):
        assert (tmp_path / name).read_bytes() == (MODELS / name).read_bytes(), name


def inputs_of(case):
    folder = (MODELS / case).parent
    return [f"{path.stem}={path}" for path in sorted((folder / "inputs").glob("*.npy"))]


@pytest.mark.parametrize("case", CASES)
def test_command_line_returns_the_expected(case, tmp_path):
    inputs = [word for pair in inputs_of(case) for word in ("-i", pair)]
    command = [BUILD / "cli" / "tenfold", "run", MODELS / case, *inputs, "-o", f"{tmp_path}/"]
    subprocess.run(command, check=True)
    assert check_outputs.main((MODELS / case).parent / "expected", tmp_path) == 0


@pytest.mark.parametrize("case", CASES)
def test_cpp_example_returns_the_expected(case, tmp_path):
    command = [BUILD / "examples" / "example_run_model", MODELS / case, tmp_path, *inputs_of(case)]
    subprocess.run(command, check=True)
    assert check_outputs.main((MODELS / case).parent / "expected", tmp_path) == 0


@pytest.mark.parametrize("name", ["length", "sentence", "is_full"])
def test_a_wrong_value_is_seen(name, tmp_path):
    expected = MODELS / "attention_mask" / "expected"
    shutil.copytree(expected, tmp_path, dirs_exist_ok=True)
    assert check_outputs.main(expected, tmp_path) == 0
    array = np.load(tmp_path / f"{name}.npy")
    array.flat[-1] = not array.flat[-1] if array.dtype == bool else array.flat[-1] * 1.01 + 1
    np.save(tmp_path / f"{name}.npy", array)
    assert check_outputs.main(expected, tmp_path) == 1


def test_a_nan_is_seen(tmp_path):
    expected = MODELS / "channel_norm" / "expected"
    array = np.load(expected / "norm.npy")
    array.flat[0] = np.nan
    np.save(tmp_path / "norm.npy", array)
    assert check_outputs.main(expected, tmp_path) == 1
