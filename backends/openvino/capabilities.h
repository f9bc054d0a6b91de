// SPDX-License-Identifier: Apache-2.0
// Lists the operators that OpenVINO computes rightly. It lists what was seen to be right, not what was seen
// to be wrong, because OpenVINO accepts operators and attributes that it ignores.
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

// Returns why this node cannot be run with right answers; empty if it can.
std::string refusal(const Node& node, const GraphFacts& facts);

// Returns the first node of the graph that has such a reason.
std::optional<plugin::Refusal> first_refusal(const Model& model, const GraphFacts& facts);

}  // namespace dycl::openvino
