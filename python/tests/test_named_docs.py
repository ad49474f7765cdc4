"""The examples of docs/named_axes.md and every line of docs/migrate_einops.md."""

import pathlib
import re

import numpy as np
import pytest

from tenfold import named

DOCS = pathlib.Path(__file__).parents[2] / "docs"
ROWS = [
    re.findall(r"`([^`]*)`", line)
    for line in (DOCS / "migrate_einops.md").read_text().splitlines()
    if line.startswith("| `")
]


def test_the_examples_of_named_axes():
    text = (DOCS / "named_axes.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    shown = re.search(r"```text\n(.*?)\n```", text, re.DOTALL).group(1)
    names = {}
    for block in blocks:
        exec(compile(block, "named_axes.md", "exec"), names)
    assert len(blocks) > 6 and names["message"] == shown


def _operands():
    rng = np.random.default_rng(0)
    shapes = {"x": (2, 3, 4, 6), "q": (2, 4, 5, 8), "k": (2, 4, 6, 8), "m": (7, 7), "v": (7,)}
    return {name: rng.random(shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_line_of_the_migration_page(row):
    _, ours, numpys = row
    names = {**_operands(), "named": named, "np": np}
    got, want = eval(ours, names), eval(numpys, names)
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_the_old_lines_say_the_same():
    einops = pytest.importorskip("einops")
    names = {**_operands(), "named": named, **vars(einops)}
    for theirs, ours, _ in ROWS:
        np.testing.assert_allclose(eval(ours, names), eval(theirs, names), rtol=1e-12)


def test_the_page_has_lines():
    assert len(ROWS) > 10 and all(len(row) == 3 for row in ROWS)
