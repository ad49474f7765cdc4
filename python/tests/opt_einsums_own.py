"""Runs opt_einsum's own tests, from the installed package, with backend="tenfold".

    python opt_einsums_own.py [pytest arguments]

The backend is the default of contract and of its expressions, and answers where the tests ask for
"numpy"; nothing of the tests is copied. Those of other backends' packages are skipped where these
are not installed. The last line is JSON, as that of numpys_own.py.
"""

import pathlib
import sys

import opt_einsum
from opt_einsum.backends import dispatch
from own_tests import counted, run

import tenfold

TESTS = pathlib.Path(opt_einsum.__file__).parent / "tests"

if __name__ == "__main__":
    for name in ("einsum", "tensordot", "transpose"):
        function = counted(getattr(tenfold, name))
        setattr(tenfold, name, function)
        dispatch._cached_funcs[name, "numpy"] = function
    opt_einsum.contract.__kwdefaults__["backend"] = "tenfold"
    opt_einsum.contract_expression("i,i", (1,), (1,)).__class__.__call__.__kwdefaults__[
        "backend"
    ] = "tenfold"
    sys.exit(run([str(TESTS), *sys.argv[1:]]))
