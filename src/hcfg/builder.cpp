// SPDX-License-Identifier: Apache-2.0
#include "hcfg/builder.h"

namespace dycl {

ValueId HcfgBuilder::add_parameter(BlockId block, Type type, std::string name) {
  const ValueId value = graph_.add_value(std::move(type), std::move(name));
  graph_.blocks[block.index()].parameters.push_back(value);
  return value;
}

void HcfgBuilder::tensor_op(TensorOp op) {
  source_of(op) = source_;
  std::vector<Step>& steps = current().steps;
  if (steps.empty() || !std::holds_alternative<SubnetStep>(steps.back())) steps.emplace_back(SubnetStep{});
  std::get<SubnetStep>(steps.back()).ops.push_back(std::move(op));
}

ValueId HcfgBuilder::host(HostOp op, std::vector<ValueId> inputs, Type result, std::string name,
                          Attributes attributes) {
  const ValueId output = graph_.add_value(std::move(result), std::move(name));
  current().steps.emplace_back(HostStep{op, std::move(attributes), std::move(inputs), {output}, source_});
  return output;
}

void HcfgBuilder::check(ValueId raised, std::string type, std::string message) {
  Attributes attributes{{"type", std::move(type)}, {"message", std::move(message)}};
  current().steps.emplace_back(HostStep{HostOp::Check, std::move(attributes), {raised}, {}, source_});
}

void HcfgBuilder::write(std::uint32_t input, ValueId contents) {
  Attributes attributes{{"input", static_cast<std::int64_t>(input)}};
  current().steps.emplace_back(HostStep{HostOp::Write, std::move(attributes), {contents}, {}, source_});
}

ValueId HcfgBuilder::const_int(std::int64_t value) {
  return host(HostOp::Const, {}, ScalarType{ScalarKind::I64}, "k", {{"value", value}});
}

ValueId HcfgBuilder::const_bool(bool value) {
  return host(HostOp::Const, {}, ScalarType{ScalarKind::Bool}, "k", {{"value", std::int64_t{value}}});
}

void HcfgBuilder::jump(BlockId target, std::vector<ValueId> arguments) {
  finish(Jump{{target, std::move(arguments)}});
}

void HcfgBuilder::branch(ValueId condition, BlockId then_block, BlockId else_block) {
  finish(Branch{condition, {then_block, {}}, {else_block, {}}});
}

void HcfgBuilder::finish(Terminator terminator) {
  current().terminator = std::move(terminator);
  current().source = source_;
}

}  // namespace dycl
