// SPDX-License-Identifier: Apache-2.0
// Context managers of torch, which change how leaf calls are captured or nothing at all.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

enum class ContextKind { Idle, Gradient, Autocast, Null, User, Refused };
ContextKind context_kind(const nb::object& manager);
ContextKind context_kind(const AbstractValue& manager);

// Enters the path's contexts (autocast) around a call of Python, and leaves them whatever happens.
class EnteredContexts {
 public:
  explicit EnteredContexts(const std::vector<nb::object>& contexts);
  EnteredContexts(const EnteredContexts&) = delete;
  EnteredContexts& operator=(const EnteredContexts&) = delete;
  ~EnteredContexts();

 private:
  std::vector<nb::object> entered_;
};

// Says whether the path is in a context that changes what torch.is_grad_enabled() says.
bool in_gradient_context(const State& state);

bool in_autocast(const State& state);

}  // namespace dycl::partial_eval
