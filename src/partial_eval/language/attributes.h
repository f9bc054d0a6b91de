// SPDX-License-Identifier: Apache-2.0
// The parts of Python's attribute protocol that attributes.cpp, heap_attributes.cpp, set_attributes.cpp,
// object_methods.cpp and instantiate.cpp share.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/language/operations.h"

namespace dycl::partial_eval {

// An object with attributes of its own: live, made during the run, or live and written to.
struct Receiver {
  AbstractValue self;
  nb::object type;
  nb::object live;                         // null: made during the run
  const InstanceObject* object = nullptr;  // what the heap knows of it; valid until it is edited
};
// nullopt: a number, a container, a function made during the run …
std::optional<Receiver> receiver_of(const State& state, const AbstractValue& value);
// What was written to it during the run: unbound where it was deleted, null where nothing was. Throws Restart
// where states that met have forgotten it.
const AbstractValue* written_attribute(const Receiver& receiver, const std::string& name);

// The protocol of object.__getattribute__, then the class's __getattr__.
Outcome instance_attribute(Machine& machine, State& state, const Receiver& receiver, const std::string& name);
// What `type.__dict__[...]` gives when it is read through an instance.
Outcome bind_descriptor(Machine& machine, State& state, const nb::object& descriptor,
                        const AbstractValue& self, const nb::object& type, const std::string& name);
// Attributes of numbers, containers, functions, iterators … that the machine models.
Outcome heap_attribute(Machine& machine, State& state, const AbstractValue& value, const std::string& name);

// As object.__setattr__ and torch.nn.Module.__setattr__ do: no __setattr__ of the user's is asked.
Outcome set_plain_attr(Machine& machine, State& state, const Receiver& receiver, const std::string& name,
                       const AbstractValue& value);
Outcome delete_plain_attr(Machine& machine, State& state, const Receiver& receiver, const std::string& name);

// object.__init__, object.__setattr__, BaseException.__init__, torch.nn.Module.__setattr__ … called with the
// instance as first argument; nullopt: not one of them.
std::optional<Outcome> call_object_method(Machine& machine, State& state, const nb::object& callee,
                                          Arguments& arguments);

Raised no_attribute(const Machine& machine, nb::handle type, const std::string& name);
AbstractValue known_text(const std::string& text);

}  // namespace dycl::partial_eval
