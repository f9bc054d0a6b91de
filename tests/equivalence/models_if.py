# SPDX-License-Identifier: Apache-2.0
"""Models around If."""

import numpy as np

from equivalence.case import both_signs, case, f32, i64, normal, scalar

case(
    "if_on_the_sign_of_a_sum",
    """
    main (float[N] x) => (float[N] y) <float zero = {0}> {
      sum = ReduceSum <keepdims = 0> (x)
      positive = Greater (sum, zero)
      y = If (positive) <
        then_branch = positive_side () => (float[N] a) { a = Add (x, x) },
        else_branch = negative_side () => (float[N] b) { n = Neg (x)  b = Sqrt (n) }>
    }""",
    lambda: [*both_signs(5)(), {"x": f32(1.0)}, {"x": np.zeros(0, np.float32)}, {"x": f32(np.nan, 1)}],
)

case(
    "if_condition_is_an_input",
    """
    main (bool c, float[2,3] x) => (float[2,3] y) {
      y = If (c) <
        then_branch = yes () => (float[2,3] a) { a = Relu (x) },
        else_branch = no () => (float[2,3] b) { b = Sigmoid (x) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(2, 3, seed=s)} for s in range(4) for c in (True, False)],
)

case(
    "if_condition_of_shape_1",
    """
    main (bool[1] c, float[N] x) => (float[N] y) {
      y = If (c) <
        then_branch = yes () => (float[N] a) { a = Exp (x) },
        else_branch = no () => (float[N] b) { b = Neg (x) }>
    }""",
    lambda: [{"c": np.array([c]), "x": normal(3, seed=s)} for s in range(3) for c in (True, False)],
)

case(
    "if_branches_of_different_shapes",
    """
    main (bool c, float[N,4] x) => (float[R,S] y) {
      y = If (c) <
        then_branch = whole () => (float[N,4] a) { a = Identity (x) },
        else_branch = transposed () => (float[4,N] b) { b = Transpose (x) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(n, 4, seed=n)} for n in (0, 1, 3) for c in (True, False)],
)

