// SPDX-License-Identifier: Apache-2.0
#include "runtime/named_outputs.h"

#include "base/overloaded.h"

namespace dycl::runtime {
namespace {

std::string name_of(const ResultLeaf& leaf) { return leaf.path.empty() ? kWholeResult : leaf.path; }

RuntimeValue value_of(const ResultConstant& constant) {
  return std::visit(Overloaded{
                        [](std::monostate) { return RuntimeValue(); },
                        [](const std::string& text) { return RuntimeValue(text); },
                        [](auto scalar) { return RuntimeValue(Scalar(scalar)); },
                    },
                    constant);
}

}  // namespace

std::vector<NamedOutput> named_outputs(const HostPlan& plan, const PlanReturn& taken,
                                       std::span<const RuntimeValue> outputs) {
  std::vector<NamedOutput> named;
  if (taken.tree == nullptr) {
    for (std::size_t index = 0; index < plan.outputs.size(); ++index)
      named.push_back({plan.outputs[index].name, outputs[index]});
    return named;
  }
  for (const ResultLeaf& leaf : leaves_of(*taken.tree))
    named.push_back(
        {name_of(leaf), std::visit(Overloaded{
                                       [&](const ResultValue& value) { return outputs[value.index]; },
                                       [](const ResultConstant& constant) { return value_of(constant); },
                                   },
                                   leaf.content)});
  return named;
}

std::vector<NamedOutput> named_constants(const ResultNode& tree) {
  std::vector<NamedOutput> named;
  for (const ResultLeaf& leaf : leaves_of(tree))
    if (const auto* constant = std::get_if<ResultConstant>(&leaf.content))
      named.push_back({name_of(leaf), value_of(*constant)});
  return named;
}

std::vector<PlanPort> returned_ports(const HostPlan& plan, const PlanReturn& taken) {
  if (taken.tree == nullptr) return plan.outputs;
  std::vector<PlanPort> ports(taken.result_count());
  for (std::size_t index = 0; index < ports.size(); ++index) {
    ports[index].type = plan.slots[taken.values[index]];
    ports[index].slot = taken.values[index];
  }
  for (const ResultLeaf& leaf : leaves_of(*taken.tree)) {
    const auto* value = std::get_if<ResultValue>(&leaf.content);
    if (value != nullptr && ports[value->index].name.empty()) ports[value->index].name = name_of(leaf);
  }
  return ports;
}

}  // namespace dycl::runtime
