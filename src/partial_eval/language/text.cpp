// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/text.h"

#include <fmt/format.h>
#include <charconv>

#include "partial_eval/data/types.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/torch/read_arguments.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

bool is_text(const State& state, const AbstractValue& value) {
  return state.heap.get<TextObject>(value) != nullptr ||
         (value.constant() != nullptr && PyUnicode_Check(value.constant()->ptr()));
}

// Its text runs no code of the user's.
bool is_shown_by_cpython(const nb::object& live) {
  if (is_atom(live) || is_plain_array(live) || is_plain_tensor(live) || PyType_Check(live.ptr())) return true;
  if (PyDict_CheckExact(live.ptr())) {
    for (const auto& [key, value] : nb::cast<nb::dict>(live))
      if (!is_shown_by_cpython(nb::borrow(key)) || !is_shown_by_cpython(nb::borrow(value))) return false;
    return true;
  }
  const bool holds =
      PyList_CheckExact(live.ptr()) || PyTuple_CheckExact(live.ptr()) || PyAnySet_CheckExact(live.ptr());
  if (!holds)
    return PyFunction_Check(live.ptr()) || PyModule_Check(live.ptr()) || PyCFunction_Check(live.ptr());
  for (const nb::handle item : live)
    if (!is_shown_by_cpython(nb::borrow(item))) return false;
  return true;
}

Outcome format_known(const nb::object& value, char conversion, const std::string& spec) {
  nb::object shown = value;
  if (conversion == 's') shown = nb::str(value);
  if (conversion == 'r') shown = nb::repr(value);
  if (conversion == 'a') shown = nb::steal(PyObject_ASCII(value.ptr()));
  const nb::object format = nb::str(spec.c_str());
  PyObject* text = PyObject_Format(shown.ptr(), format.ptr());
  if (text == nullptr) throw nb::python_error();
  return known(nb::steal(text));
}

Outcome format_scalar(Machine& machine, State& state, const ScalarValue& scalar, char conversion,
                      const std::string& spec) {
  if (conversion != 0 && !spec.empty())
    machine.refuse(state, "python.dynamic_text",
                   "a number that depends on the input is formatted with a conversion and a width",
                   "format the number itself, for example {x:.3f}");
  const std::string field = conversion == 0 ? (spec.empty() ? "{}" : "{:" + spec + "}") : "{!r}";
  return state.make(TextObject{field, {scalar}, false});
}

// Shown by a placeholder: only a dropped print or log may use it.
Outcome opaque_text(State& state) { return state.make(TextObject{"<tensor>", {}, true}); }

}  // namespace

Outcome format_value(Machine& machine, State& state, const AbstractValue& value, char conversion,
                     const AbstractValue& spec) {
  const std::string format = spec.bound()
                                 ? nb::cast<std::string>(machine.need(state, spec, "a format specification"))
                                 : std::string();
  if (conversion == 0 && !value.scalar() && is_user_method(type_of(machine, state, value), "__format__"))
    machine.refuse(state, "python.format_method",
                   fmt::format("{} formats itself by a __format__ of its own",
                               class_name(type_of(machine, state, value))),
                   "convert it first: {value!s}");
  if (const nb::object* object = value.constant(); object != nullptr && is_shown_by_cpython(*object))
    return format_known(*object, conversion, format);
  if (const ScalarValue* scalar = value.scalar())
    return format_scalar(machine, state, *scalar, conversion, format);
  // f"{x}" of a tensor without dims shows its number, str(x) does not.
  if (const auto* tensor = state.heap.get<TensorObject>(value);
      tensor != nullptr && conversion == 0 && tensor->spec->shape.empty())
    return format_value(machine, state, read_once(machine, state, value), 0, spec);
  if (state.heap.get<TextObject>(value) != nullptr && format.empty() && conversion != 'r') return value;
  if (const auto whole = machine.reify(state, value); whole && is_shown_by_cpython(*whole))
    return format_known(*whole, conversion, format);
  const nb::object type = type_of(machine, state, value);
  const bool has_text =
      python_method(type, "__str__").is_valid() || python_method(type, "__repr__").is_valid();
  if (state.heap.get<InstanceObject>(value) == nullptr && !(value.constant() != nullptr && has_text))
    return opaque_text(state);
  const char* name = conversion == 'r' ? "repr" : "str";
  Arguments argument{{value}, {}};
  const nb::object builtin = nb::module_::import_("builtins").attr(name);
  if (auto shown = machine.builtins.call(machine, state, builtin, argument)) return std::move(*shown);
  return opaque_text(state);
}

Outcome join_text(Machine& machine, State& state, const std::vector<AbstractValue>& pieces) {
  TextObject joined;
  bool all_known = true;
  std::string plain;
  for (const AbstractValue& piece : pieces) {
    if (const nb::object* object = piece.constant()) {
      const auto text = nb::cast<std::string>(*object);
      plain += text;
      joined.format += literal_format(text);
      continue;
    }
    all_known = false;
    const auto* text = state.heap.get<TextObject>(piece);
    if (text == nullptr) internal_error("a piece of an f-string that is no text");
    joined.format += text->format;
    joined.scalars.insert(joined.scalars.end(), text->scalars.begin(), text->scalars.end());
    joined.opaque = joined.opaque || text->opaque;
  }
  (void)machine;
  if (all_known) return known(nb::str(plain.c_str(), plain.size()));
  return state.make(std::move(joined));
}

std::optional<Outcome> text_binary(Machine& machine, State& state, program::Operation operation,
                                   const AbstractValue& left, const AbstractValue& right) {
  if (!is_text(state, left)) return std::nullopt;
  if (operation == program::Operation::Add && is_text(state, right))
    return join_text(machine, state, {left, right});
  if (operation != program::Operation::Modulo) return std::nullopt;
  // "%.2f" % x: only for messages that are dropped; exact formatting would need another language.
  return opaque_text(state);
}

std::optional<std::pair<std::string, std::string>> text_around_integer(const TextObject& text) {
  if (text.opaque || text.scalars.size() != 1 || text.scalars.front().kind != ScalarKind::I64)
    return std::nullopt;
  std::pair<std::string, std::string> around;
  bool found = false;
  const std::string& format = text.format;
  for (std::size_t place = 0; place < format.size();) {
    const bool is_brace = format[place] == '{' || format[place] == '}';
    if (!is_brace || (place + 1 < format.size() && format[place + 1] == format[place])) {
      (found ? around.second : around.first) += format[place];
      place += is_brace ? 2 : 1;
      continue;
    }
    const std::size_t end = format.find('}', place);
    const std::string field = format.substr(place, end - place + 1);
    if (field != "{}" && field != "{!r}") return std::nullopt;
    found = true;
    place = end + 1;
  }
  return found ? std::optional(around) : std::nullopt;
}

std::optional<std::int64_t> integer_between(const std::string& text, const std::string& before,
                                            const std::string& after) {
  if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after))
    return std::nullopt;
  const std::string digits = text.substr(before.size(), text.size() - before.size() - after.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_plain = error == std::errc() && std::to_string(number) == digits;  // no "+1", no "007"
  return is_plain ? std::optional(number) : std::nullopt;
}

}  // namespace dycl::partial_eval
