// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/described_graph.h"

namespace dycl::report {

// Returns the graph for Graphviz: a node for each block, with the user's lines behind its own, and an edge
// for each way from block to block. Of a large sub-DNN only the first operations are listed.
std::string graph_dot(const std::vector<DescribedBlock>& blocks);

}  // namespace dycl::report
