// SPDX-License-Identifier: Apache-2.0
// Reading attributes, by Python's protocol.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome get_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name);

// An object with attributes of its own: live, made during the run, or live and written to.
struct Receiver {
  AbstractValue self;
  nb::object type;
  nb::object live;                         // null: made during the run
  const InstanceObject* object = nullptr;  // what the heap knows of it; valid until it is edited
  const DictObject* dict = nullptr;        // its attributes, once its `__dict__` was read; likewise
};
// Returns the object whose attributes these are; nullopt for a number, a container, a function made during
// the run …
std::optional<Receiver> receiver_of(const State& state, const AbstractValue& value);
// What was written to it during the run: unbound where it was deleted, null where nothing was. Throws Restart
// where states that met have forgotten it.
const AbstractValue* written_attribute(const Receiver& receiver, const std::string& name);

// What the tables of a live layer hold under a name now; unbound: nothing.
AbstractValue registered_attribute(const State& state, const nb::object& layer, const std::string& name);
// The program wrote to one of them.
bool has_written_tables(const State& state, const nb::object& layer);

// The dict that a made object has its attributes in from now on: `__dict__`.
AbstractValue attribute_dict(Machine& machine, State& state, const Receiver& receiver);

// The protocol of object.__getattribute__, then the class's __getattr__.
Outcome instance_attribute(Machine& machine, State& state, const Receiver& receiver, const std::string& name);
// What `type.__dict__[...]` gives when it is read through an instance.
Outcome bind_descriptor(Machine& machine, State& state, const nb::object& descriptor,
                        const AbstractValue& self, const nb::object& type, const std::string& name);

// Refuses a special method that is neither a function nor C's own: a partialmethod, a descriptor of the
// user's, a function of C that the user's class borrowed.
void refuse_odd_special(const Machine& machine, const State& state, nb::handle type, const char* name);
// The function that the class has for `__getattr__`, `__setattr__` and their like: in Python, or a method of
// C that a class of the user's borrowed (`__getattr__ = dict.__getitem__`); null: it has none but C's own.
nb::object attribute_hook(const Machine& machine, const State& state, nb::handle type, const char* name);
// The program reads what a live object holds: another call may have written it.
void note_read(Machine& machine, const State& state, const nb::object& live, const std::string& name);
// Looks a special method up on the type, as Python does, and calls it with `self` bound; nullopt: the type
// has none.
std::optional<Outcome> call_special(Machine& machine, State& state, const AbstractValue& self,
                                    const char* name, Arguments arguments,
                                    OnReturn on_return = OnReturn::Store);

}  // namespace dycl::partial_eval
