// SPDX-License-Identifier: Apache-2.0
#include "legalize/subnet_facts.h"

#include <algorithm>

#include "base/operator_traits.h"

namespace dycl::legalize {

SubnetFacts::SubnetFacts(std::span<const OnnxOp> ops, std::span<const ValueId> results)
    : results_(results.begin(), results.end()) {
  for (const OnnxOp& op : ops) add(op);
}

void SubnetFacts::add(const OnnxOp& op) {
  for (const ValueId input : op.inputs)
    if (input.valid()) readers_[input].push_back(&op);
  if (!op.domain.empty()) return;
  for (const ValueId output : op.outputs)
    if (output.valid()) producers_.emplace(output, &op);
  if (!op.outputs.empty() && gives_bounded(op)) bounded_.insert(op.outputs[0]);
}

// Reshape's second operand is a shape; the others that keep bounds have data only.
bool SubnetFacts::gives_bounded(const OnnxOp& op) const {
  if (has_trait(op.name, Trait::BoundedBelow)) return true;
  const std::size_t data = op.name == "Reshape" ? 1 : op.inputs.size();
  return has_trait(op.name, Trait::KeepsBounds) &&
         std::ranges::all_of(std::span(op.inputs).first(data),
                             [&](ValueId value) { return bounded_.contains(value); });
}

const OnnxOp* SubnetFacts::producer(ValueId value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? nullptr : found->second;
}

std::span<const OnnxOp* const> SubnetFacts::readers(ValueId value) const {
  const auto found = readers_.find(value);
  if (found == readers_.end()) return {};
  return found->second;
}

}  // namespace dycl::legalize
