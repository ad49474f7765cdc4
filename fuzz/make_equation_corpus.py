"""Writes the seeds of the fuzzer of equations, in the format of equation_input.hpp: all valid.

    python3 fuzz/make_equation_corpus.py

Needs Python's standard library only. The files are committed; a second run changes nothing.
"""

import pathlib

CORPUS = pathlib.Path(__file__).parent / "corpus" / "fuzz_equation"
NUMPY, ONNX, OPENVINO = 0, 1, 2
LISTS, FITTING = 4, 8


def text(equation: str, *shapes: tuple[int, ...], dialect: int = NUMPY) -> bytes:
    out = bytes([dialect, len(shapes)])
    for shape in shapes:
        out += bytes([len(shape), *shape])
    return out + equation.encode()


def fitting(equation: str, extents: int) -> bytes:
    return bytes([NUMPY | FITTING, extents]) + equation.encode()


def lists(terms: list[list[int]], output: list[int] | None, extents: int) -> bytes:
    def term(labels: list[int]) -> bytes:
        out = b""
        for label in labels:
            out += b"\xff" if label == -1 else bytes([label]) if label < 252 else wide(label)
        return out

    def wide(label: int) -> bytes:
        return b"\xfc" + label.to_bytes(4, "big")

    out = bytes([LISTS | FITTING, extents]) + b"\xfe".join(term(t) for t in terms)
    return out if output is None else out + b"\xfd" + term(output)


SEEDS = {
    "product": text("ij,jk->ik", (2, 3), (3, 4)),
    "implicit": text("ij,jh", (2, 3), (3, 4), dialect=ONNX),
    "stretched": text("bij,bjk->bik", (1, 2, 3), (4, 3, 1), dialect=OPENVINO),
    "blanks": text(" i j , j k - > i k ", (2, 3), (3, 4), dialect=ONNX),
    "trace": text("ii", (3, 3), dialect=OPENVINO),
    "diagonal": text("iji->ji", (2, 3, 2)),
    "scalars": text(",->", (), ()),
    "empty": text("", ()),
    "no_elements": text("ij,jk->ik", (2, 0), (0, 3), dialect=ONNX),
    "ellipsis": text("...ij,...jk->...ik", (4, 2, 3), (1, 3, 1), dialect=ONNX),
    "ragged": text("i...,...->...i", (2, 3, 4), (4,), dialect=OPENVINO),
    "summed": text(". ..i->i", (2, 3, 4), dialect=ONNX),
    "scripts": text("αβ,β漢->漢α", (2, 3), (3, 4)),
    "chain": fitting("ab,bc,cd,de,ef,fg,gh,hi,ij,jk->ak", 1),
    "fitting_ellipsis": fitting("a...b,...,b...c->c...a", 5),
    "lists": lists([[0, 1], [1, 2]], [0, 2], 1),
    "list_ellipsis": lists([[-1, 0], [0, -1]], None, 2),
    "list_integers": lists([[7, 2**31 - 1], [300, 7]], [300, 2**31 - 1], 3),
}


def main() -> None:
    CORPUS.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (CORPUS / f"{name}.eq").write_bytes(data)


if __name__ == "__main__":
    main()
