// SPDX-License-Identifier: Apache-2.0
// Arrays of numpy. A live one is never written to: the first write makes a twin on the heap, which belongs to
// the path. Where a view of an array exists neither is written to, for the other would have to follow.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// A live array, or one that the program has written to.
bool is_any_array(const State& state, const AbstractValue& value);
// An array as it is now, for somebody who reads it at once; anything else as it is.
AbstractValue as_read(const State& state, const AbstractValue& value);
// Somebody holds a part of the array that shares its memory, or walks over it.
void note_view(Machine& machine, State& state, const AbstractValue& array);

Outcome array_attribute(Machine& machine, State& state, const AbstractValue& array, const std::string& name);
Outcome array_method(Machine& machine, State& state, const AbstractValue& array, const std::string& name,
                     const Arguments& arguments);
// Calls a function that writes to the array at that place of the arguments, or to the keyword `out`.
Outcome write_array(Machine& machine, State& state, const nb::object& function, const Arguments& arguments,
                    std::optional<std::size_t> place);

// What is written to the array depends on the input: it becomes an object of the prelude (arrays.py).
void become_dynamic(Machine& machine, State& state, const AbstractValue& array, const AbstractValue& made);

}  // namespace dycl::partial_eval
