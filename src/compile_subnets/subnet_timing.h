// SPDX-License-Identifier: Apache-2.0
// How long a sub-DNN takes on a backend, measured on made-up inputs.
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

// Seconds of one run, by backend, the contenders taking turns. One that fails on the inputs has no entry.
std::map<std::string, double> time_contenders(const Hcfg& graph, const std::vector<Contender>& contenders);

}  // namespace dycl::compile_subnets
