// SPDX-License-Identifier: Apache-2.0
// contextvars.ContextVar: what the program sets, another call must find reset.
#pragma once

#include "partial_eval/builtins/native_call.h"

namespace dycl::partial_eval {

// get(), set() and reset() of a live variable; nullopt: the callee is something else.
std::optional<Outcome> call_context_variable(NativeCall& call);

}  // namespace dycl::partial_eval
