# SPDX-License-Identifier: Apache-2.0
"""Small models with control flow for the tests of the command line and the Python package."""

import onnx
import onnx.parser

_HEAD = '<ir_version: 10, opset_import: ["" : 20]>\n'


def parse(text: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(_HEAD + text)
    onnx.checker.check_model(model)
    return model


def choose() -> onnx.ModelProto:
    """x doubled when its sum is positive, negated otherwise."""
    return parse("""
    main (float[N] x) => (float[N] y) <float zero = {0}> {
      sum = ReduceSum <keepdims = 0> (x)
      positive = Greater (sum, zero)
      y = If (positive) <
        then_branch = yes () => (float[N] a) { a = Add (x, x) },
        else_branch = no () => (float[N] b) { b = Neg (x) }>
    }""")


def count() -> onnx.ModelProto:
    """x doubled n times, and every step on the way."""
    return parse("""
    main (int64 n, float[2] x) => (float[2] last, float[steps,2] all) <bool go = {1}> {
      last, all = Loop (n, go, x) <
        body = step (int64 i, bool c, float[2] before) => (bool c2, float[2] after, float[2] seen) {
          c2 = Identity (c)
          after = Add (before, before)
          seen = Identity (after)
        }>
    }""")


def forever() -> onnx.ModelProto:
    """A loop that never ends."""
    return parse("""
    main (float[1] x) => (float[1] last) <bool go = {1}> {
      last = Loop ("", go, x) <
        body = step (int64 i, bool c, float[1] before) => (bool c2, float[1] after) {
          c2 = Identity (c)
          after = Cos (before)
        }>
    }""")


def pick() -> onnx.ModelProto:
    """Element `i` of a sequence; out of range raises."""
    return parse("""
    main (seq(float[N]) xs, int64 i) => (float[N] x) {
      x = SequenceAt (xs, i)
    }""")


def grow() -> onnx.ModelProto:
    """A sequence with another tensor at its end."""
    return parse("""
    main (seq(float[N]) xs, float[N] x) => (seq(float[N]) ys) {
      ys = SequenceInsert (xs, x)
    }""")


def identity(dtype: int) -> onnx.ModelProto:
    """Passes a tensor of any type through a sub-DNN and back."""
    x = onnx.helper.make_tensor_value_info("x", dtype, ["n", 2])
    y = onnx.helper.make_tensor_value_info("y", dtype, ["n", 2])
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "identity", [x], [y])
    opsets = [onnx.helper.make_opsetid("", 25)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=13)


def quantize_again(dtype: int) -> onnx.ModelProto:
    """Takes and gives packed integers, by way of floats: y = x."""
    x = onnx.helper.make_tensor_value_info("x", dtype, ["n"])
    y = onnx.helper.make_tensor_value_info("y", dtype, ["n"])
    scale = onnx.helper.make_tensor("scale", onnx.TensorProto.FLOAT, [], [1.0])
    zero = onnx.helper.make_tensor("zero", dtype, [], [0])
    nodes = [
        onnx.helper.make_node("DequantizeLinear", ["x", "scale"], ["f"]),
        onnx.helper.make_node("QuantizeLinear", ["f", "scale", "zero"], ["y"]),
    ]
    graph = onnx.helper.make_graph(nodes, "quantize_again", [x], [y], [scale, zero])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)


def greet() -> onnx.ModelProto:
    """Joins strings."""
    return parse("""
    main (string[N] a, string[N] b) => (string[N] c) {
      c = StringConcat (a, b)
    }""")
