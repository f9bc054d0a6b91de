// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/matching.h"

#include <fmt/format.h>

#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/items.h"
#include "partial_eval/language/operators.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

bool type_has_flag(Machine& machine, State& state, const AbstractValue& subject, unsigned long flag) {
  const nb::object type = type_of(machine, state, subject);
  return (reinterpret_cast<PyTypeObject*>(type.ptr())->tp_flags & flag) != 0;
}

// Builtin types whose only positional sub-pattern is the subject itself.
bool matches_itself(const nb::object& type) {
  const nb::module_ builtins = nb::module_::import_("builtins");
  for (const char* name :
       {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"})
    if (type.is(builtins.attr(name))) return true;
  return false;
}

}  // namespace

Outcome match_sequence(Machine& machine, State& state, const AbstractValue& subject) {
  return known_bool(type_has_flag(machine, state, subject, Py_TPFLAGS_SEQUENCE));
}

Outcome match_mapping(Machine& machine, State& state, const AbstractValue& subject) {
  return known_bool(type_has_flag(machine, state, subject, Py_TPFLAGS_MAPPING));
}

Outcome match_keys(Machine& machine, State& state, const AbstractValue& subject, const AbstractValue& keys) {
  std::vector<AbstractValue> values;
  for (const char* name : {"get", "__getitem__", "__contains__"})
    if (is_user_method(type_of(machine, state, subject), name))
      machine.refuse(state, "python.match_mapping",
                     fmt::format("a mapping pattern meets a mapping with a {} of its own", name),
                     "match on a dict");
  for (const nb::handle key :
       nb::cast<nb::tuple>(machine.need(state, keys, "the keys of a mapping pattern"))) {
    const AbstractValue known_key = known(nb::borrow(key));
    Outcome present = contains(machine, state, known_key, subject);
    const auto* found = std::get_if<AbstractValue>(&present);
    if (found == nullptr || found->constant() == nullptr)
      machine.refuse(state, "python.match_mapping", "a mapping pattern meets a mapping that is not a dict",
                     "match on a dict");
    if (found->constant()->ptr() != Py_True) return known_none();
    Outcome value = get_item(machine, state, subject, known_key);
    if (!std::holds_alternative<AbstractValue>(value)) return value;
    values.push_back(std::get<AbstractValue>(std::move(value)));
  }
  return make_tuple(machine, state, std::move(values));
}

Outcome match_class(Machine& machine, State& state, const AbstractValue& subject, const AbstractValue& type,
                    const program::Instruction& instruction) {
  const nb::object wanted = machine.need(state, type, "the class of a pattern");
  if (const nb::object check = python_method(wanted.type(), "__instancecheck__");
      check.is_valid() && !is_library(check))
    machine.refuse(state, "python.instance_check",
                   full_name_of(wanted) + " decides itself what its instances are",
                   "match a plain class, and ask isinstance() in a guard");
  Arguments question{{subject, type}, {}};
  auto answer =
      machine.builtins.call(machine, state, nb::module_::import_("builtins").attr("isinstance"), question);
  const auto* is_instance = answer ? std::get_if<AbstractValue>(&*answer) : nullptr;
  if (is_instance == nullptr || is_instance->constant() == nullptr)
    internal_error("isinstance gave no answer");
  if (is_instance->constant()->ptr() != Py_True) return known_none();
  std::vector<std::string> names;
  std::vector<AbstractValue> values;
  if (instruction.index == 1 && matches_itself(wanted)) {
    values.push_back(subject);
  } else if (instruction.index > 0) {
    const nb::object positional = nb::getattr(wanted, "__match_args__", nb::tuple());
    if (nb::len(positional) < instruction.index)
      return machine.raise(PyExc_TypeError, nb::cast<std::string>(wanted.attr("__name__")) + "() accepts " +
                                                std::to_string(nb::len(positional)) +
                                                " positional sub-patterns (" +
                                                std::to_string(instruction.index) + " given)");
    for (std::uint32_t index = 0; index < instruction.index; ++index)
      names.push_back(nb::cast<std::string>(positional[index]));
  }
  names.insert(names.end(), instruction.names.begin(), instruction.names.end());
  for (const std::string& name : names) {
    Outcome value = get_attr(machine, state, subject, name);
    if (std::holds_alternative<Raised>(value)) return known_none();  // no such attribute
    if (!std::holds_alternative<AbstractValue>(value))
      machine.refuse(state, "python.match_property", "a class pattern reads the property " + name,
                     "match on plain attributes");
    values.push_back(std::get<AbstractValue>(std::move(value)));
  }
  return make_tuple(machine, state, std::move(values));
}

}  // namespace dycl::partial_eval
