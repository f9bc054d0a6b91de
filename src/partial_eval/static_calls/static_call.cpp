// SPDX-License-Identifier: Apache-2.0
// Calls that CPython runs while compiling: of functions that are listed by name, with what they may be given.
#include "partial_eval/static_calls/static_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "partial_eval/data/structures.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/handed_over.h"
#include "partial_eval/static_calls/listing.h"
#include "partial_eval/torch/contexts.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

constexpr std::size_t kMostObjects = 1'000'000;   // looked at for what the program has written to
constexpr std::size_t kMostElements = 1'000'000;  // of an iterator

// ---- objects that CPython would see as they were before the program wrote to them

class StaleSearch {
 public:
  StaleSearch(const Machine& machine, const State& state) : machine_(machine), state_(state) {}

  // The first object that is not as it was before; null: none.
  PyObject* find(nb::handle root) {
    pending_.push_back(root.ptr());
    while (!pending_.empty()) {
      PyObject* object = pending_.back();
      pending_.pop_back();
      if (!seen_.insert(object).second) continue;
      if (is_written(state_, object) || seen_.size() > kMostObjects) return object;
      expand(object);
    }
    return nullptr;
  }

 private:
  void push(PyObject* object) {
    if (object != nullptr && !is_atom(object)) pending_.push_back(object);
  }

  [[nodiscard]] static bool is_atom(PyObject* object) {
    return object == Py_None || PyUnicode_CheckExact(object) || PyLong_Check(object) ||
           PyFloat_Check(object) || PyBytes_Check(object) || PyType_Check(object) || PyModule_Check(object) ||
           PyCFunction_Check(object);
  }

  void expand(PyObject* object) {
    if (PyTuple_Check(object)) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) push(PyTuple_GET_ITEM(object, i));
    } else if (PyList_Check(object)) {
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) push(PyList_GET_ITEM(object, i));
    } else if (PyDict_Check(object)) {
      expand_dict(object);
    } else if (PyAnySet_Check(object)) {
      for (const nb::handle item : nb::borrow(object)) push(item.ptr());
    } else if (PyMethod_Check(object)) {
      push(PyMethod_GET_SELF(object));
      push(PyMethod_GET_FUNCTION(object));
    } else if (PyFunction_Check(object)) {
      push(PyFunction_GET_CLOSURE(object));
    } else if (PyCell_Check(object)) {
      push(PyCell_GET(object));
    }
    if (machine_.torch.is_tensor(object) || PyFunction_Check(object)) return;
    const nb::object dict = instance_dict(object);
    if (!dict.is_valid()) return;
    kept_.push_back(dict);
    push(dict.ptr());
  }

  void expand_dict(PyObject* dict) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, &value) != 0) {
      push(key);
      push(value);
    }
  }

  const Machine& machine_;
  const State& state_;
  std::vector<PyObject*> pending_;
  std::unordered_set<PyObject*> seen_;
  std::vector<nb::object> kept_;
};

// Data is copied as it is now; other objects are handed over whole.
void refuse_stale(const Machine& machine, const State& state, nb::handle callee, const Arguments& arguments) {
  if (state.overlay.empty()) return;
  StaleSearch search(machine, state);
  PyObject* found = nullptr;
  const auto look = [&](const AbstractValue& value) {
    if (found == nullptr && value.constant() != nullptr) found = search.find(*value.constant());
  };
  for (const AbstractValue& value : arguments.positional) look(value);
  for (const auto& [name, value] : arguments.keywords) look(value);
  if (found == nullptr) return;
  machine.refuse(state, "python.stale_object",
                 fmt::format("{} is called with a {} that the program has written to before",
                             callable_name(callee), class_name(type_of_live(found))),
                 "call it before the write, or keep what is written in variables");
}

// Of a layer, only the tables of its own are read.
void refuse_written_tables(const Machine& machine, const State& state, nb::handle callee,
                           const Arguments& arguments) {
  Arguments tables;
  for (const AbstractValue& value : arguments.positional)
    for (const char* name : kModuleTables)
      if (const nb::object* live = value.constant(); live != nullptr && machine.torch.is_module(*live))
        if (is_written(state, live->attr(name))) tables.positional.push_back(known(live->attr(name)));
  if (!tables.positional.empty()) refuse_stale(machine, state, callee, tables);
}

