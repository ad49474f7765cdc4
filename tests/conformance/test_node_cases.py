"""The official ONNX node cases of our operators, written to files by onnx's own generator's data,
and the real exports that the onnx package ships: `tenfold run` on their .onnx and .pb files.
"""

import pathlib
import re
import warnings

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from tenfold_cli import call

OURS = re.compile(r"^(Reduce\w+|ArgMax|ArgMin|Einsum)$")
FOLDED = re.compile(r"^test_(reduce_|arg)\w*_expanded$")


def collect():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its other cases overflow on purpose
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases(None)
    ours = [c for c in cases if any(OURS.match(n.op_type) for n in c.model.graph.node)]
    direct = [c for c in ours if "expanded" not in c.name]
    expanded = [c for c in ours if FOLDED.match(c.name)]
    return direct, expanded


DIRECT, EXPANDED = collect()
DATA = pathlib.Path(onnx.__file__).parent / "backend/test/data"
EXPORTS = sorted(
    [
        *(DATA / "pytorch-operator").glob("test_operator_reduced_*"),
        *(DATA / "pytorch-operator" / f"test_operator_{name}" for name in ("mm", "addmm")),
        *(DATA / "pytorch-converted" / f"test_{name}" for name in ("Linear", "Linear_no_bias")),
    ]
)


def test_counts():
    assert len(DIRECT) == 132
    assert len(EXPANDED) == 41
    assert len(EXPORTS) == 8


def write(case, folder: pathlib.Path):
    """A case as the standard's own files: model.onnx and numbered .pb files."""
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    assert len(case.data_sets) == 1
    for side, ports, arrays in zip(
        ("input", "output"),
        (case.model.graph.input, case.model.graph.output),
        case.data_sets[0],
        strict=True,
    ):
        for index, (port, array) in enumerate(zip(ports, arrays, strict=True)):
            proto = numpy_helper.from_array(array, port.name)
            (folder / f"{side}_{index}.pb").write_bytes(proto.SerializeToString())


def read(path: pathlib.Path) -> np.ndarray:
    return numpy_helper.to_array(onnx.load_tensor(path))


def check_folder(model_path, data, out, rtol, atol):
    model = onnx.load(model_path)
    words = []
    initialised = {i.name for i in model.graph.initializer}
    ports = [p.name for p in model.graph.input if p.name not in initialised]
    for index, name in enumerate(ports):
        words += ["-i", f"{name}={data / f'input_{index}.pb'}"]
    for index, port in enumerate(model.graph.output):
        words += ["-o", f"{port.name}={out / f'got_{index}.pb'}"]
    call("run", model_path, *words)
    assert len(model.graph.output) > 0
    for index, _ in enumerate(model.graph.output):
        got, expected = read(out / f"got_{index}.pb"), read(data / f"output_{index}.pb")
        assert got.dtype == expected.dtype
        assert got.shape == expected.shape
        if expected.dtype.kind in "iub":
            np.testing.assert_array_equal(got, expected)
        else:
            np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("case", DIRECT + EXPANDED, ids=lambda c: c.name)
def test_official_case(case, tmp_path):
    write(case, tmp_path)
    check_folder(tmp_path / "model.onnx", tmp_path, tmp_path, case.rtol, case.atol)


@pytest.mark.parametrize("folder", EXPORTS, ids=lambda f: f.name)
def test_real_export(folder, tmp_path):
    check_folder(folder / "model.onnx", folder / "test_data_set_0", tmp_path, rtol=1e-5, atol=1e-7)
