// SPDX-License-Identifier: Apache-2.0
// `with`: torch's contexts, which change how leaf calls are captured or nothing at all, and the user's.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

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

// Of those that change what torch.is_grad_enabled() says.
bool in_gradient_context(const State& state);

Outcome enter_context(Machine& machine, State& state, const AbstractValue& manager);
// `exception`: unbound when the block was left without one.
Outcome exit_context(Machine& machine, State& state, const AbstractValue& manager,
                     const AbstractValue& exception);

}  // namespace dycl::partial_eval
