// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/contexts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

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

bool is_inside(const State& state, ContextKind kind) {
  return std::ranges::any_of(state.contexts,
                             [&](const nb::object& context) { return context_kind(context) == kind; });
}

}  // namespace

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

bool in_gradient_context(const State& state) { return is_inside(state, ContextKind::Gradient); }

bool in_autocast(const State& state) { return is_inside(state, ContextKind::Autocast); }

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

}  // namespace dycl::partial_eval
