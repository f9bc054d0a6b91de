// SPDX-License-Identifier: Apache-2.0
// Classes that are called.
#include "partial_eval/language/instantiate.h"

#include <fmt/format.h>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/bind_arguments.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/dataclass.h"
#include "partial_eval/language/derived_containers.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

using program::Parameter;
using program::ParameterKind;

void need_arguments(Machine& machine, State& state, const nb::object& type, const Arguments& arguments) {
  for (const AbstractValue& value : arguments.positional)
    (void)machine.need(state, value, fmt::format("an argument of {}", full_name_of(type)));
  for (const auto& [name, value] : arguments.keywords)
    (void)machine.need(state, value, fmt::format("the argument '{}' of {}", name, full_name_of(type)));
}

// ---- layers

void refuse_parameters(const Machine& machine, const State& state, const nb::object& type, bool are_random) {
  machine.refuse(
      state, "python.module_in_forward",
      fmt::format("a {} is made while the program runs: its parameters would be {}", full_name_of(type),
                  are_random ? "random numbers, others in each call" : "new ones in each call"),
      are_random ? "construct it in __init__"
                 : "construct it in __init__, or without parameters: affine=False");
}

// nn.Softmax(dim=-1)(x): a layer of torch's that holds nothing but its arguments is the same in every run.
Outcome make_layer(Machine& machine, State& state, const nb::object& type, const Arguments& arguments) {
  const auto takes = machine.torch.listed_as(type);
  if (!takes) refuse_parameters(machine, state, type, true);
  need_arguments(machine, state, type, arguments);
  Outcome made = call_static(machine, state, type, arguments);
  const auto* layer = std::get_if<AbstractValue>(&made);
  const nb::object* live = layer == nullptr ? nullptr : layer->constant();
  const bool holds_given = *takes != "data";  // a Sequential
  if (!holds_given && live != nullptr && nb::len(nb::list(live->attr("parameters")())) > 0)
    refuse_parameters(machine, state, type, false);
  return made;
}

// The parts of a module that the program makes are attributes like others here: a __getattr__, which torch
// asks for them, would not be asked.
void refuse_own_lookup(const Machine& machine, const State& state, const nb::object& type) {
  for (const char* name : {"__getattr__", "__getattribute__"})
    if (is_user_method(type, name))
      machine.refuse(state, "python.module_in_forward",
                     fmt::format("a {}, whose class defines {}, is made while the program runs",
                                 full_name_of(type), name),
                     "construct it in __init__");
}

// ---- exceptions

// OSError and the like look at their arguments: at what they are, an OSError of two or more at their values.
void refuse_odd_arguments(const Machine& machine, const State& state, const nb::object& type,
                          const Arguments& arguments) {
  const bool looks_at_values = is_subtype(type, PyExc_OSError) && arguments.positional.size() > 1;
  for (const AbstractValue& value : arguments.positional) {
    const nb::object* live = value.constant();
    const auto* instance = state.heap.get<InstanceObject>(value);
    if (live != nullptr ? is_atom(*live) : instance == nullptr && !looks_at_values) continue;
    const std::string given = live != nullptr       ? class_name(type_of_live(*live))
                              : instance != nullptr ? class_name(instance->type)
                                                    : "value that depends on the input";
    machine.refuse(state, "python.handed_over",
                   fmt::format("{}() would be given a {}", full_name_of(type), given),
                   "give it numbers and texts that are known at compile time");
  }
}

Outcome make_exception(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  refuse_odd_special(machine, state, type, "__init__");
  const nb::object init = python_method(type, "__init__");
  const nb::object creator = type_attribute(type, "__new__");
  if (creator.is_valid() && !PyCFunction_Check(creator.ptr()))
    machine.refuse(state, "python.class",
                   fmt::format("the exception class {} defines __new__", full_name_of(type)), "use __init__");
  const bool only_keeps = as_type(type)->tp_init == reinterpret_cast<PyTypeObject*>(PyExc_Exception)->tp_init;
  if (!init.is_valid() && !only_keeps) refuse_odd_arguments(machine, state, type, arguments);
  if (!init.is_valid() && all_live(arguments))
    return known(type(*live_positional(arguments), **live_keywords(arguments)));
  if (!init.is_valid() && !arguments.keywords.empty())
    machine.refuse(state, "python.class",
                   fmt::format("{} is made with keyword arguments", full_name_of(type)),
                   "pass them by position");
  AbstractValue args = make_tuple(machine, state, arguments.positional);
  AbstractValue self = state.make(InstanceObject{type, {}, {{"args", std::move(args)}}});
  if (!init.is_valid()) return self;
  arguments.positional.insert(arguments.positional.begin(), self);
  return call(machine, state, known(init), std::move(arguments), OnReturn::Instance, self);
}

