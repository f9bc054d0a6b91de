// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/with.h"

#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/torch/contexts.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

Outcome enter_context(Machine& machine, State& state, const AbstractValue& manager) {
  switch (context_kind(manager)) {
    case ContextKind::Gradient:
    case ContextKind::Autocast: state.contexts.push_back(*manager.constant()); return manager;
    case ContextKind::Idle: return manager;
    case ContextKind::Null: return known(manager.constant()->attr("enter_result"));
    case ContextKind::Refused:
      machine.refuse(state, "python.context",
                     "the context " + full_name_of(manager.constant()->type()) + " is not supported",
                     "enter it outside the model, or leave it out");
    case ContextKind::User: break;
  }
  const nb::object type = type_of(machine, state, manager);
  const std::string lacking =
      "'" + class_name(type) + "' object does not support the context manager protocol";
  const bool can_exit = type_attribute(type, "__exit__").is_valid();  // asked before it is entered
  if (!can_exit && type_attribute(type, "__enter__").is_valid())
    return machine.raise(PyExc_TypeError, lacking + " (missed __exit__ method)");
  if (auto entered = call_special(machine, state, manager, "__enter__", {})) return std::move(*entered);
  return machine.raise(PyExc_TypeError, lacking);
}

Outcome exit_context(Machine& machine, State& state, const AbstractValue& manager,
                     const AbstractValue& exception) {
  const ContextKind kind = context_kind(manager);
  if (kind == ContextKind::Autocast || kind == ContextKind::Gradient) state.contexts.pop_back();
  if (kind != ContextKind::User) return known_bool(false);
  Arguments arguments{{known_none(), known_none(), known_none()}, {}};
  if (exception.bound() && !exception.is_none())
    arguments.positional = {known(type_of(machine, state, exception)), exception, known_none()};
  if (auto left = call_special(machine, state, manager, "__exit__", std::move(arguments)))
    return std::move(*left);
  return machine.raise(PyExc_TypeError, "a context manager without __exit__");
}

}  // namespace dycl::partial_eval
