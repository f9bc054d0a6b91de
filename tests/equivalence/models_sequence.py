# SPDX-License-Identifier: Apache-2.0
"""Models around sequences, optionals and SequenceMap."""

import numpy as np

from equivalence.case import case, f32, normal, scalar

case(
    "sequence_grows_in_a_loop",
    """
    main (int64 n, float[N] x) => (seq(float[N]) y, int64 length) {
      empty = SequenceEmpty ()
      y = Loop (n, , empty) <
        body = step (int64 i, bool c, seq(float[N]) s) => (bool c2, seq(float[N]) s2) {
          c2 = Identity (c)
          f = Cast <to = 1> (i)
          e = Add (x, f)
          s2 = SequenceInsert (s, e) }>
      length = SequenceLength (y)
    }""",
    lambda: [{"n": scalar(n), "x": normal(2, seed=n)} for n in (0, 1, 5)],
)

case(
    "sequence_of_growing_tensors",
    """
    main (int64 n, float[N] x) => (float[M] y) {
      start = SequenceConstruct (x)
      s, last = Loop (n, , start, x) <
        body = step (int64 i, bool c, seq(float[A]) s1, float[B] h) => (bool c2, seq(float[A]) s2, float[D] h2) {
          c2 = Identity (c)
          h2 = Concat <axis = 0> (h, x)
          s2 = SequenceInsert (s1, h2) }>
      y = ConcatFromSequence <axis = 0> (s)
    }""",
    lambda: [{"n": scalar(n), "x": normal(size, seed=n)} for n in (0, 1, 4) for size in (1, 2)],
)

case(
    "sequence_insert_and_erase_at_positions",
    """
    main (int64 at, float[N] x) => (seq(float[N]) y, float[N] z) <int64 one = {1}, int64 last = {-1}> {
      a = Neg (x)
      b = Exp (x)
      s = SequenceConstruct (x, a, b)
      t = SequenceInsert (s, b, at)
      u = SequenceErase (t, one)
      y = SequenceErase (u)
      z = SequenceAt (t, last)
    }""",
    lambda: [{"at": scalar(at), "x": normal(2, seed=at + 3)} for at in (0, 1, 3, -1, -3)],
)

case(
    "sequence_read_at_a_dynamic_position",
    """
    main (seq(float[N]) s, int64 at) => (float[N] y, int64 n) {
      y = SequenceAt (s, at)
      n = SequenceLength (s)
    }""",
    lambda: [{"s": [normal(k + 1, seed=k) for k in range(3)], "at": scalar(at)} for at in (0, 1, 2, -1, -3)],
)

case(
    "sequence_chosen_by_a_branch",
    """
    main (bool c, float[N] x, float[N] z) => (seq(float[N]) y) {
      y = If (c) <
        then_branch = two () => (seq(float[N]) a) { a = SequenceConstruct (x, z) },
        else_branch = one () => (seq(float[N]) b) { d = Sub (x, z)  b = SequenceConstruct (d) }>
    }""",
    lambda: [
        {"c": scalar(c), "x": normal(2, seed=s), "z": normal(2, seed=s + 9)}
        for s in range(2)
        for c in (True, False)
    ],
)

case(
    "sequence_split_and_stack",
    """
    main (float[N,4] x) => (float[R,S,D] y, float[P,Q] z) {
      two = Constant <value = int64 {2}> ()
      s = SplitToSequence <axis = 1> (x, two)
      y = ConcatFromSequence <axis = 0, new_axis = 1> (s)
      t = SplitToSequence <axis = 0, keepdims = 0> (x)
      z = ConcatFromSequence <axis = -1, new_axis = 1> (t)
    }""",
    lambda: [{"x": normal(n, 4, seed=n)} for n in (1, 2, 3)],
)

case(
    "sequence_drained_by_a_loop",
    """
    main (seq(float[2]) s) => (float[2] sum, seq(float[2]) rest) <float[2] zero = {0, 0}, int64 first = {0}> {
      n = SequenceLength (s)
      sum, rest = Loop (n, , zero, s) <
        body = step (int64 i, bool c, float[2] h, seq(float[2]) q) => (bool c2, float[2] h2, seq(float[2]) q2) {
          c2 = Identity (c)
          e = SequenceAt (q, first)
          h2 = Add (h, e)
          q2 = SequenceErase (q, first) }>
    }""",
    lambda: [{"s": [normal(2, seed=k) for k in range(n)]} for n in (1, 2, 5)],
)

