// SPDX-License-Identifier: Apache-2.0
// Which operators OpenVINO is trusted with. A list of what was seen to be right, not of what was seen
// to be wrong: OpenVINO accepts operators and attributes it does not honour.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph_editor.h"

namespace dycl::openvino {

// dtype → "yes" or "refused: why"
std::map<std::string, std::string> dtype_table();

// Why this node cannot be run with right answers; empty when it can.
std::string refusal(const Node& node, const GraphFacts& facts);

// The first reason in the whole graph; empty when there is none.
std::string first_refusal(const Model& model, const GraphFacts& facts);

}  // namespace dycl::openvino
