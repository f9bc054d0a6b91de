// SPDX-License-Identifier: Apache-2.0
#include "optimize/same_graph.h"

#include <algorithm>

namespace dycl::optimize {
namespace {

template <class... Alternatives>
bool same_variant(const std::variant<Alternatives...>& left, const std::variant<Alternatives...>& right);

bool same(const OnnxOp& left, const OnnxOp& right) {
  return left.domain == right.domain && left.name == right.name && left.version == right.version &&
         left.inputs == right.inputs && left.outputs == right.outputs && left.source == right.source &&
         equal(left.attributes, right.attributes);
}

bool same(const FragmentCall& left, const FragmentCall& right) {
  return left.fragment == right.fragment && left.inputs == right.inputs && left.outputs == right.outputs &&
         left.source == right.source;
}

bool same(const SubnetStep& left, const SubnetStep& right) {
  return left.name == right.name &&
         std::ranges::equal(left.ops, right.ops, [](const TensorOp& one, const TensorOp& other) {
           return same_variant(one, other);
         });
}

bool same(const HostStep& left, const HostStep& right) {
  return left.op == right.op && left.inputs == right.inputs && left.outputs == right.outputs &&
         left.source == right.source && equal(left.attributes, right.attributes);
}

bool same(const Edge& left, const Edge& right) {
  return left.target == right.target && left.arguments == right.arguments;
}

bool same(const Jump& left, const Jump& right) { return same(left.edge, right.edge); }

bool same(const Branch& left, const Branch& right) {
  return left.condition == right.condition && same(left.then_edge, right.then_edge) &&
         same(left.else_edge, right.else_edge);
}

bool same(const Switch& left, const Switch& right) {
  return left.index == right.index && same(left.fallback, right.fallback) &&
         std::ranges::equal(left.cases, right.cases,
                            [](const Edge& one, const Edge& other) { return same(one, other); });
}

bool same(const Return& left, const Return& right) {
  return left.values == right.values && left.writes == right.writes && same_tree(left.tree, right.tree);
}

bool same(const Raise& left, const Raise& right) {
  return left.type == right.type && left.format == right.format && left.scalars == right.scalars &&
         same_tree(left.attributes, right.attributes);
}

template <class... Alternatives>
bool same_variant(const std::variant<Alternatives...>& left, const std::variant<Alternatives...>& right) {
  if (left.index() != right.index()) return false;
  return std::visit(
      [&](const auto& part) { return same(part, std::get<std::decay_t<decltype(part)>>(right)); }, left);
}

bool same_block(const Block& left, const Block& right) {
  return left.parameters == right.parameters && left.source == right.source &&
         same_variant(left.terminator, right.terminator) &&
         std::ranges::equal(left.steps, right.steps,
                            [](const Step& one, const Step& other) { return same_variant(one, other); });
}

bool same_port(const Port& left, const Port& right) {
  return left.name == right.name && left.value == right.value && left.type == right.type &&
         left.optional == right.optional && left.initial == right.initial;
}

bool same_constant(const Constant& left, const Constant& right) {
  return left.value == right.value && left.data == right.data;
}

bool same_value(const GraphValue& left, const GraphValue& right) {
  return left.type == right.type && left.name == right.name;
}

}  // namespace

bool same_graph(const Hcfg& left, const Hcfg& right) {
  const auto same_name = [](const Symbol& one, const Symbol& other) { return one.name == other.name; };
  return left.name == right.name && std::ranges::equal(left.inputs, right.inputs, same_port) &&
         std::ranges::equal(left.outputs, right.outputs, same_port) &&
         std::ranges::equal(left.values, right.values, same_value) &&
         std::ranges::equal(left.symbols, right.symbols, same_name) &&
         std::ranges::equal(left.constants, right.constants, same_constant) &&
         std::ranges::equal(left.blocks, right.blocks, same_block);
}

}  // namespace dycl::optimize
