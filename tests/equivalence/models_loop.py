# SPDX-License-Identifier: Apache-2.0
"""Models around Loop: how it starts, stops, and what it carries."""

import numpy as np

from equivalence.case import case, f32, i64, normal, scalar


def trips(*counts, **more):
    return lambda: [{"n": scalar(n), **{name: make(n) for name, make in more.items()}} for n in counts]


def vector(size=3):
    return lambda seed: normal(size, seed=abs(seed))


case(
    "loop_trip_count_only",
    """
    main (int64 n, float[N] x) => (float[N] y) {
      y = Loop (n, , x) <body = step (int64 i, bool c, float[N] h) => (bool c2, float[N] h2) {
        c2 = Identity (c)  h2 = Add (h, x) }>
    }""",
    trips(0, 1, 2, 7, -3, x=vector()),
)

case(
    "loop_condition_only",
    """
    main (float x) => (float y, int64 steps) <float limit = {100}, int64 zero = {0}> {
      start = Less (x, limit)
      y, steps = Loop (, start, x, zero) <
        body = step (int64 i, bool c, float h, int64 k) => (bool c2, float h2, int64 k2) {
          h2 = Add (h, h)
          one = Constant <value = int64 {1}> ()
          k2 = Add (k, one)
          c2 = Less (h2, limit) }>
    }""",
    lambda: [{"x": np.array(x, np.float32)} for x in (1, 99, 100, 1000, 0.01, 3)],
)

case(
    "loop_trip_count_and_condition",
    """
    main (int64 n, bool go, float[N] x) => (float[N] y, int64 last) <float ten = {10}, int64 none = {-1}> {
      y, last = Loop (n, go, x, none) <
        body = step (int64 i, bool c, float[N] h, int64 k) => (bool c2, float[N] h2, int64 k2) {
          h2 = Add (h, h)
          k2 = Identity (i)
          m = ReduceMax <keepdims = 0> (h2)
          c2 = Less (m, ten) }>
    }""",
    lambda: [
        {"n": scalar(n), "go": scalar(go), "x": f32(0.5, value)}
        for n in (0, 1, 3, 20)
        for go in (True, False)
        for value in (0.1, 2.0, 11.0)
    ],
)

case(
    "loop_trip_count_of_shape_1",
    """
    main (int64[1] n, bool[1] go, float[N] x) => (float[N] y) {
      y = Loop (n, go, x) <body = step (int64 i, bool[1] c, float[N] h) => (bool[1] c2, float[N] h2) {
        c2 = Identity (c)  h2 = Sin (h) }>
    }""",
    lambda: [
        {"n": i64(n), "go": np.array([go]), "x": normal(2, seed=n)} for n in (0, 1, 4) for go in (True, False)
    ],
)

case(
    "loop_never_ends_by_itself_but_by_its_condition",
    """
    main (float[N] x) => (float[N] y) <float tiny = {0.001}> {
      y = Loop (, , x) <body = step (int64 i, bool c, float[N] h) => (bool c2, float[N] h2) {
        half = Constant <value = float {0.5}> ()
        h2 = Mul (h, half)
        a = Abs (h2)
        m = ReduceMax <keepdims = 0> (a)
        c2 = Greater (m, tiny) }>
    }""",
    lambda: [{"x": normal(4, seed=s)} for s in range(3)] + [{"x": f32(0)}],
)

case(
    "loop_false_from_the_start",
    """
    main (int64 n, float[N] x) => (float[N] y, float[K,N] ys) <bool no = {0}> {
      y, ys = Loop (n, no, x) <body = never (int64 i, bool c, float[N] h) => (bool c2, float[N] h2, float[N] s) {
        c2 = Identity (c)  h2 = Add (h, h)  s = Neg (h) }>
    }""",
    trips(0, 5, x=vector()),
    never_taken=("never",),
)

case(
    "loop_stops_after_one_trip",
    """
    main (int64 n, float[N] x) => (float[N] y) <bool yes = {1}> {
      y = Loop (n, yes, x) <body = step (int64 i, bool c, float[N] h) => (bool c2, float[N] h2) {
        c2 = Constant <value = bool {0}> ()  h2 = Exp (h) }>
    }""",
    trips(0, 1, 9, x=vector()),
)

