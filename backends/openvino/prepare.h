// SPDX-License-Identifier: Apache-2.0
// Turns the graph that DyCL hands over into the graph that OpenVINO gets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/result.h"
#include "graph_editor.h"

namespace dycl::openvino {

struct BorderValue {
  std::string name;
  DType dtype = DType::F32;
};

struct PreparedGraph {
  Model model;                      // rewritten; complete, weights included
  std::vector<BorderValue> inputs;  // of the original graph, in order
  std::vector<BorderValue> outputs;
  std::vector<std::string> guards;   // messages; the model's last output has one flag for each
  std::int64_t largest_integer = 0;  // every integer input must lie within ± this
};

// A refusal is a diagnostic of code "openvino.refused", whose message is the reason; `refused` gets the node,
// if one is to blame.
Result<PreparedGraph> prepare_graph(const DyclGraph& graph, std::optional<std::size_t>* refused = nullptr);

}  // namespace dycl::openvino
