// SPDX-License-Identifier: Apache-2.0
// Legalization: from the operations of a sub-DNN to plain operators that one backend computes rightly.
// Fragments are expanded, numbers folded, and the rules that serve the backend's hazards applied.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "hcfg/constant_table.h"
#include "hcfg/hcfg.h"
#include "legalize/fold_numbers.h"
#include "legalize/guard.h"

namespace dycl::legalize {

struct LegalSubnet {
  std::vector<OnnxOp> ops;
  std::vector<ValueId> results;  // that leave the sub-DNN
  std::vector<Guard> guards;
  BlockId block = {};  // where the sub-DNN is, if it is one of a graph
  std::size_t step = 0;

  // The results, then the flags of the guards.
  [[nodiscard]] std::vector<ValueId> outputs() const;
};

// Legalizes sub-DNNs of one graph for one backend. Values and constants are added to the graph.
class Legalizer {
 public:
  // An error of the plugin ("backend.unserved_hazard") when it declares a hazard that no rule serves. Keeps a
  // reference to the graph.
  static Result<Legalizer> make(Hcfg& graph, const BackendDescription& backend);

  LegalSubnet run(std::span<const TensorOp> ops, std::vector<ValueId> results);

 private:
  Legalizer(Hcfg& graph, std::set<std::string, std::less<>> hazards)
      : graph_(&graph), hazards_(std::move(hazards)) {}

  Hcfg* graph_;
  std::set<std::string, std::less<>> hazards_;
  ConstantTable constants_;
  NumberFolder numbers_;
};

// Every sub-DNN of the graph that something needs, in block and step order.
Result<std::vector<LegalSubnet>> legalize_subnets(Hcfg& graph, const BackendDescription& backend);

// For people: the graph with its sub-DNNs as they are now, and what is raised when, as comments.
std::string print_legal(const Hcfg& graph, std::span<const LegalSubnet> subnets);

}  // namespace dycl::legalize