case(
    "sequence_map_over_one_sequence",
    """
    main (seq(float[N]) s) => (seq(float[N]) y) {
      y = SequenceMap <body = each (float[N] e) => (float[N] r) { t = Tanh (e)  r = Add (t, e) }> (s)
    }""",
    lambda: [{"s": [normal(k + 1, seed=k) for k in range(n)]} for n in (1, 2, 4)],
)

case(
    "sequence_map_with_a_tensor_and_two_outputs",
    """
    main (seq(float[N]) s, float[N] x) => (seq(float[N]) y, seq(int64[1]) sizes) {
      y, sizes = SequenceMap <body = each (float[N] e, float[N] z) => (float[N] r, int64[1] k) {
        r = Mul (e, z)  k = Shape (e) }> (s, x)
    }""",
    lambda: [{"s": [normal(2, seed=k) for k in range(n)], "x": normal(2, seed=n)} for n in (1, 3)],
)

case(
    "sequence_map_over_two_sequences_with_a_branch",
    """
    main (seq(float[2]) s, seq(float[2]) t) => (seq(float[2]) y) <float zero = {0}> {
      y = SequenceMap <body = each (float[2] a, float[2] b) => (float[2] r) {
        d = Sub (a, b)
        m = ReduceSum <keepdims = 0> (d)
        more = Greater (m, zero)
        r = If (more) <
          then_branch = first () => (float[2] p) { p = Identity (a) },
          else_branch = second () => (float[2] q) { q = Neg (b) }> }> (s, t)
    }""",
    lambda: [
        {"s": [normal(2, seed=k) for k in range(n)], "t": [normal(2, seed=9 + k) for k in range(n)]}
        for n in (1, 6)
    ],
)

case(
    "sequence_of_strings",
    """
    main (int64 n, string[N] x) => (string[M] y) {
      start = SequenceConstruct (x)
      s = Loop (n, , start) <
        body = step (int64 i, bool c, seq(string[N]) s1) => (bool c2, seq(string[N]) s2) {
          c2 = Identity (c)  s2 = SequenceInsert (s1, x) }>
      y = ConcatFromSequence <axis = 0> (s)
    }""",
    lambda: [{"n": scalar(n), "x": np.array(["left", "ö"], dtype=object)} for n in (0, 1, 3)],
)

case(
    "optional_made_inside",
    """
    main (float[N] x) => (float[N] y, bool full, bool none) {
      some = Optional (x)
      nothing = Optional <type = float[N]> ()
      y = OptionalGetElement (some)
      full = OptionalHasElement (some)
      none = OptionalHasElement (nothing)
    }""",
    lambda: [{"x": normal(n, seed=n)} for n in (1, 3)],
)

case(
    "optional_chosen_by_a_branch",
    """
    main (bool c, float[N] x) => (float[N] y) {
      o = If (c) <
        then_branch = some () => (optional(float[N]) a) { a = Optional (x) },
        else_branch = other () => (optional(float[N]) b) { n = Neg (x)  b = Optional (n) }>
      has = OptionalHasElement (o)
      y = If (has) <
        then_branch = unwrap () => (float[N] p) { p = OptionalGetElement (o) },
        else_branch = never () => (float[N] q) { q = Identity (x) }>
    }""",
    lambda: [{"c": scalar(c), "x": normal(3, seed=s)} for s in range(2) for c in (True, False)],
    never_taken=("never",),
)

case(
    "optional_input_that_may_be_absent",
    """
    main (optional(float[2]) o, float[2] x) => (float[2] y) {
      has = OptionalHasElement (o)
      y = If (has) <
        then_branch = given () => (float[2] a) { e = OptionalGetElement (o)  a = Add (e, x) },
        else_branch = absent () => (float[2] b) { b = Neg (x) }>
    }""",
    lambda: [{"o": f32(1, 2), "x": normal(2)}, {"o": None, "x": normal(2)}, {"o": f32(5, 5), "x": f32(0, 1)}],
)

case(
    "sequence_swapped_with_its_neighbour",
    """
    main (int64 n, float[N] x, float[N] z) => (seq(float[N]) p, seq(float[N]) q) {
      a = SequenceConstruct (x)
      b = SequenceConstruct (z, x)
      p, q = Loop (n, , a, b) <
        body = step (int64 i, bool c, seq(float[N]) u, seq(float[N]) v) => (bool c2, seq(float[N]) v2, seq(float[N]) u2) {
          c2 = Identity (c)
          e = Neg (x)
          v2 = SequenceInsert (v, e)
          u2 = Identity (u) }>
    }""",
    lambda: [{"n": scalar(n), "x": normal(2, seed=n), "z": normal(2, seed=n + 7)} for n in (0, 1, 2, 5)],
)
