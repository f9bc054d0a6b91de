// SPDX-License-Identifier: Apache-2.0
// Arguments meet parameters, with Python's rules and Python's TypeErrors.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The part of a function that is not in its code.
struct BindSource {
  std::string name;  // qualified, as the TypeErrors spell it
  nb::object globals;
  std::vector<AbstractValue> defaults;  // of the last positional parameters
  std::map<std::string, AbstractValue> keyword_defaults;
  std::vector<AbstractValue> closure;  // cells: live ones, or of the heap
};

BindSource source_of(const nb::object& live_function);
BindSource source_of(const FunctionObject& function);

struct Signature {
  std::string name;
  std::vector<program::Parameter> parameters;  // their registers are not looked at
  std::vector<AbstractValue> defaults;
  std::map<std::string, AbstractValue> keyword_defaults;
};

// One value per parameter: `*args` a tuple, `**kwargs` a new dict.
std::variant<std::vector<AbstractValue>, Raised> bind_parameters(Machine& machine, State& state,
                                                                 const Signature& signature,
                                                                 Arguments arguments);

// A frame at the function's entry; cells are made, free variables come from the closure.
std::variant<Frame, Raised> bind(Machine& machine, State& state, const LoweredRef& code, BindSource source,
                                 Arguments arguments);

}  // namespace dycl::partial_eval
