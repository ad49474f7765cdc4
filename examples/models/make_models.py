"""Writes the model files of the examples and of scripts/demo, their inputs, and what must come out.

    python examples/models/make_models.py [FOLDER]

For each model a folder with model.onnx or model.xml and model.bin, inputs/NAME.npy for each input,
and expected/NAME.npy for each output, computed by NumPy in float64 and rounded once to the output's
type. tests/examples/test_models.py holds the committed files to what this script writes.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def save_case(folder, inputs, expected):
    for kind, arrays in (("inputs", inputs), ("expected", expected)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, array in arrays.items():
            np.save(folder / kind / f"{name}.npy", array)


def save_onnx(path, nodes, inputs, outputs, initializers, opset):
    path.parent.mkdir(parents=True, exist_ok=True)
    graph = helper.make_graph(nodes, path.parent.name, inputs, outputs, initializers)
    model = helper.make_model(
        graph,
        producer_name="make_models",
        ir_version=9,
        opset_imports=[helper.make_opsetid("", opset)],
    )
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def axes(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def image_pooling(root):
    """A batch of feature maps: pooled over height and width, normed, the strongest channel."""
    folder = root / "image_pooling"
    rng = np.random.default_rng(1)
    images = rng.random((4, 16, 8, 8), np.float32)
    images *= rng.random((4, 16, 1, 1), np.float32)
    value = helper.make_tensor_value_info
    save_onnx(
        folder / "model.onnx",
        [
            helper.make_node("ReduceMean", ["images", "plane"], ["pooled"], keepdims=0),
            helper.make_node("ReduceMax", ["images", "plane"], ["peak"], keepdims=0),
            helper.make_node("ReduceL2", ["pooled", "channels"], ["norm"], keepdims=1),
            helper.make_node("ArgMax", ["pooled"], ["strongest"], axis=1, keepdims=0),
        ],
        [value("images", TensorProto.FLOAT, ["batch", 16, 8, 8])],
        [
            value("pooled", TensorProto.FLOAT, ["batch", 16]),
            value("peak", TensorProto.FLOAT, ["batch", 16]),
            value("norm", TensorProto.FLOAT, ["batch", 1]),
            value("strongest", TensorProto.INT64, ["batch"]),
        ],
        [axes("plane", 2, 3), axes("channels", 1)],
        opset=20,
    )
    pooled = images.astype(np.float64).mean((2, 3))
    save_case(
        folder,
        {"images": images},
        {
            "pooled": pooled.astype(np.float32),
            "peak": images.max((2, 3)),
            "norm": np.sqrt((pooled**2).sum(1, keepdims=True)).astype(np.float32),
            "strongest": pooled.argmax(1),
        },
    )


def attention_mask(root):
    """A padded batch of token states: lengths, which rows are full, and the masked sum in f16."""
    folder = root / "attention_mask"
    rng = np.random.default_rng(2)
    lengths = np.array([12, 7, 1])
    mask = (np.arange(12) < lengths[:, None]).astype(np.int64)
    states = rng.standard_normal((3, 12, 16)).astype(np.float16)
    value = helper.make_tensor_value_info
    save_onnx(
        folder / "model.onnx",
        [
            helper.make_node("ReduceSum", ["mask", "tokens"], ["length"], keepdims=0),
            helper.make_node("Cast", ["mask"], ["is_token"], to=TensorProto.BOOL),
            helper.make_node("ReduceMin", ["is_token", "tokens"], ["is_full"], keepdims=0),
            helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
            helper.make_node("CastLike", ["column", "states"], ["weight"]),
            helper.make_node("Mul", ["states", "weight"], ["kept"]),
            helper.make_node("ReduceSum", ["kept", "tokens"], ["sentence"], keepdims=0),
        ],
        [
            value("mask", TensorProto.INT64, ["batch", "tokens"]),
            value("states", TensorProto.FLOAT16, ["batch", "tokens", 16]),
        ],
        [
            value("length", TensorProto.INT64, ["batch"]),
            value("is_full", TensorProto.BOOL, ["batch"]),
            value("sentence", TensorProto.FLOAT16, ["batch", 16]),
        ],
        [axes("tokens", 1), axes("last", 2)],
        opset=20,
    )
    kept = states.astype(np.float64) * mask[:, :, None]
    save_case(
        folder,
        {"mask": mask, "states": states},
        {
            "length": mask.sum(1),
            "is_full": mask.astype(bool).all(1),
            "sentence": kept.sum(1).astype(np.float16),
        },
    )


IR = """<?xml version="1.0"?>
<net name="channel_norm" version="11">
  <layers>
    <layer id="0" name="features" type="Parameter" version="opset1">
      <data shape="?,16,7,7" element_type="f32"/>
      <output>
        <port id="0" precision="FP32"><dim>-1</dim><dim>16</dim><dim>7</dim><dim>7</dim></port>
      </output>
    </layer>
    <layer id="1" name="axes" type="Const" version="opset1">
      <data element_type="i64" shape="1" offset="0" size="8"/>
      <output>
        <port id="0" precision="I64"><dim>1</dim></port>
      </output>
    </layer>
    <layer id="2" name="norm" type="ReduceL2" version="opset4">
      <data keep_dims="true"/>
      <input>
        <port id="0" precision="FP32"><dim>-1</dim><dim>16</dim><dim>7</dim><dim>7</dim></port>
        <port id="1" precision="I64"><dim>1</dim></port>
      </input>
      <output>
        <port id="2" precision="FP32"><dim>-1</dim><dim>1</dim><dim>7</dim><dim>7</dim></port>
      </output>
    </layer>
    <layer id="3" name="norm/sink" type="Result" version="opset1">
      <input>
        <port id="0" precision="FP32"><dim>-1</dim><dim>1</dim><dim>7</dim><dim>7</dim></port>
      </input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>
"""


def channel_norm(root):
    """An OpenVINO IR: the norm over channels, of values whose squares pass the range of float32."""
    folder = root / "channel_norm"
    rng = np.random.default_rng(3)
    features = rng.standard_normal((2, 16, 7, 7), np.float32)
    features[1] *= np.float32(1e30)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.xml").write_text(IR, "utf-8")
    (folder / "model.bin").write_bytes(np.array([1], "<i8").tobytes())
    norm = np.sqrt((features.astype(np.float64) ** 2).sum(1, keepdims=True))
    save_case(folder, {"features": features}, {"norm": norm.astype(np.float32)})


def write_all(root):
    root = pathlib.Path(root)
    image_pooling(root)
    attention_mask(root)
    channel_norm(root)


if __name__ == "__main__":
    write_all(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
