"""Rules for tracked files that no other tool checks; one line for each that is broken.

- A hand-written file of 20 KB or more is named in ARCHITECTURE.md, with the reason.
- No file names a folder of somebody's machine.
- Text ends with a newline, and no line of code ends in a blank.
"""

import pathlib
import re
import subprocess
import sys

LIMIT = 20_000
DATA = {".npy", ".npz", ".onnx", ".pb", ".bin", ".safetensors", ".png", ".svg", ".raw"}
DATA_FOLDERS = ("tests/data/", "tests/golden/", "fuzz/corpus/")
WHOLE_TEXTS = {"LICENSE"}
MACHINE_PATH = re.compile(r"(?<![\w./])/(home|root|work|Users)/\w")


def complaints(name: str, content: bytes, excused: str) -> list[str]:
    path = pathlib.PurePosixPath(name)
    if path.suffix in DATA or name.startswith(DATA_FOLDERS) or b"\0" in content:
        return []
    found = []
    if len(content) >= LIMIT and name not in WHOLE_TEXTS and name not in excused:
        found.append(f"{len(content)} bytes by hand, not named in ARCHITECTURE.md")
    text = content.decode("utf-8", "replace")
    if text and not text.endswith("\n"):
        found.append("no newline at the end")
    for number, line in enumerate(text.split("\n"), 1):
        if MACHINE_PATH.search(line):
            found.append(f"line {number} names a folder of a machine")
        if line != line.rstrip() and path.suffix != ".md":
            found.append(f"line {number} ends in a blank")
    return found


def main() -> int:
    listing = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True)
    names = [n for n in listing.stdout.decode().split("\0") if n]
    architecture = pathlib.Path("ARCHITECTURE.md")
    excused = architecture.read_text("utf-8") if architecture.exists() else ""
    broken = 0
    for name in names:
        path = pathlib.Path(name)
        if not path.is_file() or path.is_symlink():
            continue
        for complaint in complaints(name, path.read_bytes(), excused):
            print(f"{name}: {complaint}")
            broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