// What a function reads of a layer and of the layers in it.
void note_reads_of_layers(Machine& machine, const State& state, nb::handle callee,
                          const Arguments& arguments) {
  const std::string name = text_or_empty(callee, "__name__");
  const bool shows_all = name == "__repr__" || name == "repr" || name == "str";
  const bool reads_buffers =
      name.find("buffer") != std::string::npos || name.find("state") != std::string::npos;
  for (const AbstractValue& value : arguments.positional) {
    const nb::object* live = value.constant();
    if (live == nullptr || !machine.torch.is_module(*live)) continue;
    const std::vector<SourceSpan> here = machine.spans(state);
    for (const nb::handle layer : nb::object(library_object("torch.nn", "Module").attr("modules")(*live))) {
      const auto note = [&](const std::string& key) {
        machine.across_calls.live_reads.try_emplace({layer.ptr(), key}, here);
      };
      note(key_of_table("_modules"));
      note(key_of_table("_parameters"));
      if (reads_buffers) note(key_of_table("_buffers"));
      if (shows_all) note(kAllAttributes);
    }
  }
}

// ---- the call itself

// Entered around the call: what the program has entered, and no_grad.
class Surroundings {
 public:
  explicit Surroundings(const State& state)
      : grad_(library_object("torch", "is_grad_enabled")()), contexts_(state.contexts) {
    library_object("torch._C", "_set_grad_enabled")(false);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() {
    nb::error_scope pending;
    const nb::object setter = library_object("torch._C", "_set_grad_enabled");
    Py_XDECREF(PyObject_CallOneArg(setter.ptr(), grad_.ptr()));
    PyErr_Clear();
  }

 private:
  nb::object grad_;
  EnteredContexts contexts_;
};

// One call, from its arguments to its result.
class StaticCall {
 public:
  StaticCall(Machine& machine, State& state, const nb::object& callee, Takes takes)
      : machine_(machine), state_(state), callee_(callee), takes_(takes), handed_(machine, state, takes) {}

  // Throws Withheld, and what the function raises.
  Outcome run(const Arguments& arguments);

 private:
  nb::object called();
  nb::object called_by_torch();
  AbstractValue result(nb::object given);
  void note_answer(const nb::object& answer) const;
  AbstractValue elements_of_iterator(const nb::object& iterator);
  std::vector<nb::object> new_tensors(const nb::object& result);
  void refuse_without_storage(const nb::object& tensor) const;

  Machine& machine_;
  State& state_;
  const nb::object& callee_;
  Takes takes_;
  HandedOver handed_;
  nb::tuple positional_;
  nb::dict keywords_;
};

// A sparse tensor, or one of another layout that has no memory of its own.
void StaticCall::refuse_without_storage(const nb::object& tensor) const {
  const nb::object layout = tensor.attr("layout");
  if (layout.is(library_object("torch", "strided"))) return;
  machine_.refuse(state_, "python.leaf_argument",
                  fmt::format("{}() gives a tensor of layout {}", callable_name(callee_),
                              nb::cast<std::string>(nb::str(layout))),
                  "convert it with .to_dense() outside of the model");
}

// New tensors may be written to later; views of what was there before may not.
std::vector<nb::object> StaticCall::new_tensors(const nb::object& result) {
  std::vector<nb::object> made, given;
  machine_.torch.collect_tensors(result, made);
  for (const nb::object& tensor : made) refuse_without_storage(tensor);
  if (made.empty()) return made;
  machine_.torch.collect_tensors(positional_, given);
  for (const auto& [name, value] : keywords_) machine_.torch.collect_tensors(value, given);
  const bool is_layer = machine_.torch.is_module(callee_);
  for (const char* tensors : {"parameters", "buffers"})
    if (is_layer)
      for (const nb::handle tensor : nb::object(callee_.attr(tensors)())) given.push_back(nb::borrow(tensor));
  std::set<std::int64_t> storages;
  for (const nb::object& tensor : given)
    if (!machine_.ownership.created.contains(tensor)) storages.insert(storage_key(tensor));
  std::erase_if(made, [&](const nb::object& tensor) {
    const bool of_layer = !is_layer && takes_ != Takes::Data;
    const bool of_array = handed_.note_tensor_of_array(tensor);
    return of_layer || of_array || storages.contains(storage_key(tensor));
  });
  return made;
}

// Random numbers would be drawn once, for all runs.
nb::object StaticCall::called_by_torch() {
  const nb::object get_state = library_object("torch", "get_rng_state");
  const nb::object before = get_state();
  nb::object result;
  {
    const Surroundings surroundings(state_);
    result = callee_(*positional_, **keywords_);
  }
  if (nb::cast<bool>(library_object("torch", "equal")(before, get_state()))) return result;
  library_object("torch", "set_rng_state")(before);
  (void)handed_.changed();  // gives tensors their old elements back
  refuse_unlisted(machine_, state_, callee_, Unlisted::OutsideWorld);
}

// "now" and "today" are dates to numpy.
bool tells_the_time(nb::handle value) {
  if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) {
    const auto text = nb::cast<std::string>(nb::str(nb::borrow(value).attr("lower")()));
    return text.find("now") != std::string::npos || text.find("today") != std::string::npos;
  }
  if (is_array(value)) {
    const auto kind = nb::cast<std::string>(nb::object(value.attr("dtype").attr("kind")));
    return (kind == "U" || kind == "S") && tells_the_time(nb::object(value.attr("tolist")()));
  }
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) return false;
  return std::ranges::any_of(nb::list(nb::borrow(value)),
                             [](nb::handle item) { return tells_the_time(item); });
}

