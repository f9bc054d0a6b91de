// SPDX-License-Identifier: Apache-2.0
// A control-flow graph in words: what every block does, line by line, with the user's lines. Whoever draws
// the graph or lists it begins here.
#pragma once

#include <string>
#include <vector>

#include "hcfg/hcfg.h"
#include "package/artifact.h"

namespace dycl::report {

struct DescribedLine {
  std::string text;            // "bool = item(gt)"
  SourceSpan at = {};          // in the user's model, if known
  bool within_subnet = false;  // an operation of the sub-DNN that a line above names
};

struct DescribedEdge {
  BlockId target;
  std::string label;  // "then", "else", "case 2", "default"; empty for the only way
};

struct DescribedBlock {
  BlockId block;
  std::string heading;  // "block 3(i, sum)"
  std::vector<DescribedLine> lines;
  std::vector<DescribedEdge> edges;
};

// Describes the blocks that a run can reach, in an order in which each comes before those it decides about.
// `artifact` says which backend computes which sub-DNN.
std::vector<DescribedBlock> describe_graph(const Hcfg& graph, const Artifact& artifact);

}  // namespace dycl::report
