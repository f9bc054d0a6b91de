// SPDX-License-Identifier: Apache-2.0
// Every sub-DNN of a graph, stamped for a backend.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "hcfg/hcfg.h"
#include "legalize/legalize.h"
#include "subnet/stamp.h"

namespace dycl::subnet {

struct SubnetInstance {
  BlockId block;
  std::size_t step = 0;
  std::string name;
  std::string backend;               // that it is stamped for
  std::string hash;                  // equal for sub-DNNs with equal graphs and weights
  StampedGraph graph;                // guards are its last outputs
  std::string aten;                  // the same calls as ATen graphs; empty unless all have one
  std::vector<std::string> weights;  // names of graph.weights, by contents
  std::vector<legalize::Guard> guards;
};

// Stamps the sub-DNNs that were legalized for the backend, and gives them in the same order.
Result<std::vector<SubnetInstance>> stamp_subnets(const Hcfg& graph,
                                                  std::span<const legalize::LegalSubnet> subnets,
                                                  const BackendDescription& backend);

// Returns the name under which a constant is stored: equal contents have equal names.
std::string weight_name(const TensorData& tensor);

}  // namespace dycl::subnet
