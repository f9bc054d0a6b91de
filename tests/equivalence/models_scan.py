# SPDX-License-Identifier: Apache-2.0
"""Models around Scan: states, axes, directions, and its first form with a batch axis (opset 8)."""

import numpy as np

from equivalence.case import case, i64, normal, scalar

case(
    "scan_running_sum",
    """
    main (float[2] start, float[T,2] x) => (float[2] end, float[T,2] sums) {
      end, sums = Scan <num_scan_inputs = 1,
        body = step (float[2] h, float[2] e) => (float[2] h2, float[2] s) { h2 = Add (h, e)  s = Identity (h2) }>
        (start, x)
    }""",
    lambda: [{"start": normal(2, seed=t), "x": normal(t, 2, seed=t + 5)} for t in (1, 2, 6)],
)

case(
    "scan_two_states_two_inputs_two_outputs",
    """
    main (float[2] a, float b, float[T,2] x, float[T] w) => (float[2] a2, float b2, float[T,2] xs, float[T] bs) {
      a2, b2, xs, bs = Scan <num_scan_inputs = 2,
        body = step (float[2] p, float q, float[2] e, float f) => (float[2] p2, float q2, float[2] s, float t) {
          m = Mul (e, f)
          p2 = Add (p, m)
          q2 = Sub (q, f)
          s = Tanh (p2)
          t = Identity (q2) }> (a, b, x, w)
    }""",
    lambda: [
        {
            "a": normal(2, seed=t),
            "b": scalar(t, np.float32),
            "x": normal(t, 2, seed=t + 5),
            "w": normal(t, seed=t + 7),
        }
        for t in (1, 3, 5)
    ],
)

case(
    "scan_along_the_second_axis",
    """
    main (float[2] start, float[2,T] x) => (float[2] end, float[2,T] sums) {
      end, sums = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1],
        body = step (float[2] h, float[2] e) => (float[2] h2, float[2] s) { h2 = Add (h, e)  s = Neg (h2) }>
        (start, x)
    }""",
    lambda: [{"start": normal(2, seed=t), "x": normal(2, t, seed=t + 5)} for t in (1, 2, 6)],
)

case(
    "scan_along_negative_axes",
    """
    main (float[2,3] start, float[2,3,T] x) => (float[2,3] end, float[2,T,3] sums) {
      end, sums = Scan <num_scan_inputs = 1, scan_input_axes = [-1], scan_output_axes = [-2],
        body = step (float[2,3] h, float[2,3] e) => (float[2,3] h2, float[2,3] s) { h2 = Add (h, e)  s = Exp (h2) }>
        (start, x)
    }""",
    lambda: [{"start": normal(2, 3, seed=t), "x": normal(2, 3, t, seed=t + 5)} for t in (1, 2, 4)],
)

case(
    "scan_backwards",
    """
    main (float start, float[T] x) => (float end, float[T] sums) {
      end, sums = Scan <num_scan_inputs = 1, scan_input_directions = [1],
        body = step (float h, float e) => (float h2, float s) { a = Mul (h, e)  h2 = Add (a, e)  s = Identity (h2) }>
        (start, x)
    }""",
    lambda: [{"start": scalar(0.5, np.float32), "x": normal(t, seed=t)} for t in (1, 2, 6)],
)

case(
    "scan_writes_backwards",
    """
    main (float start, float[T] x, float[T] z) => (float end, float[T] forth, float[T] back) {
      end, forth, back = Scan <num_scan_inputs = 2, scan_input_directions = [0, 1], scan_output_directions = [0, 1],
        body = step (float h, float e, float f) => (float h2, float s, float t) {
          h2 = Add (h, e)  s = Mul (h2, f)  t = Sub (h2, f) }> (start, x, z)
    }""",
    lambda: [
        {"start": scalar(1, np.float32), "x": normal(t, seed=t), "z": normal(t, seed=t + 3)}
        for t in (1, 2, 5)
    ],
)

case(
    "scan_reads_captured_values",
    """
    main (float[3] start, float[T,2] x, float[2,3] w) => (float[3] end) <float[3] bias = {0.1, 0.2, 0.3}> {
      end = Scan <num_scan_inputs = 1,
        body = cell (float[3] h, float[2] e) => (float[3] h2) {
          p = MatMul (e, w)
          q = Add (p, bias)
          r = Add (q, h)
          h2 = Tanh (r) }> (start, x)
    }""",
    lambda: [
        {"start": normal(3), "x": normal(t, 2, seed=t), "w": normal(2, 3, seed=t + 9)} for t in (1, 2, 6)
    ],
)

