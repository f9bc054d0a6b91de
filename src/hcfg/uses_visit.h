// SPDX-License-Identifier: Apache-2.0
// Bodies of the visitors in uses.h.
#pragma once

#include <utility>

#include "base/overloaded.h"
#include "hcfg/control_flow.h"

namespace dycl {

template <class Visit>
void for_each_use(const Step& step, const Visit& visit) {
  const auto valid_only = [&](const std::vector<ValueId>& ids) {
    for (const ValueId& id : ids)
      if (id.valid()) visit(id);
  };
  std::visit(Overloaded{
                 [&](const SubnetStep& subnet) {
                   for (const TensorOp& op : subnet.ops) valid_only(inputs_of(op));
                 },
                 [&](const HostStep& host) { valid_only(host.inputs); },
             },
             step);
}

template <class Visit>
void for_each_definition(const Step& step, const Visit& visit) {
  const auto valid_only = [&](const std::vector<ValueId>& ids) {
    for (const ValueId& id : ids)
      if (id.valid()) visit(id);
  };
  std::visit(Overloaded{
                 [&](const SubnetStep& subnet) {
                   for (const TensorOp& op : subnet.ops) valid_only(outputs_of(op));
                 },
                 [&](const HostStep& host) { valid_only(host.outputs); },
             },
             step);
}

template <class Visit>
void for_each_use(const Terminator& terminator, const Visit& visit) {
  const auto each = [&](const std::vector<ValueId>& ids) {
    for (const ValueId& id : ids) visit(id);
  };
  std::visit(Overloaded{
                 [](const Jump&) {},
                 [&](const Branch& branch) { visit(branch.condition); },
                 [&](const Switch& choice) { visit(choice.index); },
                 [&](const Return& done) { each(done.values); },
                 [&](const Raise& raise) { each(raise.scalars); },
             },
             terminator);
  for_each_edge(terminator, [&](const Edge& edge) { each(edge.arguments); });
}

// A mutable graph gives mutable ids: the const walk above is the only one to maintain.
template <class Visit>
void for_each_use(Step& step, const Visit& visit) {
  for_each_use(std::as_const(step), [&](const ValueId& id) { visit(const_cast<ValueId&>(id)); });
}
template <class Visit>
void for_each_use(Terminator& terminator, const Visit& visit) {
  for_each_use(std::as_const(terminator), [&](const ValueId& id) { visit(const_cast<ValueId&>(id)); });
}
template <class Visit>
void for_each_definition(Step& step, const Visit& visit) {
  for_each_definition(std::as_const(step), [&](const ValueId& id) { visit(const_cast<ValueId&>(id)); });
}

}  // namespace dycl
