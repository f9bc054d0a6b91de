// SPDX-License-Identifier: Apache-2.0
// Turns the graph, whose sub-DNNs are compiled, into the flat host plan that the runtime executes.
#pragma once

#include <map>
#include <span>
#include <string>

#include "hcfg/hcfg.h"
#include "package/host_plan.h"
#include "subnet/subnets.h"

namespace dycl::host_gen {

// The plan, and the constants that it names by content.
struct GeneratedHost {
  HostPlan plan;
  std::map<std::string, TensorPtr> weights;  // of host slots only; sub-DNNs add theirs
};

GeneratedHost generate_host(const Hcfg& graph, std::span<const subnet::SubnetInstance> subnets);

}  // namespace dycl::host_gen
