// SPDX-License-Identifier: Apache-2.0
#include "optimize/single_operator.h"

#include <algorithm>

#include "base/overloaded.h"
#include "hcfg/fragment.h"

namespace dycl::optimize {
namespace {

Operand operand_of(const Producers& producers, ValueId value) {
  return {value, value.valid() ? producers.tensor(value) : nullptr};
}

// What a value of the fragment is for the call.
Operand operand_of(const Producers& producers, const FragmentCall& call, ValueId inner) {
  const Fragment& fragment = *call.fragment;
  const auto constant = std::ranges::find(fragment.constants, inner, &Constant::value);
  if (constant != fragment.constants.end()) return {{}, constant->data};
  const auto place = std::ranges::find(fragment.inputs, inner);
  if (place == fragment.inputs.end()) return {};
  return operand_of(producers, call.inputs[static_cast<std::size_t>(place - fragment.inputs.begin())]);
}

std::optional<SingleOperator> single_operator_of(const Producers& producers, const OnnxOp& op) {
  SingleOperator found{&op, {}};
  for (const ValueId input : op.inputs) found.inputs.push_back(operand_of(producers, input));
  return found;
}

std::optional<SingleOperator> single_operator_of(const Producers& producers, const FragmentCall& call) {
  const Fragment& fragment = *call.fragment;
  if (fragment.ops.size() != 1 || fragment.ops[0].outputs != fragment.outputs) return std::nullopt;
  SingleOperator found{&fragment.ops[0], {}};
  for (const ValueId inner : found.op->inputs) found.inputs.push_back(operand_of(producers, call, inner));
  return found;
}

}  // namespace

std::optional<SingleOperator> single_operator(const Producers& producers, const TensorOp& op) {
  std::optional<SingleOperator> found =
      std::visit(Overloaded{
                     [&](const OnnxOp& plain) { return single_operator_of(producers, plain); },
                     [&](const FragmentCall& call) { return single_operator_of(producers, call); },
                 },
                 op);
  return found && is_of_onnx(*found->op) ? std::move(found) : std::nullopt;
}

}  // namespace dycl::optimize