// ---- named tuples

bool is_named_tuple(nb::handle type) {
  return is_subtype(type, reinterpret_cast<PyObject*>(&PyTuple_Type)) &&
         attribute_or_null(type, "_fields").is_valid();
}

// A class that derives from a named tuple has a __new__ in Python, which calls the generated one.
Outcome make_derived_tuple(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  const nb::object creator = type.attr("__new__");
  if (!PyFunction_Check(creator.ptr()))
    machine.refuse(state, "python.class",
                   fmt::format("the named tuple {} defines __new__", full_name_of(type)),
                   "make it with a function");
  arguments.positional.insert(arguments.positional.begin(), known(type));
  return call(machine, state, known(creator), std::move(arguments));
}

Outcome make_named_tuple(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  refuse_odd_tuple(machine, state, type);
  const nb::object creator = type.attr("__new__");
  if (!makes_named_tuples(creator)) return make_derived_tuple(machine, state, type, std::move(arguments));
  return fill_named_tuple(machine, state, creator, type, std::move(arguments));
}

// ---- dicts of collections

bool is_ordered_dict(nb::handle type) { return type.is(library_object("collections", "OrderedDict")); }
bool is_default_dict(nb::handle type) { return type.is(library_object("collections", "defaultdict")); }

Outcome make_dict(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  DictObject dict{{}, type, {}};
  if (is_default_dict(type) && !arguments.positional.empty()) {
    if (!arguments.positional[0].is_none()) dict.default_factory = arguments.positional[0];
    arguments.positional.erase(arguments.positional.begin());
  }
  AbstractValue self = state.make(std::move(dict));
  return fill_container(machine, state, self, std::move(arguments), self);
}

// ---- partials

// The parts of a partial that has no attributes of its own; nullopt: it is something else.
std::optional<PartialObject> partial_in(State& state, const AbstractValue& function) {
  if (const auto* made = state.heap.get<PartialObject>(function)) return *made;
  const nb::object* live = function.constant();
  if (live == nullptr || !live->type().is(library_object("functools", "partial"))) return std::nullopt;
  if (PyObject* const* attributes = _PyObject_GetDictPtr(live->ptr());
      attributes != nullptr && *attributes != nullptr)
    return std::nullopt;
  PartialObject parts{known(live->attr("func")), live_elements(live->attr("args")),
                      current(state, known(live->attr("keywords")))};
  return parts;
}

bool is_callable(Machine& machine, State& state, const AbstractValue& value) {
  const nb::object* live = value.constant();
  return live != nullptr ? PyCallable_Check(live->ptr()) != 0
                         : as_type(type_of(machine, state, value))->tp_call != nullptr;
}

Outcome make_partial(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  if (all_live(arguments) || arguments.positional.empty())
    return known(type(*live_positional(arguments), **live_keywords(arguments)));
  const AbstractValue function = arguments.positional[0];
  if (!is_callable(machine, state, function))
    return machine.raise(PyExc_TypeError, "the first argument must be callable");
  PartialObject partial{function, {}, {}};
  DictObject keywords{{}, builtin(PyDict_Type), {}};
  if (const auto inner = partial_in(state, function)) {  // its parts become parts of the new one
    partial = *inner;
    keywords.entries = dict_entries(state, inner->keywords);
  }
  partial.arguments.insert(partial.arguments.end(), arguments.positional.begin() + 1,
                           arguments.positional.end());
  for (const auto& [name, value] : arguments.keywords) {
    const nb::object key = nb::str(name.c_str());
    if (const auto found = keywords.find(key))
      keywords.entries[*found].second = value;
    else
      keywords.entries.emplace_back(key, value);
  }
  partial.keywords = state.make(std::move(keywords));
  return state.make(std::move(partial));
}

// ---- plain classes

// Its instances are made by object.__new__: nothing but a __dict__ or slots.
bool is_plain(nb::handle type) { return as_type(type)->tp_new == PyBaseObject_Type.tp_new; }