case(
    "scan_without_state",
    """
    main (float[T,2] x) => (float[T] norms) {
      norms = Scan <num_scan_inputs = 1,
        body = step (float[2] e) => (float s) { m = Mul (e, e)  t = ReduceSum <keepdims = 0> (m)  s = Sqrt (t) }> (x)
    }""",
    lambda: [{"x": normal(t, 2, seed=t)} for t in (1, 2, 6)],
)

case(
    "scan_with_a_branch_in_its_body",
    """
    main (float start, float[T] x) => (float end, float[T] ys) <float zero = {0}> {
      end, ys = Scan <num_scan_inputs = 1,
        body = step (float h, float e) => (float h2, float s) {
          up = Greater (e, zero)
          h2 = If (up) <
            then_branch = add () => (float a) { a = Add (h, e) },
            else_branch = scale () => (float b) { half = Constant <value = float {0.5}> ()  b = Mul (h, half) }>
          s = Identity (h2) }> (start, x)
    }""",
    lambda: [{"start": scalar(1, np.float32), "x": normal(t, seed=t)} for t in (1, 2, 8)],
)

case(
    "scan_inside_a_loop",
    """
    main (int64 n, float[2] start, float[T,2] x) => (float[2] y, float[K,T,2] all) {
      y, all = Loop (n, , start) <
        body = outer (int64 i, bool c, float[2] h) => (bool c2, float[2] h2, float[T,2] sums) {
          c2 = Identity (c)
          h2, sums = Scan <num_scan_inputs = 1,
            body = inner (float[2] g, float[2] e) => (float[2] g2, float[2] s) { a = Add (g, e)  g2 = Tanh (a)  s = Identity (g2) }>
            (h, x) }>
    }""",
    lambda: [{"n": scalar(n), "start": normal(2), "x": normal(3, 2, seed=n)} for n in (0, 1, 3)],
)

case(
    "scan_inside_a_branch",
    """
    main (bool c, float[2] start, float[T,2] x) => (float[2] y) {
      y = If (c) <
        then_branch = folded () => (float[2] a) {
          a = Scan <num_scan_inputs = 1,
            body = step (float[2] h, float[2] e) => (float[2] h2) { h2 = Max (h, e) }> (start, x) },
        else_branch = kept () => (float[2] b) { b = Neg (start) }>
    }""",
    lambda: [
        {"c": scalar(c), "start": normal(2), "x": normal(t, 2, seed=t)} for t in (1, 4) for c in (True, False)
    ],
)

case(
    "scan_8_with_a_batch_axis",
    """
    main (float[B,2] start, float[B,T,2] x) => (float[B,2] end, float[B,T,2] sums) {
      end, sums = Scan <num_scan_inputs = 1,
        body = step (float[2] h, float[2] e) => (float[2] h2, float[2] s) { h2 = Add (h, e)  s = Identity (h2) }>
        (, start, x)
    }""",
    lambda: [{"start": normal(b, 2, seed=b), "x": normal(b, t, 2, seed=t)} for b in (1, 3) for t in (1, 4)],
    opset=8,
)

case(
    "scan_8_with_sequence_lengths",
    """
    main (int64[B] lengths, float[B,2] start, float[B,T,2] x) => (float[B,2] end, float[B,T,2] sums) {
      end, sums = Scan <num_scan_inputs = 1,
        body = step (float[2] h, float[2] e) => (float[2] h2, float[2] s) { h2 = Add (h, e)  s = Identity (h2) }>
        (lengths, start, x)
    }""",
    lambda: [
        {"lengths": i64(*lengths), "start": normal(2, 2), "x": normal(2, 4, 2, seed=3)}
        for lengths in ((4, 4), (1, 4), (3, 2))
    ],
    opset=8,
    refused="onnx.scan8_sequence_lens",
)

case(
    "scan_8_backwards",
    """
    main (float[B,2] start, float[B,T,2] x) => (float[B,2] end, float[B,T,2] sums) {
      end, sums = Scan <num_scan_inputs = 1, directions = [1],
        body = step (float[2] h, float[2] e) => (float[2] h2, float[2] s) { m = Mul (h, e)  h2 = Add (m, e)  s = Identity (h2) }>
        (, start, x)
    }""",
    lambda: [{"start": normal(b, 2, seed=b), "x": normal(b, t, 2, seed=t)} for b in (1, 3) for t in (1, 4)],
    opset=8,
)

case(
    "scan_of_integers_over_one_element",
    """
    main (int64 start, int64[T] x) => (int64 end, int64[T] all) {
      end, all = Scan <num_scan_inputs = 1,
        body = step (int64 h, int64 e) => (int64 h2, int64 s) { h2 = Add (h, e)  s = Mul (h2, e) }> (start, x)
    }""",
    lambda: [{"start": scalar(5), "x": i64(*range(t))} for t in (1, 2, 9)],
)
