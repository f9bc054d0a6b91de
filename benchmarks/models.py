# SPDX-License-Identifier: Apache-2.0
"""Models to measure with."""

import numpy as np
import onnx
from onnx import numpy_helper

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'


def branch_chain(length: int) -> onnx.ModelProto:
    """`length` branches in a row; a taken branch is one tiny sub-DNN, the other nothing."""
    steps = "".join(
        f"""
      x{i + 1} = If (c{i}) <
        then_branch = yes{i} () => (float[4] a{i}) {{ a{i} = Mul (x{i}, w) }},
        else_branch = no{i} () => (float[4] b{i}) {{ b{i} = Identity (x{i}) }}>"""
        for i in range(length)
    )
    conditions = ", ".join(f"bool c{i}" for i in range(length))
    head = f"chain ({conditions}, float[4] x0) => (float[4] x{length}) <float[4] w = {{1, 1, 1, 1}}>"
    text = f"{head} {{{steps}\n}}"
    return onnx.parser.parse_model(HEADER + text)


def distinct_branch_chain(length: int) -> onnx.ModelProto:
    """Like branch_chain, but each branch has two operations and a constant of its own: nothing is shared."""
    steps = "".join(
        f"""
      s{i} = ReduceSum <keepdims = 0> (x{i})
      c{i} = Greater (s{i}, zero)
      x{i + 1} = If (c{i}) <
        then_branch = yes{i} () => (float[4] a{i}) {{
          k{i} = Constant <value = float {{{i + 1}}}> ()  m{i} = Mul (x{i}, k{i})  a{i} = Tanh (m{i}) }},
        else_branch = no{i} () => (float[4] b{i}) {{ b{i} = Neg (x{i}) }}>"""
        for i in range(length)
    )
    text = f"chain (float[4] x0) => (float[4] x{length}) <float zero = {{0}}> {{{steps}\n}}"
    return onnx.parser.parse_model(HEADER + text)


def convolutions(blocks: int, channels: int = 32, size: int = 32) -> onnx.ModelProto:
    """A residual network without control flow: one sub-DNN."""
    steps = "".join(
        f"""
      p{i} = Conv <pads = [1,1,1,1]> (x{i}, w{i})
      a{i} = Add (p{i}, x{i})
      x{i + 1} = Relu (a{i})"""
        for i in range(blocks)
    )
    shape = f"float[1,{channels},{size},{size}]"
    model = onnx.parser.parse_model(HEADER + f"net ({shape} x0) => ({shape} x{blocks}) {{{steps}\n}}")
    rng = np.random.default_rng(0)
    for i in range(blocks):
        weight = (rng.standard_normal((channels, channels, 3, 3)) * 0.05).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(weight, f"w{i}"))
    return model
