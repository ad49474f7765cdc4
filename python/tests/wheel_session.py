"""What an installed wheel has to do, run by test_wheel.py with the Python of a clean environment,
where there is no pytest and no compiler. The argument is the project's folder, for its models."""

import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

import tenfold as tf

ROOT = pathlib.Path(sys.argv[1])
HERE = pathlib.Path(sys.prefix)


def command(*words, code=0):
    done = subprocess.run(["tenfold", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def the_environment_is_clean():
    assert pathlib.Path(tf.__file__).is_relative_to(HERE) and tf.__version__
    assert importlib.metadata.version("tenfold") == tf.__version__
    for name in ("gcc", "g++", "c++", "cc", "clang", "cmake", "ninja"):
        assert shutil.which(name) is None, name
    assert pathlib.Path(shutil.which("tenfold")).is_relative_to(HERE)
    assert importlib.util.find_spec("pytest") is None and importlib.util.find_spec("onnx") is None


def reductions_and_contractions():
    random = np.random.default_rng(5)
    x = random.standard_normal((64, 48, 32)).astype(np.float32)
    for ours, theirs in [(tf.sum, np.sum), (tf.max, np.max), (tf.mean, np.mean)]:
        np.testing.assert_allclose(ours(x, axis=1), theirs(x, axis=1), rtol=1e-4, atol=1e-5)
    assert tf.sum(np.ones((4000, 4000), np.float32)) == 16e6  # on all threads
    a, b = random.standard_normal((2, 200, 200))
    np.testing.assert_allclose(tf.einsum("ij,jk->ik", a, b), a @ b)
    plan = tf.compile("ij,jk->ik", a, b)
    np.testing.assert_allclose(plan(a, b, out=np.empty((200, 200))), a @ b)
    assert "einsum 'ij,jk->ik'" in str(plan.explain())
    np.testing.assert_allclose(tf.named.einsum("row k, k column -> row column", a, b), a @ b)
    try:
        tf.einsum("ij,jk->ik", a, b[1:])
    except tf.EquationError as error:
        assert error.code == "equation-size"
    else:
        raise AssertionError("no EquationError")


def models():
    folder = ROOT / "examples/models/channel_norm"
    model = tf.load(folder / "model.xml")
    inputs = {port.name: np.load(folder / f"inputs/{port.name}.npy") for port in model.inputs}
    for name, value in model.run(inputs).items():
        assert (value == np.load(folder / f"expected/{name}.npy")).all()


def the_command():
    assert "ReduceLogSumExp" in command("ops")
    assert "compare" in command("--help")
    folder = ROOT / "examples/models/image_pooling"
    words = [f"-i{file.stem}={file}" for file in (folder / "inputs").iterdir()]
    assert "strongest: int64" in command("run", folder / "model.onnx", *words)
    np.savez(HERE / "two.npz", a=np.ones((2, 3)), b=np.ones((3, 2)))  # read through libzip
    assert "3" in command("einsum", "ij,jk->ik", HERE / "two.npz:a", HERE / "two.npz:b")
    assert "axis out of range" in command("reduce", "sum", HERE / "two.npz:a", "--axes=5", code=3)
    alone = command("compare", folder / "model.onnx", "--engines", "tenfold,onnx", code=2)
    assert "two engines are needed, there is tenfold" in alone
    assert "--engines" in command("compare", "--help")
    for file in ("bash-completion/completions/tenfold", "zsh/site-functions/_tenfold"):
        assert "--no-contract-through" in (HERE / "share" / file).read_text()
    assert (HERE / "share/man/man1/tenfold.1").read_text() == command("man")


def it_carries_its_libraries():
    """None of them comes from the system, but for those that Python itself may have loaded."""
    mapped = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").open() if ".so" in line}
    for name in ("libtbb", "libzip", "libhwy", "libpugixml", "libcrypto", "libbz2"):
        files = [file for file in mapped if pathlib.Path(file).name.startswith(name)]
        ours = [file for file in files if "tenfold.libs" in file]
        assert ours and (ours == files or name in ("libcrypto", "libbz2")), (name, files)
    notices = importlib.metadata.files("tenfold")
    carried = {file.parent.name for file in notices if "carried" in file.parts}
    assert {"libtbb12", "libzip4", "libhwy1", "libpugixml1v5", "nanobind", "libfmt-dev"} <= carried
    assert any(file.name == "LICENSE" for file in notices)
    assert os.access(pathlib.Path(tf.__file__).parent / "bin/tenfold", os.X_OK)


for check in (
    the_environment_is_clean,
    reductions_and_contractions,
    models,
    the_command,
    it_carries_its_libraries,
):
    check()
print("all checks passed")