case(
    "if_branches_of_different_ranks",
    """
    main (bool c, float[2,3] x) => (float[] y) {
      y = If (c) <
        then_branch = whole () => (float[2,3] a) { a = Neg (x) },
        else_branch = reduced () => (float b) { b = ReduceMax <keepdims = 0> (x) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(2, 3, seed=s)} for s in range(3) for c in (True, False)],
    checker_refuses="it wants a shape on every output",
)

case(
    "if_result_feeds_more_work",
    """
    main (bool c, float[2,3] x) => (float[2,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}> {
      h = If (c) <
        then_branch = yes () => (float[2,3] a) { a = Tanh (x) },
        else_branch = no () => (float[2,3] b) { b = Mul (x, x) }>
      p = MatMul (h, w)
      y = Relu (p)
    }""",
    lambda: [{"c": scalar(c), "x": normal(2, 3, seed=s)} for s in range(3) for c in (True, False)],
)

case(
    "if_branch_returns_an_outer_value",
    """
    main (bool c, float[N] x) => (float[N] y) {
      h = Neg (x)
      y = If (c) <
        then_branch = pass_through () => (float[N] h) { },
        else_branch = no () => (float[N] b) { b = Add (h, x) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(3, seed=s)} for s in range(2) for c in (True, False)],
    judge_text="""
    main (bool c, float[N] x) => (float[N] y) {
      h = Neg (x)
      y = If (c) <
        then_branch = pass_through () => (float[N] a) { a = Identity (h) },
        else_branch = no () => (float[N] b) { b = Add (h, x) }>
    }""",
)

case(
    "if_nested_three_deep",
    """
    main (bool p, bool q, bool r, float[N] x) => (float[N] y) <float one = {1}> {
      y = If (p) <
        then_branch = p_yes () => (float[N] a) {
          h = Add (x, one)
          a = If (q) <
            then_branch = q_yes () => (float[N] aa) {
              k = Mul (h, h)
              aa = If (r) <
                then_branch = r_yes () => (float[N] aaa) { aaa = Sub (k, x) },
                else_branch = r_no () => (float[N] aab) { aab = Add (k, h) }>
            },
            else_branch = q_no () => (float[N] ab) { ab = Neg (h) }>
        },
        else_branch = p_no () => (float[N] b) {
          b = If (r) <
            then_branch = pr_yes () => (float[N] ba) { ba = Abs (x) },
            else_branch = pr_no () => (float[N] bb) { bb = Sub (one, x) }>
        }>
    }""",
    lambda: [
        {"p": scalar(bool(i & 1)), "q": scalar(bool(i & 2)), "r": scalar(bool(i & 4)), "x": normal(4, seed=i)}
        for i in range(8)
    ],
)


def nested_text(depth: int) -> str:
    """Condition i chooses at depth i; every level adds its own number on the way out."""
    body = "r0 = Add (x, one)"
    result = "r0"
    for level in range(1, depth + 1):
        body = f"""
          r{level} = If (c{level}) <
            then_branch = yes{level} () => (float[N] a{level}) {{ {body}  a{level} = Mul ({result}, two) }},
            else_branch = no{level} () => (float[N] b{level}) {{ b{level} = Sub (x, two) }}>"""
        result = f"r{level}"
    conditions = ", ".join(f"bool c{level}" for level in range(1, depth + 1))
    return f"""main ({conditions}, float[N] x) => (float[N] {result}) <float one = {{1}}, float two = {{2}}> {{ {body} }}"""


case(
    "if_nested_six_deep",
    nested_text(6),
    lambda: [
        {"x": normal(3, seed=stop), **{f"c{level}": scalar(level > stop) for level in range(1, 7)}}
        for stop in range(7)
    ],
)

case(
    "if_with_two_outputs_of_different_types",
    """
    main (bool c, float[N] x) => (float[N] y, int64[K] n) {
      y, n = If (c) <
        then_branch = yes () => (float[N] a, int64[1] s) { a = Neg (x)  s = Shape (x) },
        else_branch = no () => (float[N] b, int64[2] t) { b = Abs (x)  t = Constant <value = int64[2] {7, 8}> () }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(n, seed=n)} for n in (0, 1, 4) for c in (True, False)],
)

case(
    "if_branch_gives_one_value_twice",
    """
    main (bool c, float[N] x) => (float[N] y, float[N] z) {
      y, z = If (c) <
        then_branch = yes () => (float[N] a, float[N] a2) { a = Neg (x)  a2 = Identity (a) },
        else_branch = no () => (float[N] b, float[N] b) { b = Abs (x) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(3, seed=s)} for s in range(2) for c in (True, False)],
    judge_text="""
    main (bool c, float[N] x) => (float[N] y, float[N] z) {
      y, z = If (c) <
        then_branch = yes () => (float[N] a, float[N] a2) { a = Neg (x)  a2 = Identity (a) },
        else_branch = no () => (float[N] b, float[N] b2) { b = Abs (x)  b2 = Identity (b) }>
    }""",
)

case(
    "if_output_nobody_uses",
    """
    main (bool c, float[N] x) => (float[N] y) {
      y, unused = If (c) <
        then_branch = yes () => (float[N] a, float[N] a2) { a = Neg (x)  a2 = Exp (x) },
        else_branch = no () => (float[N] b, float[N] b2) { b = Abs (x)  b2 = Sin (x) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(3, seed=s)} for s in range(2) for c in (True, False)],
)

case(
    "if_shared_initializer_in_both_branches",
    """
    main (bool c, float[2,2] x) => (float[2,2] y) <float[2,2] w = {1, 2, 3, 4}> {
      h = MatMul (x, w)
      y = If (c) <
        then_branch = yes () => (float[2,2] a) { a = MatMul (h, w) },
        else_branch = no () => (float[2,2] b) { b = Add (h, w) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(2, 2, seed=s)} for s in range(2) for c in (True, False)],
)

case(
    "if_sibling_branches_reuse_names",
    """
    main (bool c, bool d, float[2] x) => (float[2] y, float[2] z) {
      y = If (c) <
        then_branch = yes () => (float[2] r) <float[2] w = {1, 2}> { t = Add (x, w)  r = Neg (t) },
        else_branch = no () => (float[2] r) <float[2] w = {5, 6}> { t = Mul (x, w)  r = Abs (t) }>
      z = If (d) <
        then_branch = yes () => (float[2] r) <float[2] w = {-1, 3}> { t = Sub (y, w)  r = Exp (t) },
        else_branch = no () => (float[2] r) <float[2] w = {0, 1}> { t = Max (y, w)  r = Tanh (t) }>
    }""",
    lambda: [
        {"c": scalar(c), "d": scalar(d), "x": normal(2, seed=s)}
        for s in range(2)
        for c in (True, False)
        for d in (True, False)
    ],
)

case(
    "if_branches_use_no_outer_value",
    """
    main (bool c) => (float[3] y) {
      y = If (c) <
        then_branch = yes () => (float[3] a) { a = Constant <value = float[3] {1, 2, 3}> () },
        else_branch = no () => (float[3] b) { b = Constant <value = float[3] {4, 5, 6}> () }>
    }""",
    [{"c": scalar(True)}, {"c": scalar(False)}],
)

case(
    "if_condition_is_constant",
    """
    main (float[N] x) => (float[N] y) <bool always = {1}> {
      y = If (always) <
        then_branch = taken () => (float[N] a) { a = Neg (x) },
        else_branch = never () => (float[N] b) { b = Exp (x) }>
    }""",
    lambda: [{"x": normal(n, seed=n)} for n in (0, 1, 5)],
    never_taken=("never",),
)

case(
    "if_condition_follows_from_constants",
    """
    main (float[N] x) => (float[N] y) <float two = {2}, float three = {3}> {
      less = Less (two, three)
      no = Not (less)
      y = If (no) <
        then_branch = never () => (float[N] a) { a = Neg (x) },
        else_branch = taken () => (float[N] b) { b = Exp (x) }>
    }""",
    lambda: [{"x": normal(n, seed=n)} for n in (0, 1, 5)],
    never_taken=("never",),
)

case(
    "if_on_a_dim_of_the_input",
    """
    main (float[N,3] x) => (float[M,3] y) <int64 one = {1}> {
      shape = Shape <start = 0, end = 1> (x)
      rows = Squeeze (shape)
      many = Greater (rows, one)
      y = If (many) <
        then_branch = reduce () => (float[1,3] a) { axes = Constant <value = int64[1] {0}> ()  a = ReduceMean (x, axes) },
        else_branch = keep () => (float[N,3] b) { b = Identity (x) }>
    }""",
    lambda: [{"x": normal(n, 3, seed=n)} for n in (0, 1, 2, 7)],
)

case(
    "if_carries_float16",
    """
    main (bool c, float16[N] x) => (float16[N] y) {
      y = If (c) <
        then_branch = yes () => (float16[N] a) { a = Add (x, x) },
        else_branch = no () => (float16[N] b) { b = Neg (x) }>
    }""",
    lambda: [
        {"c": scalar(c), "x": normal(4, seed=s, dtype=np.float16)} for s in range(2) for c in (True, False)
    ],
)

case(
    "if_carries_float64",
    """
    main (bool c, double[N] x) => (double[N] y) <double tiny = {0.0000000001}> {
      y = If (c) <
        then_branch = yes () => (double[N] a) { a = Add (x, tiny) },
        else_branch = no () => (double[N] b) { b = Mul (x, x) }>
    }""",
    lambda: [
        {"c": scalar(c), "x": normal(4, seed=s, dtype=np.float64) + 1e8}
        for s in range(2)
        for c in (True, False)
    ],
    openvino="it computes f64 as f32",
)

case(
    "if_carries_int64_beyond_32_bits",
    """
    main (bool c, int64[N] x) => (int64[N] y) <int64 big = {5000000000}> {
      y = If (c) <
        then_branch = yes () => (int64[N] a) { a = Add (x, big) },
        else_branch = no () => (int64[N] b) { b = Mul (x, x) }>
    }""",
    lambda: [{"c": scalar(c), "x": i64(1, -3, 2**31 + 5, 2**33)} for c in (True, False)],
    openvino="it computes integers in 32 bits",
)

case(
    "if_carries_small_integers_and_bools",
    """
    main (bool c, int32[N] x, bool[N] m, uint8[N] u) => (int32[N] y, bool[N] k, uint8[N] v) {
      y, k, v = If (c) <
        then_branch = yes () => (int32[N] a, bool[N] a2, uint8[N] a3) { a = Neg (x)  a2 = Not (m)  a3 = Identity (u) },
        else_branch = no () => (int32[N] b, bool[N] b2, uint8[N] b3) {
          b = Mul (x, x)  b2 = Identity (m)  two = Constant <value = uint8 {2}> ()  b3 = Div (u, two) }>
    }""",
    lambda: [
        {
            "c": scalar(c),
            "x": np.arange(-2, 2, dtype=np.int32),
            "m": f32(0, 1, 1, 0) > 0,
            "u": np.arange(4, dtype=np.uint8),
        }
        for c in (True, False)
    ],
)

case(
    "if_chain_of_ten",
    "main (bool[10] c, float[N] x0) => (float[N] x10) {"
    + "".join(
        f"""
      k{i} = Constant <value = int64 {{{i}}}> ()
      c{i} = Gather (c, k{i})
      x{i + 1} = If (c{i}) <
        then_branch = yes{i} () => (float[N] a{i}) {{ s{i} = Sin (x{i})  a{i} = Add (s{i}, x{i}) }},
        else_branch = no{i} () => (float[N] b{i}) {{ b{i} = Neg (x{i}) }}>"""
        for i in range(10)
    )
    + "}",
    lambda: [{"c": np.random.default_rng(s).random(10) > 0.5, "x0": normal(3, seed=s)} for s in range(12)],
)

case(
    "if_chooses_strings",
    """
    main (bool c, string[N] x) => (string[M] y) {
      y = If (c) <
        then_branch = yes () => (string[N] a) { a = Identity (x) },
        else_branch = no () => (string[2] b) { b = Constant <value = string[2] {"left", "right"}> () }>
    }""",
    lambda: [{"c": scalar(c), "x": np.array(["ö", "", "word"], dtype=object)} for c in (True, False)],
)

case(
    "if_duplicate_and_trivial_outputs",
    """
    main (bool c, float[N] x, float[K] unused) => (float[N] x, float[N] y, float[2] w) <float[2] w = {3, 4}> {
      y = If (c) <
        then_branch = yes () => (float[N] a) { a = Neg (x) },
        else_branch = no () => (float[N] b) { b = Abs (x) }>
    }""",
    lambda: [
        {"c": scalar(c), "x": normal(3, seed=s), "unused": normal(s)} for s in range(2) for c in (True, False)
    ],
)

case(
    "early_exit_with_three_heads",
    """
    main (float[1,4] x) => (float[1,3] y, int64 exit)
      <float[4,4] w1 = {1, 0, 0.5, 0, 0, 1, 0, -0.5, 0.3, 0, 1, 0, 0, 0.2, 0, 1},
       float[4,3] h = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, -0.5, 0.1}, float sure = {0.8}>
    {
      p1 = MatMul (x, h)
      s1 = Softmax (p1)
      m1 = ReduceMax <keepdims = 0> (s1)
      done1 = Greater (m1, sure)
      y, exit = If (done1) <
        then_branch = exit_1 () => (float[1,3] y1, int64 e1) { y1 = Identity (s1)  e1 = Constant <value = int64 {1}> () },
        else_branch = go_on_1 () => (float[1,3] z1, int64 f1) {
          x2a = MatMul (x, w1)
          x2 = Mul (x2a, x2a)
          p2 = MatMul (x2, h)
          s2 = Softmax (p2)
          m2 = ReduceMax <keepdims = 0> (s2)
          done2 = Greater (m2, sure)
          z1, f1 = If (done2) <
            then_branch = exit_2 () => (float[1,3] y2, int64 e2) { y2 = Identity (s2)  e2 = Constant <value = int64 {2}> () },
            else_branch = exit_3 () => (float[1,3] y3, int64 e3) {
              x3 = MatMul (x2, w1)
              p3 = MatMul (x3, h)
              y3 = Softmax (p3)
              e3 = Constant <value = int64 {3}> () }>
        }>
    }""",
    lambda: [
        {"x": normal(1, 4, seed=s) * np.float32(scale)} for s in range(12) for scale in (0.2, 1, 1.6, 4)
    ],
)

case(
    "experts_chosen_by_argmax",
    """
    main (float[N,3] x) => (float[N,3] y) <int64 zero = {0}, int64 one = {1}> {
      axes = Constant <value = int64[1] {0}> ()
      scores = ReduceSum <keepdims = 0> (x, axes)
      best = ArgMax <axis = 0, keepdims = 0> (scores)
      first = Equal (best, zero)
      y = If (first) <
        then_branch = expert_0 () => (float[N,3] a) { a = Relu (x) },
        else_branch = others () => (float[N,3] b) {
          second = Equal (best, one)
          b = If (second) <
            then_branch = expert_1 () => (float[N,3] ba) { ba = Tanh (x) },
            else_branch = expert_2 () => (float[N,3] bb) { bb = Softmax (x) }>
        }>
    }""",
    lambda: [{"x": normal(2, 3, seed=s)} for s in range(12)],
)
