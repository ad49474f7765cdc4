"""The stub of the extension module is the one that its module gives; mypy --strict reads the public
API as users write it, and refuses what is wrong."""

import os
import pathlib
import subprocess
import sys

import typed_examples

import tenfold

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(tenfold.__file__).parents[1]


def run(*words, **variables):
    return subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
    )


def test_the_stub_is_that_of_the_module(tmp_path):
    stub = tmp_path / "_core.pyi"
    done = run(ROOT / "scripts/stubs", stub, PYTHONPATH=str(PACKAGE))
    assert done.returncode == 0, done.stderr
    committed = (ROOT / "python/tenfold/_core.pyi").read_text("utf-8")
    assert stub.read_text("utf-8") == committed, "written again by scripts/stubs"


def mypy(file, folder):
    return run(
        *(sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"),
        *("--cache-dir", folder / "cache", file),
        MYPYPATH=str(ROOT / "python"),
    )


def test_the_examples_are_typed_and_run(tmp_path, capsys):
    done = mypy(typed_examples.__file__, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    typed_examples.main()


def test_the_examples_use_every_public_name():
    text = pathlib.Path(typed_examples.__file__).read_text("utf-8")
    missing = [name for name in tenfold.__all__ if f"tf.{name}" not in text]
    assert set(missing) <= {"named", "compat", "path_optimizer"}


def test_mypy_sees_mistakes(tmp_path):
    file = tmp_path / "wrong.py"
    lines = {
        'tf.sum([1], axis="x")': "arg-type",
        "tf.set_num_threads(None)": "arg-type",
        'tf.load("m.onnx").run([1])': "arg-type",
        "tf.summ([1])": "attr-defined",
        'tf.compile("i->", (1,), thread=1)': "call-arg",
        'plan: tf.Explanation = tf.compile("i->", (1,))': "assignment",
        'tf.compile("i->", (1,)).explain() + 1': "operator",
    }
    file.write_text("\n".join(["import tenfold as tf", *lines, ""]), "utf-8")
    output = mypy(file, tmp_path).stdout
    for number, code in enumerate(lines.values(), 2):
        found = [line for line in output.splitlines() if f"wrong.py:{number}: error" in line]
        assert found and f"[{code}]" in found[0], output
