// SPDX-License-Identifier: Apache-2.0
// str, repr, format; print and its like, which are effects of a run and left out with a warning.
#include "partial_eval/builtins/natives_text.h"

#include "partial_eval/builtins/native_call.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/text.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// str() of an exception made during the run, as BaseException does it.
Outcome text_of_exception(NativeCall& call) {
  Outcome found = get_attr(call.machine, call.state, call.at(0), "args");
  const auto* arguments = std::get_if<AbstractValue>(&found);
  if (arguments == nullptr) return found;
  const auto items = elements_of(call.machine, call.state, *arguments);
  if (!items || items->empty()) return known(nb::str(""));
  const bool single = items->size() == 1;
  const bool is_key = is_subtype(type_of(call.machine, call.state, call.at(0)), PyExc_KeyError);
  return format_value(call.machine, call.state, single ? items->front() : *arguments,
                      single && !is_key ? 's' : 'r', {});
}

// The prelude asks the method, and looks at whether it gives a text.
Outcome text_by_method(NativeCall& call, const char* name, char conversion) {
  const char* asked = conversion == 'r' ? "__repr__" : "__str__";
  return call_prelude(call.machine, call.state, "text_by_method",
                      {{call.at(0), known(nb::str(name)), known(nb::str(asked))}, {}});
}

std::optional<Outcome> text_of_instance(NativeCall& call, char conversion) {
  const nb::object type = type_of(call.machine, call.state, call.at(0));
  for (const char* name : {"__str__", "__repr__"}) {
    if (conversion == 'r' && std::string_view(name) == "__str__") continue;
    refuse_odd_special(call.machine, call.state, type, name);
    if (python_method(type, name).is_valid()) return text_by_method(call, name, conversion);
    if (std::string_view(name) == "__str__" && is_exception_type(type)) return text_of_exception(call);
  }
  call.machine.refuse(call.state, "python.text_of_object",
                      "the text of a " + class_name(type) + " made during the run is asked for",
                      "give the class a __str__ or __repr__ written in Python");
}

// {value!conversion}
std::optional<Outcome> shown(NativeCall& call, char conversion) {
  const AbstractValue& value = call.at(0);
  if (call.state.heap.get<TensorObject>(value) != nullptr)
    call.machine.refuse(call.state, "python.text_of_tensor", "the elements of a tensor become a text",
                        "use .item() and format the number");
  if (call.state.heap.get<InstanceObject>(value) != nullptr) return text_of_instance(call, conversion);
  if (const nb::object* live = value.constant()) {
    const bool has_str = conversion == 's' && python_method(live->type(), "__str__").is_valid();
    const char* name = has_str ? "__str__" : "__repr__";
    if (conversion == 's' && !is_atom(*live))
      refuse_odd_special(call.machine, call.state, live->type(), "__str__");
    if (python_method(live->type(), name).is_valid() && !is_atom(*live) && !is_plain_tensor(*live))
      return text_by_method(call, name, conversion);
    const bool is_class = PyType_Check(live->ptr()) != 0;  // shown by its name
    return is_class ? std::optional<Outcome>(format_value(call.machine, call.state, value, conversion, {}))
                    : std::nullopt;
  }
  return format_value(call.machine, call.state, value, conversion, {});
}

std::optional<Outcome> str_call(NativeCall& call) {
  return call.plain(1, 1) ? shown(call, 's') : std::nullopt;
}
std::optional<Outcome> repr_call(NativeCall& call) {
  return call.plain(1, 1) ? shown(call, 'r') : std::nullopt;
}

std::optional<Outcome> ascii_call(NativeCall& call) {
  if (!call.plain(1, 1) || call.all_known()) return std::nullopt;
  return shown(call, 'r');  // numbers are ASCII
}

std::optional<Outcome> format_call(NativeCall& call) {
  if (!call.plain(1, 2) || call.all_known()) return std::nullopt;
  const AbstractValue spec = call.count() == 2 ? call.at(1) : AbstractValue();
  if (call.state.heap.get<InstanceObject>(call.at(0)) != nullptr) {
    const AbstractValue given = spec.bound() ? spec : known(nb::str(""));
    if (is_user_method(type_of(call.machine, call.state, call.at(0)), "__format__"))
      return call_special(call.machine, call.state, call.at(0), "__format__", Arguments{{given}, {}});
    return text_of_instance(call, 's');
  }
  if (call.state.heap.get<TensorObject>(call.at(0)) != nullptr) return shown(call, 's');
  return format_value(call.machine, call.state, call.at(0), 0, spec);
}