case(
    "loop_with_a_known_trip_count",
    """
    main (float[N] x) => (float[N] y, int64[4] squares) <int64 four = {4}> {
      y, squares = Loop (four, , x) <
        body = step (int64 i, bool c, float[N] h) => (bool c2, float[N] h2, int64 s) {
          c2 = Identity (c)
          f = Cast <to = 1> (i)
          h2 = Add (h, f)
          s = Mul (i, i) }>
    }""",
    lambda: [{"x": normal(n, seed=n)} for n in (0, 1, 3)],
)

case(
    "loop_of_a_thousand_trips",
    """
    main (int64 n, float[N] x) => (float[N] y, int64 sum) <int64 zero = {0}, float factor = {0.999}> {
      y, sum = Loop (n, , x, zero) <
        body = step (int64 i, bool c, float[N] h, int64 s) => (bool c2, float[N] h2, int64 s2) {
          c2 = Identity (c)
          h2 = Mul (h, factor)
          s2 = Add (s, i) }>
    }""",
    trips(1000, 999, 3, x=vector()),
)

case(
    "loop_carried_shape_grows",
    """
    main (int64 n, float[N,2] x) => (float[M,2] y) {
      y = Loop (n, , x) <body = step (int64 i, bool c, float[A,2] h) => (bool c2, float[B,2] h2) {
        c2 = Identity (c)  h2 = Concat <axis = 0> (h, x) }>
    }""",
    lambda: [{"n": scalar(n), "x": normal(rows, 2, seed=rows)} for n in (0, 1, 5) for rows in (0, 1, 3)],
)

case(
    "loop_carried_shape_shrinks_to_nothing",
    """
    main (float[N] x) => (float[M] y, int64 k) <int64 zero = {0}> {
      size = Size (x)
      some = Greater (size, zero)
      y, k = Loop (, some, x, zero) <
        body = step (int64 i, bool c, float[A] h, int64 s) => (bool c2, float[B] h2, int64 s2) {
          one = Constant <value = int64[1] {1}> ()
          far = Constant <value = int64[1] {1000}> ()
          h2 = Slice (h, one, far)
          left = Size (h2)
          c2 = Greater (left, zero)
          s2 = Add (s, left) }>
    }""",
    lambda: [{"x": normal(n, seed=n)} for n in (0, 1, 2, 6)],
)

case(
    "loop_carried_rank_grows",
    """
    main (int64 n, float[N] x) => (float[] y) {
      y = Loop (n, , x) <body = step (int64 i, bool c, float[] h) => (bool c2, float[] h2) {
        c2 = Identity (c)
        axis = Constant <value = int64[1] {0}> ()
        h2 = Unsqueeze (h, axis) }>
    }""",
    trips(0, 1, 4, x=vector()),
    checker_refuses="it wants a shape on every output",
    openvino="it needs known ranks",
)

case(
    "loop_swaps_its_carried_values",
    """
    main (int64 n, float[N] a, float[N] b) => (float[N] p, float[N] q) {
      p, q = Loop (n, , a, b) <
        body = step (int64 i, bool c, float[N] u, float[N] v) => (bool c2, float[N] v2, float[N] u2) {
          c2 = Identity (c)  v2 = Identity (v)  u2 = Identity (u) }>
    }""",
    trips(0, 1, 2, 5, a=vector(), b=lambda n: normal(3, seed=50 + n)),
)

case(
    "loop_rotates_three_values_directly",
    """
    main (int64 n, float[N] a, float[N] b, float[N] d) => (float[N] p, float[N] q, float[N] r) {
      p, q, r = Loop (n, , a, b, d) <
        body = step (int64 i, bool c, float[N] u, float[N] v, float[N] w) => (bool c, float[N] v, float[N] w, float[N] u) { }>
    }""",
    trips(0, 1, 2, 3, 7, a=vector(), b=lambda n: normal(3, seed=50 + n), d=lambda n: normal(3, seed=90 + n)),
)

case(
    "loop_fibonacci",
    """
    main (int64 n) => (int64 f, int64[K] all) <int64 zero = {0}, int64 one = {1}> {
      f, next, all = Loop (n, , zero, one) <
        body = step (int64 i, bool c, int64 a, int64 b) => (bool c2, int64 b2, int64 s, int64 a2) {
          c2 = Identity (c)  b2 = Identity (b)  s = Add (a, b)  a2 = Identity (a) }>
    }""",
    trips(0, 1, 2, 10, 80),
    openvino="it computes integers in 32 bits",
)

