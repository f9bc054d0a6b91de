// SPDX-License-Identifier: Apache-2.0
// Rewrites nodes so that OpenVINO gives ONNX's answers. Each function returns true if it has written a
// replacement for the node, and false if it does not apply to the node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph_editor.h"
#include "integer_range.h"

namespace dycl::openvino {

// Rewrites CastLike as Cast, Split by number as Split by sizes, and casts to bool as comparisons.
bool rewrite_forms(const Node& node, GraphEditor& editor);

// The second adds a choice that changes nothing after a reduction for which the first is true. Otherwise
// OpenVINO merges the arithmetic with constants that follows into the reduction, along the wrong axis and
// with numbers from beyond the constant.
bool drops_axes(const Node& node);
void reduce_alone(const Node& node, DType dtype, GraphEditor& editor);

// Rewrites operators that lose NaN or an infinity: Relu, Max, Clip, ReduceMax, ….
bool rewrite_nan(const Node& node, GraphEditor& editor);

// Returns the result, with NaN wherever the value is NaN.
std::string keep_nan(GraphEditor& editor, const std::string& value, const std::string& result);

// Rewrites functions that lose numbers near zero: Exp, Sigmoid, Softplus, Mish, Erf.
bool rewrite_near_zero(const Node& node, GraphEditor& editor);

// Rewrites comparisons of 32- and 64-bit integers (which OpenVINO does in f32) and arithmetic on 8- and
// 16-bit ones (which saturates in OpenVINO and wraps in ONNX).
bool rewrite_integers(const Node& node, GraphEditor& editor);

// A check that is computed beside the graph. The call fails if it is true.
struct Guard {
  std::string flag;     // value: f32 scalar, above 0 when violated
  std::string message;  // "Gather: an index is out of range"
};

// Emits the checks that a node needs and returns the node with its indices brought into range, because
// OpenVINO reads and writes foreign memory if they are not.
Node guard_node(const Node& node, const IntegerLimit& limit, GraphEditor& editor, std::vector<Guard>& guards);

}  // namespace dycl::openvino
