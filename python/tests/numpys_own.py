"""Runs NumPy's own tests of einsum, from the installed package, against tenfold.compat.numpy.einsum.

    python numpys_own.py [pytest arguments]

numpy.einsum is replaced before the tests are read; nothing of them is copied.
"""

import pathlib
import sys

import numpy as np
import pytest
from tenfold.compat.numpy import einsum

TESTS = pathlib.Path(np.__file__).parent / "_core/tests/test_einsum.py"

if __name__ == "__main__":
    np.einsum = einsum
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", str(TESTS), *sys.argv[1:]]))