case(
    "loop_only_scan_outputs",
    """
    main (int64 n, float[2,3] x) => (float[K,2,3] all, int64[K] counter) <bool yes = {1}> {
      all, counter = Loop (n, yes) <body = step (int64 i, bool c) => (bool c2, float[2,3] s, int64 t) {
        c2 = Identity (c)
        f = Cast <to = 1> (i)
        s = Mul (x, f)
        t = Identity (i) }>
    }""",
    trips(0, 1, 4, x=lambda n: normal(2, 3, seed=n)),
)

case(
    "loop_scans_scalars_bools_and_doubles",
    """
    main (int64 n, double d) => (double e, double[K] ds, bool[K] bs, int32[K,2] is) <double half = {0.5}> {
      e, ds, bs, is = Loop (n, , d) <
        body = step (int64 i, bool c, double h) => (bool c2, double h2, double s, bool b, int32[2] t) {
          c2 = Identity (c)
          h2 = Mul (h, half)
          s = Identity (h2)
          one = Constant <value = double {1.0}> ()
          b = Less (h2, one)
          k = Cast <to = 6> (i)
          axis = Constant <value = int64[1] {0}> ()
          k1 = Unsqueeze (k, axis)
          t = Concat <axis = 0> (k1, k1) }>
    }""",
    trips(0, 1, 6, d=lambda n: np.array(5.0 + n / 3)),
    openvino="it computes f64 as f32",
)

case(
    "loop_scan_until_an_early_false",
    """
    main (int64 n, float[N] x) => (float[K] seen) <bool yes = {1}, float zero = {0}> {
      seen = Loop (n, yes) <body = step (int64 i, bool c) => (bool c2, float s) {
        s = Gather (x, i)
        c2 = Greater (s, zero) }>
    }""",
    lambda: [
        {"n": scalar(4), "x": f32(*row)}
        for row in ([1, 2, -1, 3], [-1, 2, 3, 4], [1, 2, 3, 4], [1, 1, 1, -1])
    ],
)

case(
    "loop_reads_captured_values_only",
    """
    main (int64 n, float[2,2] x, float[2,2] w) => (float[2,2] y) <float[2,2] eye = {1, 0, 0, 1}> {
      p = MatMul (x, w)
      q = Tanh (p)
      y = Loop (n, , eye) <body = step (int64 i, bool c, float[2,2] h) => (bool c2, float[2,2] h2) {
        c2 = Identity (c)
        a = MatMul (h, q)
        h2 = Add (a, eye) }>
    }""",
    trips(0, 1, 3, x=lambda n: normal(2, 2, seed=n), w=lambda n: normal(2, 2, seed=n + 9)),
)

case(
    "loop_body_ignores_what_it_carries",
    """
    main (int64 n, float[N] x) => (float[N] y, float[N] z) {
      y, z = Loop (n, , x, x) <
        body = step (int64 i, bool c, float[N] h, float[N] k) => (bool c2, float[N] x2, float[N] k2) {
          c2 = Identity (c)  x2 = Neg (x)  k2 = Identity (k) }>
    }""",
    trips(0, 1, 3, x=vector()),
)

case(
    "loop_body_has_its_own_initializers",
    """
    main (int64 n, float[2] x) => (float[2] y) {
      y = Loop (n, , x) <body = step (int64 i, bool c, float[2] h) => (bool c2, float[2] h2)
        <float[2] w = {0.5, -0.25}> { c2 = Identity (c)  h2 = Mul (h, w) }>
    }""",
    trips(0, 1, 5, x=vector(2)),
)

case(
    "loop_trip_count_from_a_shape",
    """
    main (float[N,3] x) => (float[3] y) <float[3] start = {0, 0, 0}> {
      shape = Shape <start = 0, end = 1> (x)
      y = Loop (shape, , start) <body = step (int64 i, bool c, float[3] h) => (bool c2, float[3] h2) {
        c2 = Identity (c)
        row = Gather <axis = 0> (x, i)
        s = Add (h, row)
        h2 = Tanh (s) }>
    }""",
    lambda: [{"x": normal(n, 3, seed=n)} for n in (0, 1, 2, 5)],
)

