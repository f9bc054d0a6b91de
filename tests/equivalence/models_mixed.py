# SPDX-License-Identifier: Apache-2.0
"""Control flow inside control flow, model-local functions, external weights, and every opset."""

from equivalence.case import case, f32, i64, normal, scalar

case(
    "loop_in_branch_in_loop",
    """
    main (int64 n, int64 m, float[N] x) => (float[N] y, int64 inner) <int64 zero = {0}, int64 two = {2}> {
      y, inner = Loop (n, , x, zero) <
        body = outer (int64 i, bool c, float[N] h, int64 k) => (bool c2, float[N] h2, int64 k2) {
          c2 = Identity (c)
          r = Mod (i, two)
          even = Equal (r, zero)
          h2, k2 = If (even) <
            then_branch = repeat () => (float[N] a, int64 ka) {
              a, ka = Loop (m, , h, k) <
                body = inner_step (int64 j, bool d, float[N] g, int64 q) => (bool d2, float[N] g2, int64 q2) {
                  d2 = Identity (d)
                  s = Add (g, x)
                  g2 = Tanh (s)
                  q2 = Add (q, j) }>
            },
            else_branch = once () => (float[N] b, int64 kb) { b = Neg (h)  kb = Identity (k) }>
        }>
    }""",
    lambda: [
        {"n": scalar(n), "m": scalar(m), "x": normal(2, seed=n + m)} for n in (0, 1, 2, 5) for m in (0, 1, 3)
    ],
)

case(
    "branch_in_loop_in_branch",
    """
    main (bool p, int64 n, float[N] x) => (float[N] y) <float zero = {0}> {
      y = If (p) <
        then_branch = looped () => (float[N] a) {
          a = Loop (n, , x) <
            body = step (int64 i, bool c, float[N] h) => (bool c2, float[N] h2) {
              s = ReduceSum <keepdims = 0> (h)
              c2 = Greater (s, zero)
              h2 = If (c2) <
                then_branch = shrink () => (float[N] u) { one = Constant <value = float {1}> ()  u = Sub (h, one) },
                else_branch = flip () => (float[N] v) { v = Neg (h) }>
            }>
        },
        else_branch = plain () => (float[N] b) { b = Abs (x) }>
    }""",
    lambda: [
        {"p": scalar(p), "n": scalar(n), "x": normal(2, seed=n, shift=2)}
        for p in (True, False)
        for n in (0, 1, 2, 9)
    ],
)

case(
    "loop_in_loop_with_inner_trips_from_the_outer_counter",
    """
    main (int64 n) => (int64 total, int64[K] rows) <int64 zero = {0}> {
      total, rows = Loop (n, , zero) <
        body = outer (int64 i, bool c, int64 t) => (bool c2, int64 t2, int64 row) {
          c2 = Identity (c)
          row = Loop (i, , zero) <
            body = inner (int64 j, bool d, int64 s) => (bool d2, int64 s2) {
              d2 = Identity (d)
              p = Mul (i, j)
              s2 = Add (s, p) }>
          t2 = Add (t, row) }>
    }""",
    lambda: [{"n": scalar(n)} for n in (0, 1, 2, 6)],
)

case(
    "loop_in_loop_in_loop",
    """
    main (int64 n, float[N] x) => (float[N] y) {
      y = Loop (n, , x) <body = level1 (int64 i, bool c, float[N] h) => (bool c2, float[N] h2) {
        c2 = Identity (c)
        h2 = Loop (n, , h) <body = level2 (int64 j, bool d, float[N] g) => (bool d2, float[N] g2) {
          d2 = Identity (d)
          g2 = Loop (j, , g) <body = level3 (int64 k, bool e, float[N] f) => (bool e2, float[N] f2) {
            e2 = Identity (e)
            s = Add (f, h)
            t = Add (s, g)
            f2 = Tanh (t) }> }> }>
    }""",
    lambda: [{"n": scalar(n), "x": normal(2, seed=n)} for n in (0, 1, 2, 3)],
)

case(
    "nested_loop_with_an_early_exit_of_both",
    """
    main (float[R,C] x) => (int64 found_row, int64 found_column)
      <bool yes = {1}, int64 none = {-1}, int64 zero = {0}, float limit = {2}> {
      shape = Shape (x)
      one = Constant <value = int64 {1}> ()
      rows = Gather (shape, zero)
      columns = Gather (shape, one)
      found_row, found_column = Loop (rows, yes, none, none) <
        body = each_row (int64 i, bool c, int64 r, int64 q) => (bool c2, int64 r2, int64 q2) {
          row = Gather <axis = 0> (x, i)
          q2 = Loop (columns, yes, none) <
            body = each_column (int64 j, bool d, int64 s) => (bool d2, int64 s2) {
              v = Gather (row, j)
              hit = Greater (v, limit)
              d2 = Not (hit)
              s2 = If (hit) <
                then_branch = here () => (int64 a) { a = Identity (j) },
                else_branch = not_here () => (int64 b) { b = Identity (s) }> }>
          c2 = Less (q2, zero)
          r2 = If (c2) <
            then_branch = next_row () => (int64 u) { u = Identity (r) },
            else_branch = this_row () => (int64 w) { w = Identity (i) }> }>
    }""",
    lambda: (
        [{"x": normal(3, 4, seed=s)} for s in range(8)] + [{"x": normal(3, 4, shift=5)}, {"x": normal(0, 4)}]
    ),
)

