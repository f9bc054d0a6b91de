// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/dict_methods.h"

#include "partial_eval/data/containers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/dict_items.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

std::vector<std::pair<nb::object, AbstractValue>>& entries_of(State& state, ObjectRef dict) {
  return state.heap.edit_as<DictObject>(dict).entries;
}

std::optional<std::size_t> place_of(Machine& machine, State& state, const AbstractValue& dict,
                                    const AbstractValue& key) {
  const nb::object known_key = hashable(machine, state, key, kKeyRole);
  return state.heap.get<DictObject>(writable(machine, state, dict))->find(known_key);
}

AbstractValue take(State& state, ObjectRef dict, std::size_t place) {
  auto& entries = entries_of(state, dict);
  const AbstractValue value = current(state, entries[place].second);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(place));
  return value;
}

Outcome pop_key(Machine& machine, State& state, const AbstractValue& self, const Arguments& arguments) {
  const AbstractValue& key = arguments.positional[0];
  if (const auto place = place_of(machine, state, self, key))
    return take(state, writable(machine, state, self), *place);
  if (arguments.positional.size() == 2) return arguments.positional[1];
  throw_python(PyExc_KeyError, hashable(machine, state, key, kKeyRole));
}

Outcome pop_item(Machine& machine, State& state, const AbstractValue& self, const Arguments& arguments) {
  const ObjectRef ref = writable(machine, state, self);
  const DictObject& dict = *state.heap.get<DictObject>(ref);
  const std::string name = reinterpret_cast<PyTypeObject*>(dict.type.ptr())->tp_name;
  if (dict.entries.empty())
    throw_python(PyExc_KeyError,
                 nb::str(name == "dict" ? "popitem(): dictionary is empty" : "dictionary is empty"));
  bool last = true;
  if (!arguments.positional.empty())
    last =
        nb::cast<bool>(nb::bool_(machine.need(state, arguments.positional[0], "the argument of popitem()")));
  const std::size_t place = last ? dict.entries.size() - 1 : 0;
  const AbstractValue key = known(dict.entries[place].first);
  const AbstractValue value = take(state, ref, place);
  return new_tuple(machine, state, {key, value});
}

Outcome move_to_end(Machine& machine, State& state, const AbstractValue& self, const Arguments& arguments) {
  const auto place = place_of(machine, state, self, arguments.positional[0]);
  if (!place) throw_python(PyExc_KeyError, hashable(machine, state, arguments.positional[0], kKeyRole));
  AbstractValue last = arguments.positional.size() == 2 ? arguments.positional[1] : known_bool(true);
  if (!arguments.keywords.empty()) last = arguments.keywords[0].second;
  const nb::object at_end = machine.need(state, last, "the argument of move_to_end()");
  auto& entries = entries_of(state, writable(machine, state, self));
  const auto entry = entries[*place];
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(*place));
  entries.insert(PyObject_IsTrue(at_end.ptr()) == 1 ? entries.end() : entries.begin(), entry);
  return known_none();
}

// update(): entries of another dict, and keywords; other mappings and pairs are the prelude's.
std::optional<Outcome> update(Machine& machine, State& state, const AbstractValue& self,
                              const Arguments& arguments) {
  const ObjectRef ref = writable(machine, state, self);
  if (!arguments.positional.empty()) {
    const AbstractValue other = current(state, arguments.positional[0]);
    if (!is_copied_at_once(state, other)) {
      Arguments filled = arguments;
      filled.positional.insert(filled.positional.begin(), ref);
      return call_prelude(machine, state, "update_dict", std::move(filled));
    }
    for (const auto& [key, value] : dict_entries(state, other))
      (void)set_dict_item(machine, state, ref, known(key), value);
  }
  for (const auto& [name, value] : arguments.keywords)
    (void)set_dict_item(machine, state, ref, known(nb::str(name.c_str())), value);
  return known_none();
}

Outcome copied(State& state, const AbstractValue& self) {
  DictObject copy{dict_entries(state, self), {}, {}};
  if (const auto* dict = state.heap.get<DictObject>(self)) {
    copy.type = dict->type;
    copy.default_factory = dict->default_factory;
  } else {
    copy.type = nb::borrow(self.constant()->type());
    if (has_attribute(*self.constant(), "default_factory"))
      copy.default_factory = known(self.constant()->attr("default_factory"));
  }
  return state.make(std::move(copy));
}

Outcome set_default(Machine& machine, State& state, const AbstractValue& self, const Arguments& arguments) {
  const AbstractValue& key = arguments.positional[0];
  if (const auto place = place_of(machine, state, self, key))
    return current(state, state.heap.get<DictObject>(writable(machine, state, self))->entries[*place].second);
  const AbstractValue value = arguments.positional.size() == 2 ? arguments.positional[1] : known_none();
  (void)set_dict_item(machine, state, self, key, value);
  return value;
}

}  // namespace

std::optional<Outcome> dict_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments) {
  const std::size_t count = arguments.positional.size();
  if (name == "update" && count <= 1) return update(machine, state, self, arguments);
  if (name == "move_to_end" && count >= 1) return move_to_end(machine, state, self, arguments);
  if (!arguments.keywords.empty()) return std::nullopt;
  if (name == "get" && (count == 1 || count == 2)) {
    const AbstractValue otherwise = count == 2 ? arguments.positional[1] : known_none();
    return dict_item(machine, state, self, machine.refined(state, arguments.positional[0]), otherwise);
  }
  if ((name == "keys" || name == "values" || name == "items") && count == 0)
    return make_view(state, self, name);
  if (name == "pop" && (count == 1 || count == 2)) return pop_key(machine, state, self, arguments);
  const bool is_ordered =
      is_subtype(type_of(machine, state, self), library_object("collections", "OrderedDict"));
  if (name == "popitem" && count == 1 && !is_ordered)
    return machine.raise(PyExc_TypeError, "dict.popitem() takes no arguments (1 given)");
  if (name == "popitem" && count <= 1) return pop_item(machine, state, self, arguments);
  if (name == "setdefault" && (count == 1 || count == 2)) return set_default(machine, state, self, arguments);
  if (name == "copy" && count == 0) return copied(state, self);
  if (name == "clear" && count == 0) {
    entries_of(state, writable(machine, state, self)).clear();
    return known_none();
  }
  return std::nullopt;
}

}  // namespace dycl::partial_eval