case(
    "loop_of_float16",
    """
    main (int64 n, float16[N] x) => (float16[N] y) {
      y = Loop (n, , x) <body = step (int64 i, bool c, float16[N] h) => (bool c2, float16[N] h2) {
        c2 = Identity (c)  h2 = Add (h, x) }>
    }""",
    trips(0, 1, 3, x=lambda n: normal(3, seed=n, dtype=np.float16)),
)

case(
    "loop_carries_a_bool_tensor",
    """
    main (int64 n, bool[N] m) => (bool[N] y, bool any) <bool no = {0}> {
      y, any = Loop (n, , m, no) <
        body = step (int64 i, bool c, bool[N] h, bool k) => (bool c2, bool[N] h2, bool k2) {
          c2 = Identity (c)  h2 = Not (h)  k2 = Not (k) }>
    }""",
    trips(0, 1, 2, 5, m=lambda n: normal(4, seed=n) > 0),
)

case(
    "loop_newton_until_it_converges",
    """
    main (float[N] a) => (float[N] root, int64 steps) <float half = {0.5}, float eps = {0.00001}, int64 zero = {0}, int64 most = {50}, bool go = {1}> {
      root, steps = Loop (most, go, a, zero) <
        body = step (int64 i, bool c, float[N] r, int64 k) => (bool c2, float[N] r2, int64 k2) {
          q = Div (a, r)
          s = Add (r, q)
          r2 = Mul (s, half)
          d = Sub (r2, r)
          e = Abs (d)
          m = ReduceMax <keepdims = 0> (e)
          c2 = Greater (m, eps)
          one = Constant <value = int64 {1}> ()
          k2 = Add (i, one) }>
    }""",
    lambda: [{"a": np.abs(normal(3, seed=s)) + 0.5} for s in range(5)] + [{"a": f32(1, 1)}],
)

case(
    "loop_collatz",
    """
    main (int64 n) => (int64 steps) <int64 zero = {0}, int64 one = {1}, int64 two = {2}, int64 three = {3}> {
      go = Greater (n, one)
      last, steps = Loop (, go, n, zero) <
        body = step (int64 i, bool c, int64 v, int64 k) => (bool c2, int64 v2, int64 k2) {
          r = Mod (v, two)
          odd = Equal (r, one)
          v2 = If (odd) <
            then_branch = up () => (int64 a) { t = Mul (v, three)  a = Add (t, one) },
            else_branch = down () => (int64 b) { b = Div (v, two) }>
          c2 = Greater (v2, one)
          k2 = Add (k, one) }>
    }""",
    trips(1, 2, 6, 7, 27),
)

case(
    "loop_condition_is_a_carried_value",
    """
    main (int64 n, bool[4] flags, float[N] x) => (float[N] y) <bool yes = {1}> {
      y, ignored = Loop (n, yes, x, yes) <
        body = step (int64 i, bool c, float[N] h, bool k) => (bool c2, float[N] h2, bool k2) {
          k2 = Gather (flags, i)
          c2 = And (k, k2)
          h2 = Add (h, x) }>
    }""",
    lambda: [
        {"n": scalar(4), "flags": np.array(flags), "x": normal(2, seed=1)}
        for flags in ([True] * 4, [False] * 4, [True, False, True, True], [True, True, False, True])
    ],
)

case(
    "loop_of_one_trip_with_size_one_tensors",
    """
    main (int64 n, float[1,1] x) => (float[1,1] y, float[K,1,1] ys) {
      y, ys = Loop (n, , x) <body = step (int64 i, bool c, float[1,1] h) => (bool c2, float[1,1] h2, float[1,1] s) {
        c2 = Identity (c)  h2 = Exp (h)  s = Identity (h2) }>
    }""",
    trips(1, 0, 2, x=lambda n: normal(1, 1, seed=n)),
)

case(
    "loop_builds_strings",
    """
    main (int64 n, string[N] x) => (string[M] y) {
      y = Loop (n, , x) <body = step (int64 i, bool c, string[A] h) => (bool c2, string[B] h2) {
        c2 = Identity (c)  h2 = Concat <axis = 0> (h, x) }>
    }""",
    trips(0, 1, 2, x=lambda n: np.array(["a", "", "ü"][: n + 1], dtype=object)),
    openvino="it has no string tensors",
)
