// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/dict_items.h"

#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/instantiate.h"
#include "partial_eval/language/list_items.h"
#include "partial_eval/language/text.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

std::optional<AbstractValue> find_item(const Machine& machine, const State& state, const AbstractValue& dict,
                                       const nb::object& key) {
  if (const auto* object = state.heap.get<DictObject>(dict)) {
    const auto found = object->find(key);
    if (!found) return std::nullopt;
    return current(state, object->entries[*found].second);
  }
  for (const nb::object& candidate : keys_of(state, dict)) refuse_own_key(machine, state, candidate);
  PyObject* found = PyDict_GetItemWithError(dict.constant()->ptr(), key.ptr());
  if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (found == nullptr) return std::nullopt;
  return current(state, known(nb::borrow(found)));
}

AbstractValue default_factory_of(const State& state, const AbstractValue& dict) {
  if (const auto* object = state.heap.get<DictObject>(dict)) return object->default_factory;
  if (!has_attribute(*dict.constant(), "default_factory")) return {};
  return known(dict.constant()->attr("default_factory"));
}

// What a Counter gives for a key that it lacks; unbound: another class, or a __missing__ of its own.
AbstractValue missing_count(const State& state, const AbstractValue& dict) {
  const auto* object = state.heap.get<DictObject>(dict);
  const nb::object type = object != nullptr ? object->type : type_of_live(*dict.constant());
  const nb::object counter = library_object("collections", "Counter");
  if (!is_subtype(type, counter)) return {};
  return type_attribute(type, "__missing__").is(counter.attr("__missing__")) ? known_int(0) : AbstractValue();
}

// The number's place among the keys that are numbers, as an int; their count if it is none of them.
ScalarValue place_among(Machine& machine, State& state, const AbstractValue& number,
                        const std::vector<nb::object>& keys) {
  AbstractValue place =
      convert_number(machine, state, known_int(static_cast<std::int64_t>(keys.size())), ScalarKind::I64);
  for (std::size_t index = 0; index < keys.size(); ++index) {
    const AbstractValue same =
        host_number(machine, state, HostOp::Eq, {number, known(keys[index])}, ScalarKind::Bool);
    place = host_number(machine, state, HostOp::Select,
                        {same, known_int(static_cast<std::int64_t>(index)), place}, ScalarKind::I64);
  }
  return *place.scalar();
}

// A number that depends on the input, and the numbers by which it chooses an entry of a dict.
struct Choice {
  AbstractValue number;
  std::vector<nb::object> numbers;
  std::vector<AbstractValue> values;
};

// A str, or a member of an enumeration of texts.
bool is_text(nb::handle key) {
  const PyTypeObject* type = Py_TYPE(key.ptr());
  return PyUnicode_Check(key.ptr()) && type->tp_hash == PyUnicode_Type.tp_hash &&
         type->tp_richcompare == PyUnicode_Type.tp_richcompare;
}

std::optional<Choice> choice_by_number(const State& state, const AbstractValue& dict,
                                       const AbstractValue& key) {
  if (key.scalar() == nullptr) return std::nullopt;
  Choice choice{key, {}, {}};
  for (const auto& [candidate, value] : dict_entries(state, dict)) {
    const AbstractValue number = as_plain_number(known(candidate));
    if (!number_kind(number) && !equals_no_number(candidate)) return std::nullopt;
    if (!number_kind(number)) continue;
    choice.numbers.push_back(*number.constant());
    choice.values.push_back(value);
  }
  return choice;
}

// f"expert_{n}" chooses among the keys that are such texts.
std::optional<Choice> choice_by_text(const State& state, const AbstractValue& dict,
                                     const AbstractValue& key) {
  const auto* text = state.heap.get<TextObject>(key);
  const auto around = text == nullptr ? std::nullopt : text_around_integer(*text);
  if (!around) return std::nullopt;
  Choice choice{text->scalars.front(), {}, {}};
  for (const auto& [candidate, value] : dict_entries(state, dict)) {
    const bool equals_no_text = number_kind(as_plain_number(known(candidate))) || equals_no_number(candidate);
    if (!is_text(candidate) && (PyUnicode_Check(candidate.ptr()) || !equals_no_text)) return std::nullopt;
    if (!is_text(candidate)) continue;
    const auto number = integer_between(nb::cast<std::string>(candidate), around->first, around->second);
    if (!number) continue;
    choice.numbers.push_back(nb::int_(*number));
    choice.values.push_back(value);
  }
  return choice;
}

