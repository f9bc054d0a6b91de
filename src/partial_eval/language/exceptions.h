// SPDX-License-Identifier: Apache-2.0
// Exceptions of the program: live ones that CPython raised, or objects of the heap.
#pragma once

#include <string>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// What CPython raised while it evaluated something static is what the program raises.
Raised raised_by_python(nb::python_error& error);

Outcome raise_value(Machine& machine, State& state, const AbstractValue& exception,
                    const AbstractValue& cause);
bool exception_matches(Machine& machine, State& state, const AbstractValue& exception,
                       const nb::object& types);

// How an exception leaves the program: its type as Diagnostic::exception_type names it, and its text as a
// Raise's format with scalars.
struct Departure {
  std::string type;  // with "(int)" and the like behind it when its argument is no str
  std::string format;
  std::vector<ValueId> scalars;
  ResultTree attributes = {};  // as of Raise; border/result_tree adds them
};
Departure departure_of(Machine& machine, State& state, const AbstractValue& exception);

// Its `args`, as they are now.
AbstractValue arguments_of_exception(const State& state, const AbstractValue& exception);

// "ValueError", or "package.module:Name" for classes that are not builtin.
std::string exception_name(nb::handle type);

// A format (see Raise) that gives exactly this text.
std::string literal_format(const std::string& text);

}  // namespace dycl::partial_eval
