"""Writes the fuzzers' seeds: small valid files of every format and form that the readers take.

    python3 fuzz/make_corpus.py

Needs Python's standard library only. The files are committed; a second run changes nothing.
"""

import io
import json
import pathlib
import struct
import zipfile

CORPUS = pathlib.Path(__file__).parent / "corpus"
FLOATS = struct.pack("<6f", 1, -2, 0.5, 3e30, float("inf"), float("nan"))


def npy(descr: str, shape: str, data: bytes, *, version: int = 1, fortran: bool = False) -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    size = 8 + (2 if version == 1 else 4)
    text += " " * (-(size + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def npy_files() -> dict[str, bytes]:
    files = {
        "float32.npy": npy("<f4", "(2, 3)", FLOATS),
        "version2.npy": npy("<f4", "(2, 3)", FLOATS, version=2),
        "version3.npy": npy("<f4", "(6,)", FLOATS, version=3),
        "fortran.npy": npy("<i2", "(2, 3)", struct.pack("<6h", 1, 4, 2, 5, 3, 6), fortran=True),
        "big_endian.npy": npy(">i4", "(2,)", struct.pack(">2i", 1, -2)),
        "both.npy": npy(">f8", "(1, 2)", struct.pack(">2d", 0.1, -2), fortran=True),
        "bool.npy": npy("|b1", "(3,)", b"\0\1\1"),
        "bfloat16.npy": npy("<V2", "(2,)", b"\x80\x3f\0\xc0"),
        "scalar.npy": npy("<f8", "()", struct.pack("<d", 0.1)),
        "empty.npy": npy("<f4", "(2, 0, 3)", b""),
        "tight.npy": b"\x93NUMPY\1\0\x34\0"
        b"{'shape':(2,),'fortran_order':False,'descr':'|i1'}  \1\xff",
    }
    for code in ("u1", "u2", "u4", "u8", "i1", "i8", "f2"):
        order = "|" if code[1] == "1" else "<"
        files[f"{code}.npy"] = npy(order + code, "(2,)", bytes(range(2 * int(code[1]))))
    return files


def archive(members: dict[str, bytes], method: int, *, zip64: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)  # dated 1980-01-01
            info.compress_type = method
            with z.open(info, "w", force_zip64=zip64) as member:
                member.write(data)
    return out.getvalue()


def npz_files() -> dict[str, bytes]:
    a = npy("<f4", "(2, 3)", FLOATS)
    b = npy("|u1", "(100,)", bytes(100))
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    return {
        "stored.npz": archive({"a.npy": a}, stored),
        "deflated.npz": archive({"a.npy": b}, deflated),
        "two.npz": archive({"a.npy": a, "b.npy": b}, deflated),
        "zip64.npz": archive({"a.npy": a}, stored, zip64=True),
        "bare_name.npz": archive({"a": a}, stored),
    }


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def chunk(field: int, data: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field: int, *values: int) -> bytes:
    return chunk(field, b"".join(map(varint, values)))


def proto(data_type: int, dims: tuple[int, ...], *fields: bytes) -> bytes:
    return b"".join(number(1, d) for d in dims) + number(2, data_type) + b"".join(fields)


def tensor_proto_files() -> dict[str, bytes]:
    entries = [("location", "external.pb"), ("offset", "0"), ("length", "4")]
    external = [chunk(13, chunk(1, k.encode()) + chunk(2, v.encode())) for k, v in entries]
    return {
        "raw.pb": proto(1, (2, 3), chunk(8, b"raw"), chunk(9, FLOATS)),
        "float.pb": proto(1, (2, 3), chunk(4, FLOATS), chunk(8, b"x")),
        "float_unpacked.pb": proto(1, (2,), b"\x25\0\0\x80\x3f", b"\x25\0\0\0\xc0"),
        "double.pb": proto(11, (), chunk(10, struct.pack("<d", 0.1))),
        "int32.pb": proto(6, (2,), packed(5, -1, 300)),
        "int64.pb": proto(7, (2,), packed(7, -1, 1 << 40)),
        "int64_unpacked.pb": proto(7, (2,), number(7, -1), number(7, 5)),
        "uint32.pb": proto(12, (1,), packed(11, 0xFFFFFFFF)),
        "uint64.pb": proto(13, (1,), packed(11, (1 << 64) - 1)),
        "int8.pb": proto(3, (2,), packed(5, -128, 127)),
        "uint8.pb": proto(2, (2,), packed(5, 0, 255)),
        "int16.pb": proto(5, (1,), packed(5, -32768)),
        "uint16.pb": proto(4, (1,), packed(5, 65535)),
        "bool.pb": proto(9, (2,), packed(5, 1, 0)),
        "float16.pb": proto(10, (2,), packed(5, 0x3C00, 0xFC00)),
        "bfloat16.pb": proto(16, (1,), packed(5, 0x3F80)),
        "empty.pb": proto(1, (2, 0)),
        "dims_packed.pb": packed(1, 2, 1) + proto(9, (), chunk(9, b"\0\1")),
        # Its own first bytes are its values, so that it needs no second file.
        "external.pb": proto(2, (4,), *external, number(14, 1)),
    }


def safetensors(header: dict[str, object], data: bytes) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors_files() -> dict[str, bytes]:
    meta = {"__metadata__": {"format": "pt"}}
    two = {"b": entry("U8", [3], 24, 27), "a": entry("F32", [2, 3], 0, 24)}
    files = {
        "one.safetensors": safetensors({"a": entry("F32", [2, 3], 0, 24)}, FLOATS),
        "two.safetensors": safetensors({**meta, **two}, FLOATS + b"\1\2\3"),
        "scalar.safetensors": safetensors({"a": entry("F64", [], 0, 8)}, struct.pack("<d", 0.1)),
        "empty.safetensors": safetensors({"a": entry("I64", [2, 0], 0, 0)}, b""),
    }
    for dtype, size in (("BOOL", 1), ("F16", 2), ("BF16", 2), ("I8", 1), ("I16", 2), ("U64", 8)):
        data = bytes(2) if dtype == "BOOL" else bytes(range(2 * size))
        header = {"a": entry(dtype, [2], 0, len(data))}
        files[f"{dtype.lower()}.safetensors"] = safetensors(header, data)
    return files


def main() -> None:
    for target, files in {
        "fuzz_npy": npy_files(),
        "fuzz_npz": npz_files(),
        "fuzz_tensor_proto": tensor_proto_files(),
        "fuzz_safetensors": safetensors_files(),
    }.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
