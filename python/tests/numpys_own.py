"""Runs NumPy's own tests of einsum, as installed, against tenfold.compat.numpy.einsum.

    python numpys_own.py [pytest arguments]

numpy.einsum is replaced before the tests are read; nothing of them is copied. The last line is
JSON: the tests by outcome, and how often the replacement was called.
"""

import pathlib
import sys

import numpy as np
from own_tests import counted, run

from tenfold.compat.numpy import einsum

TESTS = pathlib.Path(np.__file__).parent / "_core/tests/test_einsum.py"

if __name__ == "__main__":
    np.einsum = counted(einsum)
    sys.exit(run([str(TESTS), *sys.argv[1:]]))
