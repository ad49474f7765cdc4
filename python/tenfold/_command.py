"""The command `tenfold`: the program that lies in the package."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).with_name("bin") / "tenfold"
    if not program.exists():
        sys.exit("tenfold: the command is not part of this build; install the package with pip")
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
