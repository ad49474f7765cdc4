"""Every link in the project's pages leads to a file, and to a title in it where it names one."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTING = subprocess.run(
    ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
)
PAGES = [name for name in LISTING.stdout.splitlines() if (ROOT / name).exists()]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)


def anchors(page):
    """Of the titles, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(name):
    path = ROOT / name
    text = path.read_text("utf-8")
    for target in LINK.findall(CODE.sub("`", text)):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", file):
            continue  # of another site
        other = (path.parent / file).resolve() if file else path
        if not other.exists():
            yield f"{target}: no such file"
        elif anchor and anchor not in anchors(other.read_text("utf-8")):
            yield f"{target}: no such title"


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    assert list(broken(name)) == []


def test_the_pages_are_found_and_linked():
    assert {"README.md", "docs/python.md", "docs/errors.md"} <= set(PAGES)
    linked = set()
    for name in PAGES:
        for target in LINK.findall((ROOT / name).read_text("utf-8")):
            other = ((ROOT / name).parent / target.partition("#")[0]).resolve()
            linked.add(str(other.relative_to(ROOT)) if other.is_relative_to(ROOT) else target)
    assert {name for name in PAGES if name.startswith("docs/")} <= linked


def test_a_broken_link_would_be_seen(tmp_path, monkeypatch):
    (tmp_path / "page.md").write_text("# One title\n[a](#one-title) [b](#two) [c](none.md)\n")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert list(broken("page.md")) == ["#two: no such title", "none.md: no such file"]
