# SPDX-License-Identifier: Apache-2.0
"""A small image classifier with three exits, as an ONNX model with If inside If and a Loop.

Easy images leave at the first head. Others pass two more convolutions and may leave at the second.
The hard ones are refined in a loop until the third head is sure, at most six times."""

import numpy as np
import onnx
from onnx import numpy_helper

CHANNELS, CLASSES, SIZE = 24, 10, 32

GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
early_exit (float[1,3,32,32] image) => (float[1,10] probabilities, int64 exit, int64 refinements)
  <float sure = {0.5}, int64 zero = {0}, int64 most = {6}>
{
  c1 = Conv <pads = [1,1,1,1], strides = [2,2]> (image, stem)
  h1 = Relu (c1)
  g1 = GlobalAveragePool (h1)
  f1 = Flatten (g1)
  l1 = MatMul (f1, head1)
  p1 = Softmax (l1)
  m1 = ReduceMax <keepdims = 0> (p1)
  sure1 = Greater (m1, sure)
  probabilities, exit, refinements = If (sure1) <
    then_branch = first_exit () => (float[1,10] q1, int64 e1, int64 r1) {
      q1 = Identity (p1)  e1 = Constant <value = int64 {1}> ()  r1 = Identity (zero)
    },
    else_branch = deeper () => (float[1,10] q, int64 e, int64 r) {
      c2 = Conv <pads = [1,1,1,1]> (h1, middle1)
      h2 = Relu (c2)
      c3 = Conv <pads = [1,1,1,1]> (h2, middle2)
      a3 = Add (c3, h1)
      h3 = Relu (a3)
      g2 = GlobalAveragePool (h3)
      f2 = Flatten (g2)
      l2 = MatMul (f2, head2)
      p2 = Softmax (l2)
      m2 = ReduceMax <keepdims = 0> (p2)
      sure2 = Greater (m2, sure)
      q, e, r = If (sure2) <
        then_branch = second_exit () => (float[1,10] q2, int64 e2, int64 r2) {
          q2 = Identity (p2)  e2 = Constant <value = int64 {2}> ()  r2 = Identity (zero)
        },
        else_branch = refine () => (float[1,10] q3, int64 e3, int64 r3) {
          unsure = Not (sure2)
          last, q3, r3 = Loop (most, unsure, h3, p2, zero) <
            body = once_more (int64 i, bool go, float[1,24,16,16] h, float[1,10] p, int64 k)
              => (bool go_on, float[1,24,16,16] h_new, float[1,10] p_new, int64 k_new) {
              c = Conv <pads = [1,1,1,1]> (h, again)
              a = Add (c, h)
              h_new = Relu (a)
              g = GlobalAveragePool (h_new)
              f = Flatten (g)
              l = MatMul (f, head3)
              p_new = Softmax (l)
              m = ReduceMax <keepdims = 0> (p_new)
              done = Greater (m, sure)
              go_on = Not (done)
              one = Constant <value = int64 {1}> ()
              k_new = Add (i, one)
            }>
          e3 = Constant <value = int64 {3}> ()
        }>
    }>
}
"""


def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2023)

    def normal(*shape: int, scale: float) -> np.ndarray:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    return {
        "stem": normal(CHANNELS, 3, 3, 3, scale=0.2),
        "middle1": normal(CHANNELS, CHANNELS, 3, 3, scale=0.07),
        "middle2": normal(CHANNELS, CHANNELS, 3, 3, scale=0.07),
        "again": normal(CHANNELS, CHANNELS, 3, 3, scale=0.05),
        "head1": normal(CHANNELS, CLASSES, scale=1.0),
        "head2": normal(CHANNELS, CLASSES, scale=1.0),
        "head3": normal(CHANNELS, CLASSES, scale=1.0),
    }


def early_exit_model() -> onnx.ModelProto:
    model = onnx.parser.parse_model(GRAPH)
    model.graph.initializer.extend(numpy_helper.from_array(w, name) for name, w in weights().items())
    onnx.checker.check_model(model, full_check=True)
    return model


def images(count: int) -> list[np.ndarray]:
    """Images of many contrasts: the stronger, the surer the first head is."""
    rng = np.random.default_rng(7)
    contrasts = np.geomspace(0.04, 6.0, count)
    return [(rng.standard_normal((1, 3, SIZE, SIZE)) * c).astype(np.float32) for c in contrasts]
