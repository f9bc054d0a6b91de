// SPDX-License-Identifier: Apache-2.0
// The models of Python's builtins, as the language sees them: they are written in terms of the language, so
// that they lie above it, and the machine is given them.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/values/outcome.h"

namespace dycl::partial_eval {

class Machine;

struct Builtins {
  // Calls a builtin function or type that the machine models itself; nullopt: not one of them.
  std::optional<Outcome> (*call)(Machine& machine, State& state, const nb::object& callee,
                                 Arguments& arguments);
  // Calls list.append, dict.get … on abstract or live containers.
  Outcome (*call_method)(Machine& machine, State& state, const AbstractValue& self, const std::string& name,
                         Arguments& arguments);
  // Says whether the type of `self` has a native method of that name.
  bool (*has_method)(const Machine& machine, const State& state, const AbstractValue& self,
                     const std::string& name);
};

}  // namespace dycl::partial_eval