nb::object StaticCall::called() {
  if (root_of(callable_name(callee_)) == "numpy") {
    bool asks_clock = tells_the_time(positional_);
    for (const auto& [name, value] : keywords_) asks_clock = asks_clock || tells_the_time(value);
    if (asks_clock) refuse_unlisted(machine_, state_, callee_, Unlisted::OutsideWorld);
  }
  try {
    const bool of_torch = handed_.has_tensors() || root_of(callable_name(callee_)) == "torch";
    return of_torch ? called_by_torch() : callee_(*positional_, **keywords_);
  } catch (nb::python_error& error) {
    if (const auto what = handed_.changed()) refuse_wrong_listing(machine_, state_, callee_, *what);
    if (handed_.is_refused_write(error)) refuse_unlisted(machine_, state_, callee_, Unlisted::Mutating);
    throw;
  }
}

// Stepping a live iterator would change it for all paths: its elements are taken at once.
AbstractValue StaticCall::elements_of_iterator(const nb::object& iterator) {
  std::vector<AbstractValue> elements;
  while (PyObject* item = PyIter_Next(iterator.ptr())) {
    elements.push_back(handed_.given_back(nb::steal(item)));
    if (elements.size() > kMostElements)
      machine_.refuse(state_, "python.endless",
                      fmt::format("the iterator that {}() gives does not end", callable_name(callee_)),
                      "use a range or a list");
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  IteratorObject made{make_tuple(machine_, state_, std::move(elements)), known_int(0)};
  made.shown = type_of_live(iterator);
  return state_.make(std::move(made));
}

AbstractValue StaticCall::result(nb::object given) {
  const std::vector<nb::object> made = new_tensors(given);
  std::vector<nb::object> tensors;
  machine_.torch.collect_tensors(given, tensors);
  if (!made.empty() && made.size() == tensors.size() && is_followed_from_the_start(machine_, state_))
    return made_on_heap(machine_, state_, given);
  for (const nb::object& tensor : made) note_made(machine_, state_, tensor);
  if (machine_.torch.is_module_class(callee_)) machine_.ownership.made_layers.insert(given);
  if (PyIter_Check(given.ptr()) != 0) return elements_of_iterator(given);
  const bool is_container =
      PyList_CheckExact(given.ptr()) || PyDict_Check(given.ptr()) || PySet_Check(given.ptr());
  const bool is_new = Py_REFCNT(given.ptr()) == 1;  // nobody else holds it
  if (takes_ != Takes::Data && is_container && is_new) machine_.ownership.created.insert(given);
  return handed_.given_back(given);
}

// The program holds for processes that answer the same.
void StaticCall::note_answer(const nb::object& answer) const {
  if (const std::optional<std::string> question = machine_.torch.process_question(callee_))
    machine_.note_fact(state_, text_of_question(*question, positional_, keywords_), answer);
}

// With a key, sorted() keeps the order of what the key makes equal.
bool ignores_order(nb::handle callee, const Arguments& arguments) {
  static const std::set<std::string> kIgnore{"sorted", "min", "max", "len", "any", "all", "contains",
                                             "eq",     "ne",  "lt",  "le",  "gt",  "ge"};
  const std::string root = root_of(callable_name(callee));
  const bool is_known =
      root == text_or_empty(callee, "__name__") || root == "_operator" || root == "operator";
  return is_known && arguments.keywords.empty() && kIgnore.contains(text_or_empty(callee, "__name__"));
}

Outcome StaticCall::run(const Arguments& arguments) {
  handed_.ignores_order = ignores_order(callee_, arguments);
  nb::list positional;
  for (const AbstractValue& value : arguments.positional) positional.append(handed_.take(value));
  positional_ = nb::tuple(positional);
  for (const auto& [name, value] : arguments.keywords) keywords_[name.c_str()] = handed_.take(value);
  note_reads_of_layers(machine_, state_, callee_, arguments);
  if (takes_ == Takes::Layers)
    refuse_written_tables(machine_, state_, callee_, arguments);
  else if (takes_ != Takes::Data)
    refuse_stale(machine_, state_, callee_, arguments);
  nb::object given = called();
  if (const auto what = handed_.changed()) refuse_wrong_listing(machine_, state_, callee_, *what);
  note_answer(given);
  return result(std::move(given));
}

// ---- modules that are asked to become what they are

bool has_own_method(nb::handle module, const char* name) {
  return !nb::object(module.type().attr(name)).is(library_object("torch.nn", "Module").attr(name));
}

bool is_in_mode(const nb::object& module, bool training) {
  for (const nb::handle part : module.attr("modules")()) {
    if (has_own_method(part, "train") || has_own_method(part, "eval")) return false;
    if (nb::cast<bool>(nb::bool_(part.attr("training"))) != training) return false;
  }
  return true;
}

// What to() asks of parameters and buffers; nullopt: it asks for more, or raises.
struct Conversion {
  nb::object device, dtype;  // None: as they are
};
std::optional<Conversion> conversion_of(const nb::tuple& arguments, const nb::dict& keywords) {
  try {
    const nb::tuple parts(library_object("torch._C", "_nn").attr("_parse_to")(*arguments, **keywords));
    if (!parts[3].is_none()) return std::nullopt;
    return Conversion{parts[0], parts[1]};
  } catch (nb::python_error&) {
    return std::nullopt;  // Module.to() itself says what is wrong
  }
}

bool is_of(nb::handle tensor, const Conversion& wanted) {
  if (!wanted.device.is_none() && !nb::object(tensor.attr("device")).equal(wanted.device)) return false;
  return wanted.dtype.is_none() || !nb::cast<bool>(tensor.attr("is_floating_point")()) ||
         tensor.attr("dtype").is(wanted.dtype);
}

bool are_all_of(const nb::object& module, const Conversion& wanted) {
  for (const nb::handle part : module.attr("modules")()) {
    const bool is_own = has_own_method(part, "_apply") && !is_library(part.type().attr("_apply"));
    if (is_own || has_own_method(part, "to")) return false;
  }
  for (const char* tensors : {"parameters", "buffers"})
    for (const nb::handle tensor : module.attr(tensors)())
      if (!is_of(tensor, wanted)) return false;
  return true;
}

// model.eval() of a model in evaluation, layer.to(device) of a layer that is there: the module as it is, else
// null.
nb::object unchanged(Machine& machine, const nb::object& callee, const nb::tuple& positional,
                     const nb::dict& keywords) {
  const std::string name = text_or_empty(callee, "__name__");
  if (name != "eval" && name != "train" && name != "to") return {};
  nb::object self = attribute_or_null(callee, "__self__");
  std::vector<nb::object> rest;
  for (const nb::handle value : positional) rest.push_back(nb::borrow(value));
  if (!self.is_valid() && !rest.empty()) {  // Module.to(layer, dtype)
    self = rest.front();
    rest.erase(rest.begin());
  }
  const bool is_plain =
      self.is_valid() && machine.torch.is_module(self) && !has_own_method(self, name.c_str());
  if (!is_plain || (name != "to" && nb::len(keywords) > 0)) return {};
  bool unchanged = false;
  if (name == "eval") unchanged = rest.empty() && is_in_mode(self, false);
  if (name == "train" && rest.size() == 1 && PyBool_Check(rest[0].ptr()))
    unchanged = is_in_mode(self, rest[0].ptr() == Py_True);
  if (name == "to")
    if (const auto wanted = conversion_of(nb::tuple(nb::cast(rest)), keywords))
      unchanged = are_all_of(self, *wanted);
  return unchanged ? self : nb::object();
}

// numpy.add(a, b, out=a), numpy.add(a, b, a)
bool writes_to_out(const nb::object& function, const Arguments& arguments) {
  const nb::object inputs = attribute_or_null(function, "nin");
  const bool of_ufunc = inputs.is_valid() && function.type().is(library_object("numpy", "ufunc"));
  if (of_ufunc && arguments.positional.size() > nb::cast<std::size_t>(inputs)) return true;
  for (const auto& [name, value] : arguments.keywords)
    if (name == "out" && !value.is_none()) return true;
  return false;
}

Outcome call_with_out(Machine& machine, State& state, const nb::object& function,
                      const Arguments& arguments) {
  const bool by_keyword = std::ranges::any_of(arguments.keywords, [](const auto& keyword) {
    return keyword.first == "out" && !keyword.second.is_none();
  });
  const bool by_place = !by_keyword && !arguments.positional.empty();
  return write_array(machine, state, function, arguments,
                     by_place ? std::optional(arguments.positional.size() - 1) : std::nullopt);
}

}  // namespace