case(
    "greedy_decoder_until_an_end_token",
    """
    main (int64 first, float[5,5] table) => (int64[K] tokens) <bool yes = {1}, int64 end = {4}, int64 most = {12}> {
      last, tokens = Loop (most, yes, first) <
        body = step (int64 i, bool c, int64 token) => (bool c2, int64 next, int64 said) {
          row = Gather <axis = 0> (table, token)
          next = ArgMax <axis = 0, keepdims = 0> (row)
          said = Identity (next)
          e = Equal (next, end)
          c2 = Not (e) }>
    }""",
    lambda: [{"first": scalar(s % 4), "table": normal(5, 5, seed=s)} for s in range(10)],
)

case(
    "function_with_a_branch_inside",
    """
    main (float[N] x) => (float[N] y) {
      a = local.signed_root (x)
      b = Neg (a)
      y = local.signed_root (b)
    }
    <domain: "local", opset_import: ["" : 18]>
    signed_root (v) => (r) {
      zero = Constant <value = float {0}> ()
      s = ReduceSum <keepdims = 0> (v)
      positive = Greater (s, zero)
      r = If (positive) <
        then_branch = up () => (float[N] p) { q = Abs (v)  p = Sqrt (q) },
        else_branch = down () => (float[N] m) { m = Mul (v, v) }>
    }""",
    lambda: [{"x": normal(3, seed=s, shift=t)} for s in range(3) for t in (-2.0, 2.0)],
    local=True,
)

case(
    "function_that_calls_a_function_with_a_loop",
    """
    main (int64 n, float[N] x) => (float[N] y) {
      y = local.twice (n, x)
    }
    <domain: "local", opset_import: ["" : 18, "local" : 1]>
    twice (k, v) => (r) { a = local.repeat (k, v)  r = local.repeat (k, a) }
    <domain: "local", opset_import: ["" : 18]>
    repeat (k, v) => (r) {
      r = Loop (k, , v) <body = step (int64 i, bool c, float[N] h) => (bool c2, float[N] h2) {
        c2 = Identity (c)  s = Add (h, v)  h2 = Tanh (s) }>
    }""",
    lambda: [{"n": scalar(n), "x": normal(2, seed=n)} for n in (0, 1, 4)],
    local=True,
)

case(
    "function_with_an_attribute_called_inside_a_loop",
    """
    main (int64 n, float[2,3] x) => (float[2,3] y) {
      y = Loop (n, , x) <body = step (int64 i, bool c, float[2,3] h) => (bool c2, float[2,3] h2) {
        c2 = Identity (c)
        a = local.normalized <axis = 0> (h)
        h2 = local.normalized <axis = 1> (a) }>
    }
    <domain: "local", opset_import: ["" : 18]>
    normalized <axis> (v) => (r) { s = Softmax <axis : int = @axis> (v)  r = Add (s, v) }""",
    lambda: [{"n": scalar(n), "x": normal(2, 3, seed=n)} for n in (0, 1, 3)],
    local=True,
)

case(
    "external_weights_used_in_both_branches",
    """
    main (bool c, float[2,3] x) => (float[2,3] y) <float[3,3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}, float[3] b = {1, -1, 0.5}> {
      y = If (c) <
        then_branch = yes () => (float[2,3] p) { m = MatMul (x, w)  p = Add (m, b) },
        else_branch = no () => (float[2,3] q) { n = Add (x, b)  q = MatMul (n, w) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(2, 3, seed=s)} for s in range(2) for c in (True, False)],
    external=True,
)

case(
    "no_control_flow_at_all",
    """
    main (float[N,3] x) => (float[N,2] y, float[N,3] z) <float[3,2] w = {1, 2, 3, 4, 5, 6}> {
      z = Relu (x)
      m = MatMul (z, w)
      y = Tanh (m)
    }""",
    lambda: [{"x": normal(n, 3, seed=n)} for n in (0, 1, 4)],
)

case(
    "outputs_without_any_work",
    """
    main (float[N] x, int64[K] unused) => (float[N] x, float[2] w) <float[2] w = {3, 4}> { }""",
    lambda: [{"x": normal(n, seed=n), "unused": i64(1)} for n in (0, 3)],
)

case(
    "initializer_is_also_an_input_with_a_default",
    """
    main (bool c, float[2] x, float[2] w) => (float[2] y) <float[2] w = {10, 20}> {
      y = If (c) <
        then_branch = yes () => (float[2] a) { a = Add (x, w) },
        else_branch = no () => (float[2] b) { b = Mul (x, w) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(2), **w} for c in (True, False) for w in ({}, {"w": f32(1, 2)})],
)


# Operators that exist, and mean the same, at every opset.
AT_EVERY_OPSET = """
    main (int64 n, bool go, float[N] x) => (float[N] y, float[K,N] ys) <float zero = {0}> {
      y, ys = Loop (n, go, x) <
        body = step (int64 i, bool c, float[N] h) => (bool c2, float[N] h2, float[N] s) {
          c2 = Identity (c)
          m = ReduceMax <keepdims = 0> (h)
          positive = Greater (m, zero)
          h2 = If (positive) <
            then_branch = down () => (float[N] a) { a = Sub (h, m) },
            else_branch = up () => (float[N] b) { e = Exp (h)  b = Add (e, e) }>
          s = Identity (h2) }>
    }"""

# ONNX Runtime stops at opset 26; the operators used mean the same there.
for opset in (7, 9, 11, 13, 16, 19, 21, 23, 24, 25, 26, 27, 28):
    case(
        f"branch_in_loop_at_opset_{opset}",
        AT_EVERY_OPSET,
        lambda: [
            {"n": scalar(n), "go": scalar(go), "x": normal(3, seed=n)}
            for n in (0, 1, 4)
            for go in (True, False)
        ],
        opset=opset,
        judge_opset=min(opset, 26),
    )
