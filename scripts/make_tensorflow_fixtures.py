# SPDX-License-Identifier: Apache-2.0
"""Makes tests/fixtures/tensorflow: dynamic TensorFlow models as ONNX files, with recorded answers.

Needs an environment of its own, because TensorFlow pins what the rest of DyCL does not want:

    python3 -m venv build/tensorflow
    build/tensorflow/bin/pip install tensorflow-cpu==2.21.* tf2onnx==1.17.*
    build/tensorflow/bin/python scripts/make_tensorflow_fixtures.py

Every fixture is NAME.onnx and NAME.npz; the latter holds input_<k>_<name> and output_<k>_<position> for
each recorded run k. The outputs are TensorFlow's own, never those of a converted model.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
import tf2onnx

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "tensorflow"
OPSET = 17


def normalize_until_small() -> tuple:
    """A `while` whose body has an `if`: Python control flow that AutoGraph turns into graph loops."""

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.float32, "x"), tf.TensorSpec([], tf.int32, "most")]
    )
    def model(x, most):
        steps = tf.constant(0)
        while steps < most and tf.reduce_max(tf.abs(x)) > 1.0:
            if tf.reduce_sum(x) > 0.0:  # noqa: SIM108 - the statement is what is converted
                x = x * 0.5
            else:
                x = -x + 0.25
            steps += 1
        return x, steps

    rng = np.random.default_rng(3)
    runs = [
        {"x": (rng.standard_normal(size) * scale).astype(np.float32), "most": np.int32(most)}
        for size, scale, most in [(3, 10, 20), (3, 10, 2), (1, 0.1, 5), (6, 100, 50), (4, 5, 0), (2, 40, 7)]
    ]
    runs.append({"x": np.array([-8.0, 1.0], np.float32), "most": np.int32(30)})
    return model, runs


def keras_early_exit() -> tuple:
    """A Keras network with two heads; the second half runs only when the first head is not sure."""
    tf.keras.utils.set_random_seed(7)
    stem = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(16)])
    first_head = tf.keras.layers.Dense(4, kernel_initializer="random_normal")
    rest = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="swish"), tf.keras.layers.Dense(16)])
    second_head = tf.keras.layers.Dense(4)

    @tf.function(input_signature=[tf.TensorSpec([1, 8], tf.float32, "x")])
    def model(x):
        features = stem(x)
        early = tf.nn.softmax(first_head(features) * 8.0)
        if tf.reduce_max(early) > 0.6:
            probabilities = early
            exit_taken = tf.constant(1)
        else:
            probabilities = tf.nn.softmax(second_head(rest(features)))
            exit_taken = tf.constant(2)
        return probabilities, exit_taken

    rng = np.random.default_rng(5)
    runs = [
        {"x": (rng.standard_normal((1, 8)) * scale).astype(np.float32)}
        for scale in (0.1, 0.5, 1, 2, 4, 8, 16, 20)
    ]
    return model, runs


def record(name: str, model, runs: list[dict]) -> None:
    signature = list(model.input_signature)
    proto, _ = tf2onnx.convert.from_function(model, input_signature=signature, opset=OPSET)
    arrays = {}
    seen = set()
    for k, run in enumerate(runs):
        outputs = model(*(tf.constant(run[spec.name]) for spec in signature))
        arrays |= {f"input_{k}_{key}": value for key, value in run.items()}
        arrays |= {f"output_{k}_{position}": out.numpy() for position, out in enumerate(outputs)}
        seen.add(int(outputs[1]))
    kinds = {node.op_type for node in proto.graph.node} & {"If", "Loop"}
    print(f"{name}: {kinds}, second outputs seen: {sorted(seen)}")
    assert kinds, "the fixture must be dynamic"
    assert len(seen) > 1, "its inputs must show that it is"
    (FOLDER / f"{name}.onnx").write_bytes(proto.SerializeToString())
    np.savez(FOLDER / f"{name}.npz", **arrays)


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    record("normalize_until_small", *normalize_until_small())
    record("keras_early_exit", *keras_early_exit())
    return 0


if __name__ == "__main__":
    sys.exit(main())