void refuse_wrong_listing(const Machine& machine, const State& state, nb::handle callee,
                          const std::string& changed) {
  machine.refuse(state, "python.wrong_listing",
                 fmt::format("{}() has changed {}, though DyCL lists it as one that changes nothing",
                             callable_name(callee), changed),
                 "this is a bug of DyCL's; work on a copy, and tell us");
}

std::string outside_text(const std::string& name) {
  return name + "() has side effects, or its result depends on more than its arguments";
}

void refuse_unlisted(const Machine& machine, const State& state, nb::handle callee, Unlisted why) {
  const std::string name = callable_name(callee);
  if (why == Unlisted::OutsideWorld)
    machine.refuse(state, "python.impure_call", outside_text(name),
                   "call it outside of the model, and pass what it gives as an input");
  if (why == Unlisted::Mutating)
    machine.refuse(state, "python.mutating_call",
                   fmt::format("{}() changes an object that lives outside of the program", name),
                   "work on a copy made in forward, or do it in __init__");
  machine.refuse(
      state, "python.no_source",
      fmt::format("{}() has no Python source, and DyCL cannot see whether it has side effects", name),
      "compute its result in __init__, or write it with functions of torch");
}

void refuse_outside_world(Machine& machine, const State& state, const nb::object& callee) {
  const bool is_exception = PyType_Check(callee.ptr()) && PyExceptionClass_Check(callee.ptr());
  const bool is_context = PyType_Check(callee.ptr()) && type_attribute(callee, "__enter__").is_valid();
  const bool has_model = is_context && (root_of(module_name_of(callee)) == "torch" ||
                                        callee.is(library_object("warnings", "catch_warnings")));
  if (is_exception || has_model || !is_library(callee) || listed(machine.torch, callee)) return;
  const Unlisted why = why_unlisted(machine.torch, callee);
  if (why == Unlisted::OutsideWorld) refuse_unlisted(machine, state, callee, why);
}

