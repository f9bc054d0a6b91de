// SPDX-License-Identifier: Apache-2.0
// Node-by-node rewrites that make OpenVINO give ONNX's answers. Each returns true when it has written
// a replacement for the node, and false when the node is not its business.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph_editor.h"
#include "integer_range.h"

namespace dycl::openvino {

// CastLike → Cast; Split by number → Split by sizes; casts to bool by comparison.
bool rewrite_forms(const Node& node, GraphEditor& editor);

// A reduction that drops axes and, after it, a choice that changes nothing. OpenVINO lets the former do the
// arithmetic with constants that follows, along the wrong axis and with numbers from beyond the constant.
bool drops_axes(const Node& node);
void reduce_alone(const Node& node, DType dtype, GraphEditor& editor);

// Operators that lose NaN or an infinity: Relu, Max, Clip, ReduceMax, ….
bool rewrite_nan(const Node& node, GraphEditor& editor);

// The result, and NaN where the value is.
std::string keep_nan(GraphEditor& editor, const std::string& value, const std::string& result);

// Functions that lose numbers near zero: Exp, Sigmoid, Softplus, Mish, Erf.
bool rewrite_near_zero(const Node& node, GraphEditor& editor);

// Comparisons of 32- and 64-bit integers (done in f32 by OpenVINO) and arithmetic on 8- and 16-bit ones
// (which saturates in OpenVINO and wraps in ONNX).
bool rewrite_integers(const Node& node, GraphEditor& editor);

// A check that is computed beside the graph; the call fails when it comes out true.
struct Guard {
  std::string flag;     // value: f32 scalar, above 0 when violated
  std::string message;  // "Gather: an index is out of range"
};

// Emits the checks a node needs and returns the node with its indices made harmless, since OpenVINO
// reads and writes stray memory when they are not.
Node guard_node(const Node& node, const IntegerLimit& limit, GraphEditor& editor, std::vector<Guard>& guards);

}  // namespace dycl::openvino
