// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/contexts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "partial_eval/language/operations.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

enum class ContextKind { Idle, Gradient, Autocast, Null, User, Refused };

// Contexts without a meaning for a program that only infers.
constexpr std::array<std::string_view, 4> kIdle{"torch.autograd.grad_mode.no_grad",
                                                "torch.autograd.profiler.record_function",
                                                "torch.autograd.profiler.profile", "warnings.catch_warnings"};
// Nor have these, but for who asks whether he is inside.
constexpr std::array<std::string_view, 3> kGradient{"torch.autograd.grad_mode.enable_grad",
                                                    "torch.autograd.grad_mode.set_grad_enabled",
                                                    "torch.autograd.grad_mode.inference_mode"};
constexpr std::array<std::string_view, 3> kAutocast{"torch.amp.autocast_mode.autocast",
                                                    "torch.cpu.amp.autocast_mode.autocast",
                                                    "torch.cuda.amp.autocast_mode.autocast"};

template <std::size_t size>
bool holds(const std::array<std::string_view, size>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

ContextKind context_kind(const nb::object& manager) {
  const std::string name = full_name_of(manager.type());
  if (holds(kIdle, name)) return ContextKind::Idle;
  if (holds(kGradient, name)) return ContextKind::Gradient;
  if (holds(kAutocast, name)) return ContextKind::Autocast;
  if (name == "contextlib.nullcontext") return ContextKind::Null;
  return name.starts_with("torch.") ? ContextKind::Refused : ContextKind::User;
}

ContextKind context_kind(const AbstractValue& manager) {
  const nb::object* live = manager.constant();
  return live == nullptr ? ContextKind::User : context_kind(*live);
}

}  // namespace

bool in_gradient_context(const State& state) {
  return std::ranges::any_of(state.contexts, [](const nb::object& context) {
    return context_kind(context) == ContextKind::Gradient;
  });
}

EnteredContexts::EnteredContexts(const std::vector<nb::object>& contexts) {
  for (const nb::object& context : contexts) {
    if (context_kind(context) != ContextKind::Autocast) continue;
    context.attr("__enter__")();
    entered_.push_back(context);
  }
}

EnteredContexts::~EnteredContexts() {
  nb::error_scope pending;  // an exception may be on its way
  for (auto context = entered_.rbegin(); context != entered_.rend(); ++context)
    Py_XDECREF(PyObject_CallMethod(context->ptr(), "__exit__", "OOO", Py_None, Py_None, Py_None));
  PyErr_Clear();
}

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
  if (auto entered = call_special(machine, state, manager, "__enter__", {})) return std::move(*entered);
  const auto name = nb::cast<std::string>(type_of(machine, state, manager).attr("__name__"));
  return machine.raise(PyExc_TypeError,
                       "'" + name + "' object does not support the context manager protocol");
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
