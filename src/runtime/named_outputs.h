// SPDX-License-Identifier: Apache-2.0
// What a run returned, by name: the program's outputs, or the places in the structure that the taken
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

// `taken` ended the run that gave `outputs`. Constants of the structure are there too, and a value that
// stands in several places is there for each.
std::vector<NamedOutput> named_outputs(const HostPlan& plan, const PlanReturn& taken,
                                       std::span<const RuntimeValue> outputs);

std::vector<NamedOutput> named_constants(const ResultNode& tree);

// One per returned value, in order: its name (of its first place in the structure) and its type.
std::vector<PlanPort> returned_ports(const HostPlan& plan, const PlanReturn& taken);

}  // namespace dycl::runtime
