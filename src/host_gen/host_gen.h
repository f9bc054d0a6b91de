// SPDX-License-Identifier: Apache-2.0
// The graph, whose sub-DNNs are compiled, as the flat program that the runtime walks.
#pragma once

#include <map>
#include <span>
#include <string>

#include "hcfg/hcfg.h"
#include "package/host_plan.h"
#include "subnet/subnets.h"

namespace dycl::host_gen {

// What host_gen makes: the plan, and the constants it names by content.
struct GeneratedHost {
  HostPlan plan;
  std::map<std::string, TensorPtr> weights;  // those of host slots; sub-DNNs add theirs
};

GeneratedHost generate_host(const Hcfg& graph, std::span<const subnet::SubnetInstance> subnets);

}  // namespace dycl::host_gen