void refuse_odd_class(const Machine& machine, const State& state, const nb::object& type) {
  const nb::object metaclass = type_of_live(type);
  const nb::object hook = python_method(metaclass, "__call__");
  if (hook.is_valid())
    machine.refuse(state, "python.class",
                   fmt::format("the class {} has a metaclass, {}, that defines __call__", full_name_of(type),
                               full_name_of(metaclass)),
                   "make the object before the program runs and pass it in, or keep it on self");
  if (is_plain(type) || derives_from_container(type)) return;
  const nb::object creator = type_attribute(type, "__new__");
  const bool own = creator.is_valid() && !PyCFunction_Check(creator.ptr());
  machine.refuse(state, "python.class",
                 own ? fmt::format("the class {} defines __new__", full_name_of(type))
                     : fmt::format("a {} is made from values that depend on the input", full_name_of(type)),
                 own ? "use __init__, or make the object in the model's __init__"
                     : "use a list, a dict, a tuple, or a class that derives from object");
}

Outcome make_plain(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  refuse_odd_class(machine, state, type);
  if ((as_type(type)->tp_flags & Py_TPFLAGS_IS_ABSTRACT) != 0)
    return known(
        nb::handle(reinterpret_cast<PyObject*>(&PyBaseObject_Type)).attr("__new__")(type));  // raises
  AbstractValue self = make_instance(state, type);
  refuse_odd_special(machine, state, type, "__init__");
  const nb::object init = type_attribute(type, "__init__");
  if (PyFunction_Check(init.ptr())) {
    arguments.positional.insert(arguments.positional.begin(), self);
    Outcome outcome = call(machine, state, known(init), std::move(arguments), OnReturn::Instance, self);
    const bool done = std::holds_alternative<AbstractValue>(outcome);  // torch.nn.Module's own
    return done ? Outcome(self) : std::move(outcome);
  }
  if (const AbstractValue container = inner_container(state, self); container.bound()) {
    if (!arguments.positional.empty() || !arguments.keywords.empty()) refuse_own_writes(machine, state, type);
    return fill_container(machine, state, container, std::move(arguments), self);
  }
  if (!arguments.positional.empty() || !arguments.keywords.empty())
    return machine.raise(PyExc_TypeError, fmt::format("{}() takes no arguments", class_name(type)));
  return self;
}

// Objects that are entered with `with`, and the like: making them has no effect.
bool is_library_context(nb::handle type) {
  return is_library(type) && type_attribute(type, "__enter__").is_valid() &&
         (root_of(module_name_of(type)) == "torch" || module_name_of(type) == "contextlib" ||
          module_name_of(type) == "warnings");
}

Outcome make_context(Machine& machine, State& state, const nb::object& type, const Arguments& arguments) {
  if (type.is(library_object("contextlib", "_GeneratorContextManager")))
    return instantiate(machine, state, machine.torch.prelude_function("GeneratorContext"), arguments);
  const nb::object enabled = library_object("torch", "is_grad_enabled")();
  if (!all_live(arguments))
    machine.refuse(state, "python.context",
                   fmt::format("{} is made from values that depend on the input", full_name_of(type)));
  nb::object made = type(*live_positional(arguments), **live_keywords(arguments));
  library_object("torch._C", "_set_grad_enabled")(enabled);  // torch.set_grad_enabled acts when it is made
  return known(std::move(made));
}

bool is_written_in_python(nb::handle type) { return (as_type(type)->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0; }

bool is_user_type(nb::handle type) { return is_written_in_python(type) && !is_library(type); }

// Colour(2): the member with that value.
Outcome find_member(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  const nb::object hook = attribute_or_null(type, "_missing_");
  const bool is_plain_call = arguments.positional.size() == 1 && arguments.keywords.empty();
  if (!is_plain_call || (hook.is_valid() && !is_library(hook)))
    machine.refuse(state, "python.class",
                   fmt::format("{} is called in a way that makes members, or finds them by code of its own",
                               full_name_of(type)),
                   "make the enumeration at the top of the file");
  (void)machine.need(state, arguments.positional[0], fmt::format("an argument of {}", full_name_of(type)));
  arguments.positional.insert(arguments.positional.begin(), known(type));
  const nb::object find = type_attribute(type_of_live(type), "__call__");
  return call_static(machine, state, find, arguments);
}

}  // namespace

