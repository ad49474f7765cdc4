"""Every code block of README.md does what it says: commands run, programs build and print."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
KNOWN = {"sh", "console", "cpp", "text", "cmake"}


def blocks():
    return [match.groups() for match in FENCE.finditer((ROOT / "README.md").read_text("utf-8"))]


def of_kind(kind):
    return [body for language, body in blocks() if language == kind]


def bash(script, **options):
    environment = dict(os.environ, PATH=f"{ROOT}/build/release/cli:{os.environ['PATH']}")
    return subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


def commands_with_output(body):
    """Pairs of a command after '$ ' and the lines printed below it."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.M)
    assert parts[0] == "", "a console block begins with a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def test_every_block_is_of_a_kind_that_is_tested():
    kinds = {language for language, _ in blocks()}
    assert kinds == KNOWN


def test_shell_commands_succeed():
    for body in of_kind("sh"):
        # scripts/test is what runs this.
        lines = [line for line in body.splitlines() if line != "./scripts/test"]
        done = bash("set -e\n" + "\n".join(lines))
        assert done.returncode == 0, done.stdout


def test_the_set_up_commands_exist():
    for name in re.findall(r"\./scripts/\w+|bench/(?:setup|run)\b", "\n".join(of_kind("sh"))):
        assert os.access(ROOT / name, os.X_OK), name


def test_consoles_show_what_is_printed():
    for body in of_kind("console"):
        for command, output in commands_with_output(body):
            assert bash(command).stdout == output, command


def test_the_program_builds_with_the_cmake_file_and_prints(tmp_path):
    (program,), (project,), (output,) = of_kind("cpp"), of_kind("cmake"), of_kind("text")
    (tmp_path / "main.cpp").write_text(program, "utf-8")
    (tmp_path / "CMakeLists.txt").write_text(project, "utf-8")
    prefix = tmp_path / "prefix"
    done = bash(
        f"""set -e
        cmake --install build/release --prefix {prefix}
        cmake -S {tmp_path} -B {tmp_path}/build -DCMAKE_PREFIX_PATH={prefix}
        cmake --build {tmp_path}/build"""
    )
    assert done.returncode == 0, done.stdout
    assert bash(f"{tmp_path}/build/first").stdout == output


def test_links_lead_somewhere():
    text = (ROOT / "README.md").read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / target).exists(), target
