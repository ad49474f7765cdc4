#!/usr/bin/env bash
# The command line on the model files of this folder; `tenfold` is on the PATH.
set -euo pipefail
cd "$(dirname "$0")/models"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# One operator on a file; without -o the result is printed.
tenfold reduce ReduceSum attention_mask/inputs/mask.npy --axes 1 --keepdims 0

# A model on its data, the results into a folder.
tenfold run image_pooling/model.onnx -i images=image_pooling/inputs/images.npy -o "$results/" --quiet
ls "$results"

# Results flow from one command to the next as .npy.
tenfold reduce sum "$results/pooled.npy" --axes 0 --keepdims 0 -o - |
  tenfold reduce argmax - --axes 0 --keepdims 0

# A mistake is an exit code and a line that says how to mend it.
tenfold reduce ReduceMaxx image_pooling/inputs/images.npy 2>&1 || echo "exit code $?"
