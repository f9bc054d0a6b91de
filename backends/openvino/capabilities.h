// SPDX-License-Identifier: Apache-2.0
// Which operators OpenVINO is trusted with. A list of what was seen to be right, not of what was seen
// to be wrong: OpenVINO accepts operators and attributes it does not honour.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "common/refusal.h"
#include "graph_editor.h"

namespace dycl::openvino {

// dtype → "yes" or "refused: why"
std::map<std::string, std::string> dtype_table();

// Why this node cannot be run with right answers; empty when it can.
std::string refusal(const Node& node, const GraphFacts& facts);

// The first node of the graph that has such a reason.
std::optional<plugin::Refusal> first_refusal(const Model& model, const GraphFacts& facts);

}  // namespace dycl::openvino
