// SPDX-License-Identifier: Apache-2.0
// What the models of Python's builtins share. A python_error that they let out is what the program raises.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "partial_eval/language/operations.h"

namespace dycl::partial_eval {

struct NativeCall {
  Machine& machine;
  State& state;
  const nb::object& callee;
  Arguments& arguments;

  [[nodiscard]] std::size_t count() const { return arguments.positional.size(); }
  [[nodiscard]] const AbstractValue& at(std::size_t index) const { return arguments.positional[index]; }
  [[nodiscard]] bool plain(std::size_t least, std::size_t most) const {  // no keywords, so many positional
    return arguments.keywords.empty() && count() >= least && count() <= most;
  }
  // Unbound where it is not given.
  [[nodiscard]] AbstractValue named(std::size_t index, std::string_view name) const {
    if (index < count()) return at(index);
    for (const auto& [keyword, value] : arguments.keywords)
      if (keyword == name) return value;
    return {};
  }
  // Every argument is a live object that the program has not written to.
  [[nodiscard]] bool all_known() const;
};

// nullopt: the call is left to CPython, to a model of the prelude, or to inlining.
using Native = std::optional<Outcome> (*)(NativeCall& call);

class NativeTable {
 public:
  // "builtins.len", "torch.compiler.is_compiling"; names that this version lacks are skipped.
  void add(const char* module, std::string_view names, Native native);
  [[nodiscard]] Native find(nb::handle callable) const;

 private:
  std::unordered_map<PyObject*, Native> natives_;
};

// One per file natives_*.cpp.
void add_container_natives(NativeTable& table);
void add_library_natives(NativeTable& table);
void add_number_natives(NativeTable& table);
void add_sequence_natives(NativeTable& table);
void add_text_natives(NativeTable& table);
void add_type_natives(NativeTable& table);

// A live object, or the error that CPython set.
nb::object owned(PyObject* object);
[[noreturn]] void throw_python(PyObject* type, const std::string& message);
[[noreturn]] void throw_python(PyObject* type, const nb::object& argument);

std::string type_name(Machine& machine, const State& state, const AbstractValue& value);
// The type's method of that name is Python code of the user's, not of Python's or torch's own libraries.
bool is_user_method(nb::handle type, const char* name);

AbstractValue known_int(std::int64_t number);
// An int that is known, or what has __index__; nullopt: it is not one, or not known.
std::optional<std::int64_t> known_index(const AbstractValue& value);
// A live tensor or a tensor of the heap.
bool is_any_tensor(const Machine& machine, const State& state, const AbstractValue& value);
// A number that depends on the input, with a tensor read as Python's __index__ reads it.
std::optional<ScalarValue> dynamic_index(Machine& machine, State& state, const AbstractValue& value);
// The known numbers of which states that met gave one up are needed after all.
void restart_if_given_up(const Origins& origins);
// A handler of the program may catch what is raised here.
bool may_be_caught(const State& state);

// Heap list, tuple or dict of a value that is one, also when it is live; its elements as they are now.
bool is_list(const State& state, const AbstractValue& value);
bool is_dict(const State& state, const AbstractValue& value);
bool is_set(const State& state, const AbstractValue& value);  // or frozenset
std::vector<AbstractValue> list_items(const State& state, const AbstractValue& list);
std::vector<std::pair<nb::object, AbstractValue>> dict_entries(const State& state, const AbstractValue& dict);
std::vector<nb::object> set_items(const State& state, const AbstractValue& set);  // in CPython's order
std::size_t dict_size(const State& state, const AbstractValue& dict);
AbstractValue new_list(State& state, std::vector<AbstractValue> items);
AbstractValue new_tuple(Machine& machine, State& state, std::vector<AbstractValue> items);
AbstractValue new_dict(State& state);
// The object to write to: the value's own, or the twin of the live one.
ObjectRef writable(Machine& machine, State& state, const AbstractValue& container);

// A live key whose class defines how it is hashed or compared: CPython would run that code unseen.
void refuse_own_key(const Machine& machine, const State& state, nb::handle key);
std::vector<nb::object> keys_of(const State& state, const AbstractValue& container);  // of a dict or set
// A key of a dict or an element of a set: known and hashable.
nb::object hashable(Machine& machine, State& state, const AbstractValue& key, const char* role);

// A view of a dict (keys, values, items) is an instance of Python's own type that holds the dict.
AbstractValue make_view(State& state, const AbstractValue& dict, const std::string& kind);
struct DictView {
  AbstractValue dict;
  std::string kind;  // "keys", "values", "items"
};
std::optional<DictView> view_of(const State& state, const AbstractValue& value);

// dict[key]; `otherwise` bound: given instead of a KeyError, without a default factory.
Outcome dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key,
                  const AbstractValue& otherwise = {});

// Ends the block with a switch over an int that depends on the input: case i of n calls taken(child, i), a
// number outside -n … n-1 raises.
Outcome switch_over(Machine& machine, State& state, const ScalarValue& index, std::size_t cases,
                    const std::function<AbstractValue(State&, std::size_t)>& taken, const Raised& outside);

// Methods of one kind of container each; nullopt: not modelled.
std::optional<Outcome> list_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments);
std::optional<Outcome> sequence_method(Machine& machine, State& state, ObjectRef self,
                                       const std::string& name, Arguments& arguments);
std::optional<Outcome> dict_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments);
std::optional<Outcome> set_method(Machine& machine, State& state, const AbstractValue& self,
                                  const std::string& name, Arguments& arguments);
std::optional<Outcome> text_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments);

// Sequences whose length depends on the path.
Outcome sequence_length(Machine& machine, State& state, const SequenceObject& sequence);
Outcome sequence_at(Machine& machine, State& state, const SequenceObject& sequence,
                    const AbstractValue& index);
// Of an index that is known to be in range.
AbstractValue sequence_element(Machine& machine, State& state, const SequenceObject& sequence,
                               const AbstractValue& index);
[[noreturn]] void refuse_sequence(Machine& machine, const State& state, const SequenceObject& sequence,
                                  const std::string& use);

}  // namespace dycl::partial_eval
