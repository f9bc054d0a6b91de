// SPDX-License-Identifier: Apache-2.0
// Live objects are never written: the first write makes a twin on the heap, which is read from then on.
#pragma once

#include <string>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The heap twin of a live list, dict, set or instance, made at the first write.
ObjectRef twin_of(Machine& machine, State& state, const nb::object& live);

// The object was written to, and is not a dict that holds again what it held before.
bool is_written(const State& state, nb::handle live);

// What the twin of a live list, dict, set, deque or instance is at first.
Object contents_of_live(Machine& machine, State& state, const nb::object& live);

// Holds other objects, and can be changed: a list, dict, set or deque, or an array.
bool is_live_container(nb::handle live);
bool is_live_deque(nb::handle live);

// What a live object itself holds under a name: in its __dict__, in a slot, or in the tables of a module;
// null: nothing.
nb::object held_attribute(const Machine& machine, const nb::object& owner, const std::string& name);

// The tables of a layer that torch.nn.Module changes where an attribute is set to the value (unbound:
// deleted): those to which the value is added, and those that have the name already.
std::vector<const char*> tables_of_written(const Machine& machine, const State& state,
                                           const nb::object& layer, const std::string& name,
                                           const AbstractValue& value);

// Refuses a live key whose class defines how it is hashed or compared: CPython would run that code unseen.
void refuse_own_key(const Machine& machine, const State& state, nb::handle key);

}  // namespace dycl::partial_eval