Outcome instantiate(Machine& machine, State& state, const nb::object& type, Arguments arguments) {
  if (is_user_method(type, "__del__"))
    machine.refuse(
        state, "python.finalizer",
        fmt::format("{} defines __del__, which Python runs when the last reference goes", full_name_of(type)),
        "call what it does by name");
  for (AbstractValue& value : arguments.positional) value = current(state, value);
  for (auto& [name, value] : arguments.keywords) value = current(state, value);
  if (machine.torch.is_module_class(type)) {
    if (!is_user_type(type)) return make_layer(machine, state, type, arguments);
    refuse_own_lookup(machine, state, type);
    return make_plain(machine, state, type, std::move(arguments));
  }
  if (is_exception_type(type)) return make_exception(machine, state, type, std::move(arguments));
  if (is_named_tuple(type)) return make_named_tuple(machine, state, type, std::move(arguments));
  if (is_ordered_dict(type) || is_default_dict(type))
    return make_dict(machine, state, type, std::move(arguments));
  if (type.is(library_object("functools", "partial")))
    return make_partial(machine, state, type, std::move(arguments));
  if (type.is(reinterpret_cast<PyObject*>(&PySuper_Type)) && arguments.positional.size() == 2)
    return make_super(machine, state, arguments.positional[0], arguments.positional[1]);
  if (is_library_context(type)) return make_context(machine, state, type, arguments);
  if (auto made = make_dataclass(machine, state, type, arguments)) return std::move(*made);
  if (is_subtype(type_of_live(type), library_object("enum", "EnumMeta")))
    return find_member(machine, state, type, std::move(arguments));
  const bool is_ours = is_plain(type) || derives_from_container(type);
  if (is_user_type(type) || (is_ours && is_written_in_python(type)))
    return make_plain(machine, state, type, std::move(arguments));
  if (type.is(reinterpret_cast<PyObject*>(&PyBaseObject_Type)))
    return make_plain(machine, state, type, std::move(arguments));
  need_arguments(machine, state, type, arguments);
  return call_static(machine, state, type, arguments);
}

void refuse_odd_tuple(const Machine& machine, const State& state, const nb::object& type) {
  if (const std::string odd = odd_member_of_named_tuple(type); !odd.empty())
    machine.refuse(state, "python.class",
                   fmt::format("the named tuple {} defines {}", full_name_of(type), odd),
                   "make it with a function, or use a dataclass");
}

Outcome fill_named_tuple(Machine& machine, State& state, const nb::object& creator, const nb::object& type,
                         Arguments arguments) {
  if (all_live(arguments))
    return known(creator(type, *live_positional(arguments), **live_keywords(arguments)));
  Signature signature{
      text_or_empty(creator, "__qualname__"), {Parameter{"_cls", ParameterKind::PositionalOnly, {}}}, {}, {}};
  for (const nb::handle name : fields_it_makes(creator))
    signature.parameters.push_back(Parameter{nb::cast<std::string>(name), ParameterKind::Positional, {}});
  if (const nb::object defaults = creator.attr("__defaults__"); !defaults.is_none())
    for (const nb::handle value : nb::borrow<nb::tuple>(defaults))
      signature.defaults.push_back(known(nb::borrow(value)));
  arguments.positional.insert(arguments.positional.begin(), known(type));
  auto bound = bind_parameters(machine, state, signature, std::move(arguments));
  if (auto* raised = std::get_if<Raised>(&bound)) return std::move(*raised);
  auto& items = std::get<std::vector<AbstractValue>>(bound);
  items.erase(items.begin());
  return state.make(TupleObject{std::move(items), type});
}

Outcome make_super(Machine& machine, State& state, const AbstractValue& type, const AbstractValue& self) {
  const nb::object* start = type.constant();
  if (start == nullptr || !PyType_Check(start->ptr()))
    return machine.raise(PyExc_TypeError, fmt::format("super() argument 1 must be a type, not {}",
                                                      class_name(type_of(machine, state, type))));
  const nb::object* live = self.constant();
  const bool of_class = live != nullptr && PyType_Check(live->ptr()) && is_subtype(*live, *start);
  if (!of_class && !is_subtype(type_of(machine, state, self), *start))
    return machine.raise(PyExc_TypeError, "super(type, obj): obj must be an instance or subtype of type");
  return state.make(SuperObject{*start, self});
}

}  // namespace dycl::partial_eval
