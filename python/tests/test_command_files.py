"""The shells' completions and the manual page that the command writes: each has every command and
option that --help has, each shell takes its script, and bash completes by it."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from tenfold import compare

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENFOLD_BUILD", ROOT / "build/release"))
CLI = os.environ.get("TENFOLD_CLI", str(BUILD / "cli/tenfold"))


def tenfold(*words, code=0):
    done = subprocess.run([CLI, *words], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def options_of(*command):
    """{its names: what stands for its value} for each option that --help shows."""
    text = tenfold(*command, "--help").partition("\nOptions:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^  (-[\w,-]+)(?: (\S+))?", text, re.M)
    # A default stands behind the value's name: "NAME=numpy".
    return {tuple(names.split(",")): re.sub("=(?!FILE).*", "", value) for names, value in rows}


def commands():
    text = tenfold("--help").partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  (\w+)", text, re.M)


COMMANDS = commands()
OPTIONS = {name: options_of(name) for name in COMMANDS}


def test_help_was_understood():
    assert {"run", "reduce", "einsum", "explain", "compare", "ops", "info"} == set(COMMANDS)
    assert OPTIONS["run"]["-i", "--input"] == "NAME=FILE"
    assert ("--axes", "--axis") in OPTIONS["reduce"]
    assert "completion" not in COMMANDS and "man" not in COMMANDS  # hidden, but there


def shell(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} here")
    return found


@pytest.fixture
def scripts(tmp_path):
    for name in ("bash", "zsh", "fish"):
        (tmp_path / name).write_text(tenfold("completion", name), "utf-8")
    (tmp_path / "tenfold.1").write_text(tenfold("man"), "utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_shell_takes_its_script(name, scripts):
    done = subprocess.run([shell(name), "-n", scripts / name], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_shell_that_is_not_known_is_a_wrong_call():
    assert "expected bash, zsh or fish, got 'csh'" in tenfold("completion", "csh", code=2)


COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tenfold 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(scripts, *words, cwd=None):
    done = subprocess.run(
        [shell("bash"), "--norc", "-c", COMPLETE, "bash", scripts / "bash", "tenfold", *words],
        capture_output=True,
        text=True,
        cwd=cwd or scripts,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


def test_bash_completes_commands_options_and_values(scripts):
    assert completed(scripts, "") == COMMANDS
    assert completed(scripts, "ex") == ["explain"]
    assert completed(scripts, "--v") == ["--version"]
    for command in COMMANDS:
        names = [name for names in OPTIONS[command] for name in names]
        assert sorted(completed(scripts, command, "-")) == sorted(names)
    assert completed(scripts, "run", "--pro") == ["--profile"]
    assert completed(scripts, "run", "--threads", "") == []
    assert completed(scripts, "reduce", "--dialect", "o") == ["onnx", "openvino"]
    assert completed(scripts, "reduce", "--dialect", "=", "num") == ["numpy"]
    assert completed(scripts, "einsum", "--dtype", "bf") == ["bf16"]
    assert completed(scripts, "reduce", "ReduceLogSum") == ["ReduceLogSum", "ReduceLogSumExp"]
    assert completed(scripts, "reduce", "--keepdims", "0", "argm") == ["argmax", "argmin"]


def test_bash_completes_files(scripts):
    folder = scripts / "data"
    folder.mkdir()
    for name in ("model.onnx", "x.npy"):
        (folder / name).write_bytes(b"")
    for words in [
        ("run", "m"),
        ("run", "--json", "m"),
        ("run", "-i", "x", "=", "m"),
        ("run", "m.onnx", "-i", "x", "=", "m"),
        ("run", "-o", "m"),
        ("reduce", "max", "m"),
        ("reduce", "--axes", "=", "1", "max", "m"),
        ("einsum", "i,i->", "x.npy", "m"),
        ("explain", "mod"),
    ]:
        assert completed(scripts, *words, cwd=folder) == ["model.onnx"], words
    both = ["model.onnx", "x.npy"]
    assert sorted(completed(scripts, "run", "-i", "x", "=", cwd=folder)) == both
    operators = completed(scripts, "reduce", "m", cwd=folder)
    assert sorted(operators) == ["max", "mean", "min"]


def test_fish_completes(scripts):
    found = shell("fish")

    def complete(line):
        code = f"source {scripts / 'fish'}; complete -C '{line}'"
        done = subprocess.run([found, "-N", "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    assert sorted(complete("tenfold ")) == sorted(COMMANDS)
    assert complete("tenfold run --pro") == ["--profile"]
    assert complete("tenfold reduce --dialect o") == ["onnx", "openvino"]
    for command in COMMANDS:
        told = complete(f"tenfold {command} --")
        names = {n for names in OPTIONS[command] for n in names if n.startswith("--")}
        assert set(told) == names, command


def test_zsh_has_every_command_and_option(scripts):
    """Each specification that _arguments gets, as zsh itself reads the script."""
    code = (
        "autoload() { }; compdef() { }; source $1; shift\n"
        "_arguments() { print -rl -- $@; state=argument }; words=($1); _tenfold\n"
    )
    for command in COMMANDS:
        done = subprocess.run(
            [shell("zsh"), "-f", "-c", code, "zsh", scripts / "zsh", command],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        specs = done.stdout.splitlines()
        for names, value in OPTIONS[command].items():
            for name in names:
                mark = "[" if not value else "=[" if name.startswith("--") else "+["
                assert any(f"){name}{mark}" in spec or f"*{name}{mark}" in spec for spec in specs)


def test_the_manual_page_has_every_command_and_option(scripts):
    page = (scripts / "tenfold.1").read_text("utf-8").replace("\\-", "-")
    for command in COMMANDS:
        section = page.partition(f"\n.SS tenfold {command}\n")[2].partition("\n.SS ")[0]
        assert section, command
        for names, value in OPTIONS[command].items():
            heading = ", ".join(f"\\fB{name}\\fR" for name in names)
            assert f".TP\n{heading}" in section, names
            assert not value or f"{heading} \\fI{value}\\fR" in section, (names, value)


def test_the_manual_page_is_well_formed(scripts):
    page = scripts / "tenfold.1"
    done = subprocess.run(
        [shell("mandoc"), "-T", "lint", "-W", "warning", page], capture_output=True, text=True
    )
    complaints = (done.stdout + done.stderr).splitlines()
    assert [line for line in complaints if "missing date" not in line] == []


def test_the_options_of_compare_are_those_of_python():
    parser = compare._parser()
    ours = {
        tuple(action.option_strings): action.nargs == 0
        for action in parser._actions
        if action.option_strings
    }
    told = {names: not value for names, value in OPTIONS["compare"].items()}
    assert told == ours
    assert [a.metavar for a in parser._actions if not a.option_strings] == ["MODEL"]


def test_the_program_alone_says_where_compare_is():
    said = tenfold("compare", "model.onnx", code=4)
    assert "part of the Python package" in said and "pip install" in said
