"""The command `tenfold`: `tenfold compare` is written in Python, everything else is the program
that lies in the package."""

import os
import pathlib
import sys


def main() -> None:
    if sys.argv[1:2] == ["compare"]:
        from tenfold import compare

        sys.exit(compare.main(sys.argv[2:]))
    program = pathlib.Path(__file__).with_name("bin") / "tenfold"
    if not program.exists():
        sys.exit("tenfold: the command is not part of this build; install the package with pip")
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
