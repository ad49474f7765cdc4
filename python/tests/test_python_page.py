"""The session of docs/python.md, and its table of errors."""

import doctest
import pathlib
import re

import tenfold as tf
from tenfold import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/python.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def test_every_block_is_of_the_session_and_runs(monkeypatch, tmp_path):
    blocks = FENCE.findall(TEXT)
    assert {kind for kind, _ in blocks} == {"pycon"}
    monkeypatch.chdir(ROOT)
    session = "".join(body for _, body in blocks)
    test = doctest.DocTestParser().get_doctest(session, {}, "docs/python.md", None, 0)
    assert len(test.examples) > 60
    report = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    assert runner.run(test, out=report.append).failed == 0, "".join(report)


def test_the_table_of_errors_is_what_is_raised():
    told = {}
    for name, also, codes in re.findall(r"^\| `(\w+Error)` \| (.*?) \| (.*?) \|$", TEXT, re.M):
        kind = getattr(tf, name)
        bases = {base.__name__ for base in kind.__mro__}
        assert set(re.findall(r"\w+Error", also)) <= bases
        for code in re.findall(r"`([\w-]+)`", codes):
            assert type(tf.errors.from_core(code, "", "", "", "", None)) is kind, code
            told[code] = kind
    assert set(told) == {code for code, _ in _core.ERROR_CODES}


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]*)(#[^)]*)?\)", TEXT)
    titles = re.findall(r"^#+ (.*)$", TEXT, re.M)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    for file, anchor in targets:
        assert not file or (ROOT / "docs" / file).exists(), file
        assert file or anchor[1:] in anchors, anchor
