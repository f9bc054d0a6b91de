// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/checks.h"

#include "partial_eval/data/sizes.h"
#include "partial_eval/torch/ports.h"
#include "partial_eval/values/handlers.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {

std::optional<Forked::Child> check_flag(Machine& machine, State& state, const PendingCheck& check) {
  if (!may_be_caught(state)) {
    state.checks.push_back(check);
    return std::nullopt;
  }
  const ValueId flag = machine.emitter.host(state, HostOp::Item, {check.raised}, ScalarType{ScalarKind::Bool},
                                            "fails", {}, check.source);
  Forked split = split_on(machine, state, ScalarValue{flag, ScalarKind::Bool, nullptr});
  const nb::object exception = exception_class(check.type)(check.message);
  split.children[0].raised = known(exception);
  state = std::move(split.children[1].state);
  return std::move(split.children[0]);
}

Outcome raise_where(Machine& machine, State& state, const AbstractValue& flag, const std::string& message) {
  const AbstractValue now = current(state, flag);
  if (const nb::object* live = now.constant()) {
    if (nb::cast<bool>(nb::bool_(*live))) return machine.raise(PyExc_RuntimeError, message);
    return known_none();
  }
  keep_writes_before_exception(machine, state);
  const ValueId raised = tensor_at(state, *now.object()).value;
  auto raising = check_flag(machine, state, {raised, "RuntimeError", message, machine.source(state)});
  if (!raising) return known_none();
  Forked forked;
  forked.children.push_back(std::move(*raising));
  forked.children.push_back({state, known_none(), std::nullopt});
  return forked;
}

}  // namespace dycl::partial_eval
