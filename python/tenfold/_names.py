"""Equations of named axes: their parts, and errors that point into them."""

import re
from typing import NamedTuple

from tenfold import _core
from tenfold.errors import EquationError, Mark

_TOKEN = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>\d+)(?!\w)|(?P<ellipsis>\.\.\.|…)|(?P<arrow>->)"
    r"|(?P<open>\()|(?P<close>\))|(?P<comma>,)"
)


class Item(NamedTuple):
    """A part of a term: `kind` is "name", "number", "ellipsis" or "group"; `value` the name, the
    number, or the items of the group; characters begin … end of the equation."""

    kind: str
    value: object
    begin: int
    end: int


class Term(NamedTuple):
    items: tuple
    begin: int
    end: int


class Equation:
    """`inputs` and `output` are Terms. Raises EquationError for what is no equation of named
    axes."""

    def __init__(self, text, where):
        if not isinstance(text, str):
            raise TypeError(f"{where}: expected an equation, got {type(text).__name__}")
        self.text, self.where = text, where
        self.inputs, self.output = [], None
        self._read()

    def _read(self):
        stack, group_begin = [[]], 0  # the items of the term, those of an open group
        term_begin = 0
        for kind, begin, end in self._tokens():
            if kind in ("comma", "arrow") and len(stack) > 1:
                self.refuse(
                    "a parenthesis is not closed", "')'", [(group_begin, begin, "opened here")]
                )
            if kind == "open":
                if len(stack) > 1:
                    self.refuse("a group within a group", "one level", [(begin, end, "the second")])
                group_begin = begin
                stack.append([])
            elif kind == "close":
                if len(stack) == 1:
                    self.refuse("a parenthesis is not opened", "'('", [(begin, end, "closed here")])
                items = tuple(stack.pop())
                stack[-1].append(Item("group", items, group_begin, end))
            elif kind in ("comma", "arrow"):
                if self.output is not None:
                    what = "a second arrow" if kind == "arrow" else "a comma in the output"
                    self.refuse(what, "one arrow, then one output", [(begin, end, "")])
                self._end_term(stack.pop(), term_begin, begin)
                if kind == "arrow":
                    self.output = ()
                stack, term_begin = [[]], end
            else:
                word = self.text[begin:end]
                value = int(word) if kind == "number" else word
                stack[-1].append(Item(kind, value, begin, end))
        size = len(self.text)
        if len(stack) > 1:
            self.refuse("a parenthesis is not closed", "')'", [(group_begin, size, "opened here")])
        if self.output is None:
            self.refuse("there is no arrow", "'->' and the axes of the output", [(size, size, "")])
        self._end_term(stack.pop(), term_begin, size)

    def _end_term(self, items, begin, end):
        if items:
            begin, end = items[0].begin, items[-1].end
        ellipses = [i for i in flat(items) if i.kind == "ellipsis"]
        if len(ellipses) > 1:
            marks = [
                (i.begin, i.end, n)
                for i, n in zip(ellipses, ("the first", "the second"), strict=False)
            ]
            self.refuse("two ellipses in one term", "at most one", marks)
        term = Term(tuple(items), begin, end)
        if self.output is None:
            self.inputs.append(term)
        else:
            self.output = term

    def _tokens(self):
        at, text = 0, self.text
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            token = _TOKEN.match(text, at)
            if token is None:
                self.refuse(
                    f"{text[at]!r} stands for nothing",
                    "names and numbers between blanks, '...', '(', ')', ',' or '->'",
                    [(at, at + 1, "here")],
                )
            yield token.lastgroup, at, token.end()
            at = token.end()

    def refuse(self, what, expected, marks, got="", code="equation-syntax", label="", cause=None):
        """Raises the EquationError. Each mark is (begin, end, note) and may go on with operand,
        axis, size."""
        whole = []
        for begin, end, note, *rest in marks:
            operand, axis, size = (*rest, -1, -1, -1)[:3]
            first = len(self.text[:begin].encode())
            length = len(self.text[begin:end].encode())
            whole.append(Mark(first, length, operand, axis, size, note))
        line = f"[{self.where}] {what}"
        if expected:
            line += f": expected {expected}"
        if got:
            line += f", got {got}"
        picture = _core.equation_picture(self.text, whole)
        error = EquationError(f"{line}\n{picture}".rstrip(), code, self.where, expected, got)
        error.equation, error.label, error.marks = self.text, label, tuple(whole)
        raise error from cause


def flat(items):
    """The items with those of groups in their place."""
    for item in items:
        if item.kind == "group":
            yield from item.value
        else:
            yield item


def as_lists(equation):
    """The interleaved form: a list of numbers for each operand, that of the output, the name of
    each number.
    -1 is the ellipsis."""
    numbers = {}

    def number(item):
        if item.kind == "ellipsis":
            return -1
        if item.kind != "name":
            what = "a composite axis" if item.kind == "group" else "a number"
            mark = (item.begin, item.end, "tenfold.named.reduce takes it")
            equation.refuse(f"{what} in a contraction", "names", [mark])
        return numbers.setdefault(item.value, len(numbers))

    inputs = [[number(item) for item in term.items] for term in equation.inputs]
    output = [number(item) for item in equation.output.items]
    return inputs, output, list(numbers)


def raise_named(equation, lists, names, error):
    """The library's error about the interleaved form, as one about the named equation."""
    inputs, output = lists
    places, at = {}, 0  # (first, last) byte of the interleaved form: begin and end here
    for i, (term, labels) in enumerate(
        zip([*equation.inputs, equation.output], [*inputs, output], strict=True)
    ):
        at += 0 if i == 0 else 4 if i == len(inputs) else 2  # ", " or " -> "
        begin = at
        at += 1
        for item, label in zip(term.items, labels, strict=True):
            length = 3 if label < 0 else len(str(label))
            places[at, at + length] = (item.begin, item.end)
            at += length + 2
        at = at - 1 if labels else at + 1
        places[begin, at] = (term.begin, term.end)
    # Where a term is missing: behind the last operand's.
    last = equation.inputs[-1].end
    marks = [
        (*places.get((m.offset, m.offset + m.length), (last, last)), m.note, *m[2:5])
        for m in error.marks
    ]
    label = names[int(error.label)] if error.label.isdigit() else error.label
    what = str(error).split("\n")[0].removeprefix(f"[{error.where}] ").split(": expected ")[0]
    what = what.replace(f"'{error.label}'", f"'{label}'").replace("label", "axis")
    if error.code == "equation-rank" and error.operand is not None:
        term = equation.inputs[error.operand]
        what = re.sub(r"'\[.*'", lambda _: f"'{equation.text[term.begin : term.end]}'", what)
    expected = error.expected.replace("a label", "an axis").replace("label", "axis")
    equation.refuse(what, expected, marks, error.got, error.code, label, cause=error)
