// SPDX-License-Identifier: Apache-2.0
// Lists, dicts, sets and views of dicts as they are now, live or made during the run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Heap list, tuple or dict of a value that is one, also when it is live; its elements as they are now.
bool is_list(const State& state, const AbstractValue& value);
bool is_any_list(const State& state, const AbstractValue& value);  // also one of run-time length
bool is_dict(const State& state, const AbstractValue& value);
bool is_set(const State& state, const AbstractValue& value);  // or frozenset
// A dict of which a copy holds the same entries, whether or not CPython asks the methods of its class.
bool is_copied_at_once(const State& state, const AbstractValue& value);
std::vector<AbstractValue> list_items(const State& state, const AbstractValue& list);
std::vector<std::pair<nb::object, AbstractValue>> dict_entries(const State& state, const AbstractValue& dict);
std::vector<nb::object> set_items(const State& state, const AbstractValue& set);  // in CPython's order
const nb::object& set_contents(const State& state, const AbstractValue& set);     // not to be changed
// Makes sure that the order of a set is known: throws Restart if meetings gave it up, and refuses if nobody
// knows it.
void need_order(const Machine& machine, const State& state, const AbstractValue& set);
// Makes the value of a new live set or frozenset. Its order is known if the orders of all sets are that it is
// made of.
AbstractValue new_set(State& state, const nb::object& contents, std::span<const AbstractValue> made_of = {});
void add_disorder(const State& state, SetObject& set, const AbstractValue& other);
std::size_t dict_size(const State& state, const AbstractValue& dict);
AbstractValue new_list(State& state, std::vector<AbstractValue> items);
AbstractValue new_tuple(Machine& machine, State& state, std::vector<AbstractValue> items);
AbstractValue new_dict(State& state);
// The object to write to: the value's own, or the twin of the live one.
ObjectRef writable(Machine& machine, State& state, const AbstractValue& container);

std::vector<nb::object> keys_of(const State& state, const AbstractValue& container);  // of a dict or set
// A key of a dict or an element of a set: known and hashable.
nb::object hashable(Machine& machine, State& state, const AbstractValue& key, const char* role);
// What hashable() says of a key that it refuses.
inline constexpr const char* kKeyRole = "a key of a dict";

// A view of a dict (keys, values, items) is an instance of Python's own type that holds the dict.
AbstractValue make_view(State& state, const AbstractValue& dict, const std::string& kind);
struct DictView {
  AbstractValue dict;
  std::string kind;  // "keys", "values", "items"
};
std::optional<DictView> view_of(const State& state, const AbstractValue& value);

}  // namespace dycl::partial_eval