// A key that depends on the input: a switch over the keys that it may be.
Outcome chosen_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key,
                    const Choice& choice, const AbstractValue& otherwise) {
  restart_if_given_up(choice.number.scalar()->origins);
  const AbstractValue factory = default_factory_of(state, dict);
  if (!otherwise.bound() && factory.bound() && !factory.is_none())
    (void)machine.need(state, key, "a key of a defaultdict");
  Raised missing{};
  if (!otherwise.bound()) {
    Outcome made = instantiate(machine, state, nb::borrow(PyExc_KeyError), Arguments{{key}, {}});
    missing = Raised{std::get<AbstractValue>(made)};
  }
  if (choice.numbers.empty()) return otherwise.bound() ? Outcome(otherwise) : Outcome(missing);
  const ScalarValue place = place_among(machine, state, choice.number, choice.numbers);
  const auto taken = [&](State& child, std::size_t index) { return current(child, choice.values[index]); };
  Outcome outcome = switch_over(machine, state, place, choice.numbers.size(), taken, missing);
  if (auto* forked = std::get_if<Forked>(&outcome); forked != nullptr && otherwise.bound()) {
    forked->children.back().raised.reset();
    forked->children.back().result = otherwise;
  }
  return outcome;
}

}  // namespace

Outcome dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key,
                  const AbstractValue& given) {
  const AbstractValue otherwise = given.bound() ? given : missing_count(state, dict);
  if (const auto choice = choice_by_number(state, dict, key))
    return chosen_item(machine, state, dict, key, *choice, otherwise);
  if (const auto choice = choice_by_text(state, dict, key))
    return chosen_item(machine, state, dict, key, *choice, otherwise);
  const nb::object known_key = hashable(machine, state, key, kKeyRole);
  if (auto found = find_item(machine, state, dict, known_key)) return *found;
  if (otherwise.bound()) return otherwise;
  const AbstractValue factory = default_factory_of(state, dict);
  if (factory.bound() && !factory.is_none())
    return call_prelude(machine, state, "default_item", Arguments{{dict, known(known_key), factory}, {}});
  throw_python(PyExc_KeyError, known_key);
}

std::optional<Outcome> item_or_missing(Machine& machine, State& state, const nb::object& live,
                                       const AbstractValue& key) {
  const bool has_own = PyDict_Check(live.ptr()) && is_user_method(type_of_live(live), "__missing__") &&
                       !is_user_method(type_of_live(live), "__getitem__");
  if (!has_own) return std::nullopt;
  const nb::object known_key = hashable(machine, state, key, kKeyRole);
  if (auto found = find_item(machine, state, known(live), known_key)) return *found;
  return call_special(machine, state, known(live), "__missing__", Arguments{{known(known_key)}, {}});
}

Outcome set_dict_item(Machine& machine, State& state, const AbstractValue& dict, const AbstractValue& key,
                      const AbstractValue& value) {
  const nb::object known_key = hashable(machine, state, key, kKeyRole);
  const ObjectRef ref = writable(machine, state, dict);
  const auto found = state.heap.get<DictObject>(ref)->find(known_key);
  auto& entries = state.heap.edit_as<DictObject>(ref).entries;
  if (found) {
    entries[*found].second = value;
  } else {
    entries.emplace_back(known_key, value);
  }
  return known_none();
}

Outcome delete_dict_item(Machine& machine, State& state, const AbstractValue& dict,
                         const AbstractValue& key) {
  const nb::object known_key = hashable(machine, state, key, kKeyRole);
  const ObjectRef ref = writable(machine, state, dict);
  const auto found = state.heap.get<DictObject>(ref)->find(known_key);
  if (!found) throw_python(PyExc_KeyError, known_key);
  auto& entries = state.heap.edit_as<DictObject>(ref).entries;
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(*found));
  return known_none();
}

}  // namespace dycl::partial_eval
