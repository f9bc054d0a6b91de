// SPDX-License-Identifier: Apache-2.0
// Measures how long a sub-DNN takes on a backend, on made-up inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "hcfg/hcfg.h"
#include "subnet/stamp.h"

namespace dycl::compile_subnets {

// One contender: the sub-DNN as stamped and compiled for a backend.
struct Contender {
  std::string backend;
  const subnet::StampedGraph* graph = nullptr;
  std::shared_ptr<const BackendExecutable> executable;
};

// Returns the seconds of one run, by backend; the contenders take turns. One that fails on the inputs has no
// entry.
std::map<std::string, double> time_contenders(const Hcfg& graph, const std::vector<Contender>& contenders);

}  // namespace dycl::compile_subnets
