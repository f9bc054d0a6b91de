// SPDX-License-Identifier: Apache-2.0
// Instances of classes that derive from dict, OrderedDict or list: Python code of the class is followed as
// for any instance, and what the builtin base holds is a dict or list of the heap inside of it.
#pragma once

#include <optional>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Makes an instance without calling __init__; with an empty dict or list inside, where the class derives from
// one.
AbstractValue make_instance(State& state, const nb::object& type);

// CPython fills an OrderedDict by the methods of its class.
void refuse_own_writes(const Machine& machine, const State& state, nb::handle type);

// Says whether such an instance can be made: nothing of the class but its methods differs from the builtin
// base.
bool derives_from_container(nb::handle type);

// The dict or list inside of the instance; unbound: it has none.
AbstractValue inner_container(const State& state, const AbstractValue& value);

inline bool is_derived_container(const State& state, const AbstractValue& value) {
  return inner_container(state, value).bound();
}

// The dict or list inside of such an instance, whose operators are those of the base; others as they are.
AbstractValue as_container(const State& state, const AbstractValue& value);

// `|` and copy() of an OrderedDict give another object of the instance's own class; those of a dict whose
// class walks it in a way of its own ask its keys().
bool is_copied_by_class(Machine& machine, State& state, const AbstractValue& value);

// dict.__setitem__, list.append … called with such an instance as the first argument; nullopt: not one of
// them.
std::optional<Outcome> call_container_method(Machine& machine, State& state, const nb::object& callee,
                                             const Arguments& arguments);

// dict.__init__ or list.__init__, after which the call gives `result`.
Outcome fill_container(Machine& machine, State& state, const AbstractValue& container, Arguments arguments,
                       const AbstractValue& result);

}  // namespace dycl::partial_eval
