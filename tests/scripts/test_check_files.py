"""scripts/check_files.py sees each thing that it is there for."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))

from check_files import LIMIT, complaints  # noqa: E402


def test_an_ordinary_file_passes():
    assert complaints("src/a.cpp", b"int a;\n", "") == []


def test_a_large_file_needs_a_reason():
    large = b"int a;\n" * (LIMIT // 7 + 1)
    assert len(complaints("src/a.cpp", large, "")) == 1
    assert complaints("src/a.cpp", large, "`src/a.cpp` is large, because ...") == []


def test_data_may_be_large():
    assert complaints("tests/data/a.jsonl", b"{}\n" * LIMIT, "") == []


def test_a_folder_of_a_machine_is_seen():
    for folder in ("home", "root", "work"):
        assert len(complaints("a.md", f"see /{folder}/me/a.txt\n".encode(), "")) == 1
    assert complaints("a.md", b"see build/work/a.txt, https://a.org/home/b\n", "") == []


def test_ends_of_lines_and_files():
    assert complaints("a.py", b"a = 1 \n", "") == ["line 1 ends in a blank"]
    assert complaints("a.py", b"a = 1", "") == ["no newline at the end"]
