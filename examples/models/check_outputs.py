"""Shows the outputs of a model run and holds them to the expected ones; exit code 1 if any differs.

    python examples/models/check_outputs.py EXPECTED_FOLDER OUTPUT_FOLDER

Integers and truth values must be equal. A float may be off by as many units in the last place as
one rounding in the type and the order of summation account for.
"""

import pathlib
import sys

import numpy as np

ULPS = {"float16": 1, "float32": 4}


def difference(got, expected):
    """Why the two are not the same, or None."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"is {got.dtype} {got.shape}, expected {expected.dtype} {expected.shape}"
    if expected.dtype.name in ULPS:
        near = ULPS[expected.dtype.name] * np.spacing(np.abs(expected))
        wrong = ~(np.abs(got - expected) <= near)
    else:
        wrong = got != expected
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"at {place} is {got[place]}, expected {expected[place]}"


def main(expected_folder, output_folder):
    wrong = 0
    for path in sorted(pathlib.Path(expected_folder).glob("*.npy")):
        got = np.load(pathlib.Path(output_folder) / path.name)
        values = np.array2string(got.ravel()[:4], separator=", ", precision=6)[1:-1]
        more = ", …" if got.size > 4 else ""
        print(f"  {path.stem:<10} {got.dtype.name} {got.shape}: {values}{more}")
        reason = difference(got, np.load(path))
        if reason:
            print(f"  {path.stem} {reason}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
