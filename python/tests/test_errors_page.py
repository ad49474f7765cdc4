"""docs/errors.md: it has every code of error.hpp, and each example raises the error it is about."""

import doctest
import pathlib
import re

import pytest

import tenfold as tf

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/errors.md").read_text("utf-8")
HEADER = (ROOT / "include/tenfold/error.hpp").read_text("utf-8")
KINDS = {code: kind for kind, code in re.findall(r'X\(k\w+, k(\w+), "([\w-]+)"\)', HEADER)}
EXIT_CODES = {"Usage": 2, "Invalid": 3, "Unsupported": 4, "Memory": 5}
SECTIONS = re.findall(r"^### ([\w-]+)\n(.*?)(?=^### |\Z)", TEXT, re.M | re.S)
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def names():
    """What the page's first block defines."""
    found = {}
    for example in doctest.DocTestParser().get_examples(BLOCK.search(TEXT).group(1)):
        exec(example.source, found)
    return found


def test_every_code_is_there_and_no_other():
    assert len(KINDS) > 30
    assert [title for title, _ in SECTIONS] == list(KINDS)
    rows = re.findall(r"^\| \[`([\w-]+)`\]\(#([\w-]+)\) \| (\d) \|$", TEXT, re.M)
    assert rows == [(code, code, str(EXIT_CODES[kind])) for code, kind in KINDS.items()]


@pytest.mark.parametrize("code, section", SECTIONS, ids=[title for title, _ in SECTIONS])
def test_the_example_says_what_is_raised(code, section, names):
    (block,) = BLOCK.findall(section)
    test = doctest.DocTestParser().get_doctest(block, dict(names), code, None, 0)
    report = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    assert runner.run(test, out=report.append, clear_globs=False).failed == 0, "".join(report)
    with pytest.raises(tf.TenfoldError) as caught:  # the last line again, for its code
        exec(test.examples[-1].source, test.globs)
    assert caught.value.code == code
    assert test.examples[-1].exc_msg.startswith(f"tenfold.errors.{type(caught.value).__name__}: ")
    assert not caught.value.expected or caught.value.expected in str(caught.value)