std::optional<Outcome> dropped(NativeCall& call) {
  call.machine.warn(call.state, text_or_empty(call.callee, "__name__") +
                                    "() is left out: a compiled program does not print, log or warn");
  return known_none();
}

// One field of a format: "{name!r:spec}".
struct Field {
  std::string literal, name, spec;
  char conversion = 0;
  bool present = false;
};

std::vector<Field> fields_of(const nb::object& format) {
  std::vector<Field> fields;
  const nb::object parse = nb::module_::import_("_string").attr("formatter_parser");
  for (const nb::handle part : nb::object(parse(format))) {
    Field field;
    field.literal = nb::cast<std::string>(part[0]);
    field.present = !part[1].is_none();
    if (field.present) {
      field.name = nb::cast<std::string>(part[1]);
      field.spec = part[2].is_none() ? std::string() : nb::cast<std::string>(part[2]);
      if (!part[3].is_none()) field.conversion = nb::cast<std::string>(part[3])[0];
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

const AbstractValue* argument_of(const Arguments& arguments, const std::string& name,
                                 std::size_t& automatic) {
  if (name.empty() || name.find_first_not_of("0123456789") == std::string::npos) {
    const std::size_t index = name.empty() ? automatic++ : std::stoul(name);
    return index < arguments.positional.size() ? &arguments.positional[index] : nullptr;
  }
  for (const auto& [keyword, value] : arguments.keywords)
    if (keyword == name) return &value;
  return nullptr;
}

Outcome formatted(Machine& machine, State& state, const nb::object& format, const Arguments& arguments) {
  std::vector<AbstractValue> pieces;
  std::size_t automatic = 0;
  for (const Field& field : fields_of(format)) {
    if (!field.literal.empty()) pieces.push_back(known(nb::str(field.literal.c_str(), field.literal.size())));
    if (!field.present) continue;
    const AbstractValue* value = argument_of(arguments, field.name, automatic);
    if (value == nullptr || field.spec.find('{') != std::string::npos)
      machine.refuse(state, "python.text_method",
                     "the field {" + field.name + "} of str.format() is more than the name of an argument",
                     "use an f-string");
    const AbstractValue spec = field.spec.empty() ? AbstractValue() : known(nb::str(field.spec.c_str()));
    Outcome piece = format_value(machine, state, *value, field.conversion, spec);
    auto* text = std::get_if<AbstractValue>(&piece);
    if (text == nullptr)
      machine.refuse(state, "python.text_method", "str.format() is given an object with a method of its own",
                     "call str() on it first");
    pieces.push_back(std::move(*text));
  }
  return join_text(machine, state, pieces);
}

}  // namespace

std::optional<Outcome> text_method(Machine& machine, State& state, const AbstractValue& self,
                                   const std::string& name, Arguments& arguments) {
  if (self.constant() == nullptr)
    machine.refuse(state, "python.text_method",
                   "str." + name + "() is called on a text with numbers that depend on the input",
                   "such texts can only be raised as messages");
  const nb::object method = type_attribute(type_of(machine, state, self), name);
  if (!method.is_valid() || PyFunction_Check(method.ptr())) return std::nullopt;
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), self);
  if (auto done = try_static(machine, state, method, all)) return done;
  if (name == "format") return formatted(machine, state, *self.constant(), arguments);
  return std::nullopt;
}

void add_text_natives(NativeTable& table) {
  table.add("builtins", "str", str_call);
  table.add("builtins", "repr", repr_call);
  table.add("builtins", "ascii", ascii_call);
  table.add("builtins", "format", format_call);
  table.add("builtins", "print", dropped);
  table.add("warnings", "warn warn_explicit", dropped);
  table.add("logging", "debug info warning warn error exception critical log", dropped);
  table.add("pprint", "pprint pp", dropped);
}

}  // namespace dycl::partial_eval
