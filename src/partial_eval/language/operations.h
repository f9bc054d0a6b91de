// SPDX-License-Identifier: Apache-2.0
// Python's operations on abstract values. Each file below implements one group.
#pragma once

#include "partial_eval/machine/machine.h"
#include "partial_eval/static_calls/listing.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

// numbers.cpp, operators.cpp
Outcome unary(Machine& machine, State& state, program::Operation operation, const AbstractValue& operand);
Outcome binary(Machine& machine, State& state, program::Operation operation, bool inplace,
               const AbstractValue& left, const AbstractValue& right);
Outcome compare(Machine& machine, State& state, program::Operation operation, const AbstractValue& left,
                const AbstractValue& right);
AbstractValue is_same(Machine& machine, State& state, const AbstractValue& left, const AbstractValue& right);
Outcome contains(Machine& machine, State& state, const AbstractValue& element,
                 const AbstractValue& container);
// The special method is written in Python and must be run by the machine. torch.Tensor has such methods too,
// but they are torch's business.
bool has_python_method(const Machine& machine, const State& state, const AbstractValue& value,
                       const char* special);
// A known bool or a ScalarValue of kind Bool; Pushed with `on_return` when a method of the user's decides.
Outcome truth(Machine& machine, State& state, const AbstractValue& value,
              OnReturn on_return = OnReturn::Truth);

// attributes.cpp
Outcome get_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name);
Outcome set_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name,
                 const AbstractValue& value);
Outcome delete_attr(Machine& machine, State& state, const AbstractValue& object, const std::string& name);
// type(value): always known.
nb::object type_of(Machine& machine, const State& state, const AbstractValue& value);
// Refuses a special method that is neither a function nor C: a partialmethod, a descriptor of the user's.
void refuse_odd_special(const Machine& machine, const State& state, nb::handle type, const char* name);
// Looks a special method up on the type, as Python does, and calls it with `self` bound; nullopt: the type
// has none.
std::optional<Outcome> call_special(Machine& machine, State& state, const AbstractValue& self,
                                    const char* name, Arguments arguments,
                                    OnReturn on_return = OnReturn::Store);

// items.cpp
Outcome get_item(Machine& machine, State& state, const AbstractValue& container, const AbstractValue& key);
Outcome set_item(Machine& machine, State& state, const AbstractValue& container, const AbstractValue& key,
                 const AbstractValue& value);
Outcome delete_item(Machine& machine, State& state, const AbstractValue& container, const AbstractValue& key);
Outcome length(Machine& machine, State& state, const AbstractValue& container);
// The heap twin of a live list, dict, set or instance, made at the first write.
ObjectRef twin_of(Machine& machine, State& state, const nb::object& live);
// What a value stands for now: a live object that was written to becomes its twin.
AbstractValue current(const State& state, const AbstractValue& value);

// iteration.cpp
Outcome get_iter(Machine& machine, State& state, const AbstractValue& iterable);
// One step of a native iterator: the element, or nullopt at the end. Generators are the machine's.
std::optional<AbstractValue> next_of(Machine& machine, State& state, ObjectRef iterator);
// Whether it has a next element depends on the input: split_next makes two paths of it, of which the first
// has the element as its result.
bool is_dynamic_iterator(const State& state, ObjectRef iterator);
Forked split_next(Machine& machine, State& state, ObjectRef iterator);
// next(iterator), next(iterator, otherwise).
Outcome next_outcome(Machine& machine, State& state, ObjectRef iterator, const AbstractValue& otherwise);
// The elements of an iterable that needs no code of the user's to walk (lists, tuples, dicts, ranges,
// tensors, native iterators, which are then exhausted); nullopt: run prelude's `to_list` first (see
// need_elements).
std::optional<std::vector<AbstractValue>> elements_of(Machine& machine, State& state,
                                                      const AbstractValue& iterable);
// elements_of, or calls prelude.to_list so that operand `operand` is a list when the instruction runs again.
std::variant<std::vector<AbstractValue>, Outcome> need_elements(Machine& machine, State& state,
                                                                const AbstractValue& iterable,
                                                                std::uint32_t operand);

// call.cpp
Outcome call(Machine& machine, State& state, const AbstractValue& callee, Arguments arguments,
             OnReturn on_return = OnReturn::Store, AbstractValue kept = {});
// Calls a function of prelude/ by name.
Outcome call_prelude(Machine& machine, State& state, const char* name, Arguments arguments,
                     OnReturn on_return = OnReturn::Store, std::uint32_t operand = 0);

// instantiate.cpp: classes
Outcome instantiate(Machine& machine, State& state, const nb::object& type, Arguments arguments);
Outcome make_super(Machine& machine, State& state, const AbstractValue& type, const AbstractValue& self);

// natives.cpp: builtin functions and types that the machine models itself; nullopt: not one of them.
std::optional<Outcome> call_native(Machine& machine, State& state, const nb::object& callee,
                                   Arguments& arguments);
// native_methods.cpp: list.append, dict.get … on abstract or live containers.
Outcome call_native_method(Machine& machine, State& state, const AbstractValue& self, const std::string& name,
                           Arguments& arguments);
// Whether the type of `self` has a native method of that name.
bool has_native_method(const Machine& machine, const State& state, const AbstractValue& self,
                       const std::string& name);

// An operator (`__and__`, `__eq__`) on the keys of dicts; nullopt: neither operand is a view of a dict.
std::optional<Outcome> view_operator(Machine& machine, State& state, const char* special,
                                     const AbstractValue& left, const AbstractValue& right);

// static_call.cpp: refuses a function or class of a library that works on files, threads, the clock …
void refuse_outside_world(Machine& machine, const State& state, const nb::object& callee);
// By CPython itself, when everything is known, the callable is listed and may have what it is given; nullopt:
// otherwise. `withheld` then says which argument it may not have, if that was the reason.
std::optional<Outcome> try_static(Machine& machine, State& state, const nb::object& callee,
                                  const Arguments& arguments, std::string* withheld = nullptr);
// As try_static, or refuses.
Outcome call_static(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments);
[[noreturn]] void refuse_unlisted(const Machine& machine, const State& state, nb::handle callee,
                                  Unlisted why);
[[noreturn]] void refuse_wrong_listing(const Machine& machine, const State& state, nb::handle callee,
                                       const std::string& changed);
// model.eval() of a model in evaluation, layer.to(dtype) of a layer that has it: the module as it is.
std::optional<AbstractValue> unchanged_module(Machine& machine, State& state, const nb::object& callee,
                                              const Arguments& arguments);

// leaf.cpp: torch
Outcome call_leaf(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments);
// item(), bool(), int(), float(), tolist() of a tensor that depends on the input.
Outcome read_tensor(Machine& machine, State& state, const AbstractValue& tensor, const std::string& kind);

// numbers.cpp
bool is_number(const Machine& machine, const AbstractValue& value);  // int, float, bool; known or scalar
// The scalar as an SSA value in the current block; known numbers become constants.
ValueId scalar_id(Machine& machine, State& state, const AbstractValue& number);
AbstractValue convert_number(Machine& machine, State& state, const AbstractValue& number, ScalarKind kind);

// exceptions.cpp
Outcome raise_value(Machine& machine, State& state, const AbstractValue& exception,
                    const AbstractValue& cause);
bool exception_matches(Machine& machine, State& state, const AbstractValue& exception,
                       const nb::object& types);

}  // namespace dycl::partial_eval
