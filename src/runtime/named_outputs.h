// SPDX-License-Identifier: Apache-2.0
// Names what a run returned: by the program's outputs, or by the places in the structure that the run's
// return gives back.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "package/host_plan.h"
#include "runtime/value.h"

namespace dycl::runtime {

inline constexpr const char* kWholeResult = "result";  // names a result that is one value, in no structure

struct NamedOutput {
  std::string name;  // "logits", "0", "1.x"
  RuntimeValue value;
};

// Names the `outputs` of a run that ended with the return `taken`. The list also has the constants of the
// structure, and a value that stands in several places occurs once for each.
std::vector<NamedOutput> named_outputs(const HostPlan& plan, const PlanReturn& taken,
                                       std::span<const RuntimeValue> outputs);

std::vector<NamedOutput> named_constants(const ResultNode& tree);

// Returns the name (by its first place in the structure) and the type of each returned value, in order.
std::vector<PlanPort> returned_ports(const HostPlan& plan, const PlanReturn& taken);

}  // namespace dycl::runtime
