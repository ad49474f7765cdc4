"""Adds the notices of copyright of what a repaired wheel carries: shared libraries, by the Debian
packages that they come from, and what is compiled into Tenfold. Called by scripts/wheel.

    wheel_notices.py WHEEL
"""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# Libraries of headers, of which the program and the extension module hold code.
COMPILED_IN = ("libfmt-dev", "nlohmann-json3-dev", "libprotozero-dev", "libcli11-dev")


def package_of(library: str) -> str:
    """The Debian package of "libtbb-3a0cdb3f.so.12.8": without the mark that auditwheel added."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", library)
    done = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"wheel_notices: no Debian package has {name}")
    return done.stdout.split(":")[0]


def put(info: pathlib.Path, name: str, notice: bytes) -> None:
    folder = info / "licenses" / "carried" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "copyright").write_bytes(notice)


def main(path: str) -> None:
    wheel = pathlib.Path(path)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        with zipfile.ZipFile(wheel) as archive:
            libraries = [n for n in archive.namelist() if re.search(r"\.libs/[^/]+\.so", n)]
        subprocess.run(
            [sys.executable, "-m", "wheel", "unpack", "-d", root, wheel],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (content,) = root.iterdir()
        (info,) = content.glob("*.dist-info")
        carried = {package_of(pathlib.PurePath(name).name) for name in libraries}
        for package in carried.union(COMPILED_IN):
            notice = pathlib.Path("/usr/share/doc", package, "copyright")
            put(info, package, notice.read_bytes())
        for file in importlib.metadata.files("nanobind") or ():
            if "license" in file.name.lower():
                put(info, "nanobind", pathlib.Path(str(file.locate())).read_bytes())
        subprocess.run(
            [sys.executable, "-m", "wheel", "pack", "-d", wheel.parent, content],
            check=True,
            stdout=subprocess.DEVNULL,
        )


if __name__ == "__main__":
    main(sys.argv[1])
