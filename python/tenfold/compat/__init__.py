"""Drop-in replacements for functions of other packages."""

from tenfold.compat import numpy as numpy