std::optional<Outcome> try_static(Machine& machine, State& state, const nb::object& callee,
                                  const Arguments& arguments, std::string* withheld) {
  const Named what = named(callee);
  Arguments all = arguments;
  if (what.self.is_valid()) all.positional.insert(all.positional.begin(), known(what.self));
  if (const auto place = machine.torch.listed_write(what.function); place && *place < all.positional.size())
    return write_array(machine, state, what.function, all, place);
  auto takes = listed(machine.torch, what.function);
  const bool as_it_is = !takes && what.self.is_valid() && (takes = listed(machine.torch, callee)).has_value();
  if (!takes || is_any_abstract(machine, state, arguments)) return std::nullopt;
  if (writes_to_out(what.function, all)) return call_with_out(machine, state, what.function, all);
  try {
    return StaticCall(machine, state, as_it_is ? callee : what.function, *takes)
        .run(as_it_is ? arguments : all);
  } catch (const Withheld& argument) {
    if (withheld != nullptr) *withheld = argument.what;
    return std::nullopt;
  }
}

Outcome call_static(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments) {
  std::string withheld;
  if (auto result = try_static(machine, state, callee, arguments, &withheld)) return std::move(*result);
  if (withheld.empty())
    refuse_unlisted(machine, state, callee, why_unlisted(machine.torch, named(callee).function));
  machine.refuse(
      state, "python.handed_over",
      fmt::format("{}() has no Python source and would be given {}", callable_name(callee), withheld),
      "give it numbers, texts, or lists, tuples and dicts of them; or write it out as a loop");
}

std::optional<AbstractValue> unchanged_module(Machine& machine, State& state, const nb::object& callee,
                                              const Arguments& arguments) {
  if (!all_live(arguments)) return std::nullopt;
  nb::object module = unchanged(machine, callee, live_positional(arguments), live_keywords(arguments));
  if (!module.is_valid()) return std::nullopt;
  Arguments self{{known(module)}, {}};
  refuse_stale(machine, state, callee, self);
  return current(state, known(std::move(module)));
}

std::string text_of_question(const std::string& name, const nb::tuple& positional, const nb::dict& keywords) {
  const nb::object write = library_object("json", "dumps");
  std::vector<std::string> given;
  for (const nb::handle value : positional) given.push_back(nb::cast<std::string>(write(value)));
  for (const auto& [key, value] : keywords)
    given.push_back(fmt::format("{}={}", nb::cast<std::string>(key), nb::cast<std::string>(write(value))));
  return fmt::format("{}({})", name, fmt::join(given, ", "));
}

}  // namespace dycl::partial_eval
