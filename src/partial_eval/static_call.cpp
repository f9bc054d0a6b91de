// SPDX-License-Identifier: Apache-2.0
// Calls in which everything is known: CPython does them while the program is compiled.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "partial_eval/contexts.h"
#include "partial_eval/live_object.h"
#include "partial_eval/native_call.h"
#include "partial_eval/operations.h"
#include "partial_eval/purity.h"

namespace dycl::partial_eval {
namespace {

constexpr std::size_t kMostObjects = 1'000'000;   // looked at for what the program has written to
constexpr std::size_t kMostElements = 1'000'000;  // of an iterator

// ---- objects that CPython would see as they were before the program wrote to them

class StaleSearch {
 public:
  StaleSearch(const Machine& machine, const State& state) : machine_(machine), state_(state) {}

  // The first object with a twin; null: none.
  PyObject* find(nb::handle root) {
    pending_.push_back(root.ptr());
    while (!pending_.empty()) {
      PyObject* object = pending_.back();
      pending_.pop_back();
      if (!seen_.insert(object).second) continue;
      if (state_.overlay.find(object) != nullptr || seen_.size() > kMostObjects) return object;
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

void refuse_stale(const Machine& machine, const State& state, nb::handle callee, const nb::tuple& positional,
                  const nb::dict& keywords) {
  if (state.overlay.empty()) return;
  StaleSearch search(machine, state);
  PyObject* found = search.find(positional);
  if (found == nullptr) found = search.find(keywords);
  const nb::object self =
      PyFunction_Check(callee.ptr()) ? nb::object() : attribute_or_null(callee, "__self__");
  if (found == nullptr && self.is_valid() && !PyModule_Check(self.ptr()) && !PyType_Check(self.ptr()))
    found = search.find(self);
  if (found == nullptr) return;
  machine.refuse(state, "python.stale_object",
                 fmt::format("{} is called with a {} that the program has written to before",
                             callable_name(callee), class_name(type_of_live(found))),
                 "call it before the write, or keep what is written in variables");
}

// ---- callables that must not run at compile time

void refuse_impure(Machine& machine, const State& state, const nb::object& callee, Purity purity) {
  const std::string name = callable_name(callee);
  if (purity == Purity::Impure)
    machine.refuse(
        state, "python.impure_call",
        fmt::format("the result of {}() depends on more than its arguments, or it has effects", name),
        "call it outside of the model, and pass what it gives as an input");
  if (purity == Purity::Mutating)
    machine.refuse(state, "python.mutating_call",
                   fmt::format("{}() changes an object that lives outside of the program", name),
                   "work on a copy made in forward, or do it in __init__");
  if (purity == Purity::Unknown)
    machine.refuse(state, "python.no_source",
                   fmt::format("{}() has no Python source and is not known to be free of effects", name),
                   "compute its result in __init__, or write it with functions of torch");
}

// Code of the user's that CPython would run unseen.
bool is_user_code(nb::handle value) {
  if (PyMethod_Check(value.ptr())) return is_user_code(PyMethod_GET_FUNCTION(value.ptr()));
  return PyFunction_Check(value.ptr()) && !is_library(value);
}

void refuse_callbacks(const Machine& machine, const State& state, const nb::object& callee,
                      const nb::tuple& positional, const nb::dict& keywords) {
  static const std::set<std::string> kCallers{"map",  "filter", "sorted", "min", "max",
                                              "iter", "sum",    "any",    "all"};
  const std::string module = root_of(module_name_of(callee)), name = text_or_empty(callee, "__name__");
  const bool calls = module == "itertools" || name == "reduce" ||
                     (module == "builtins" && kCallers.contains(name)) || name == "sub" || name == "subn" ||
                     name == "apply_along_axis" || name == "vectorize" || name == "vmap" ||
                     name == "tree_map" || name == "fromiter";
  if (!calls) return;
  bool found = false;
  for (const nb::handle value : positional) found = found || is_user_code(value);
  for (const auto& [key, value] : keywords) found = found || is_user_code(value);
  if (!found) return;
  machine.refuse(state, "python.callback",
                 fmt::format("{}() would call a function of the program that cannot be followed there",
                             callable_name(callee)),
                 "write it as a loop");
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

nb::object run_by_python(Machine& machine, const State& state, const nb::object& callee,
                         const nb::tuple& positional, const nb::dict& keywords) {
  const bool of_torch = root_of(callable_name(callee)) == "torch";
  if (!of_torch) return callee(*positional, **keywords);
  const nb::object get_state = library_object("torch", "get_rng_state");
  const nb::object before = get_state();
  nb::object result;
  {
    const Surroundings surroundings(state);
    result = callee(*positional, **keywords);
  }
  if (nb::cast<bool>(library_object("torch", "equal")(before, get_state()))) return result;
  library_object("torch", "set_rng_state")(before);
  refuse_impure(machine, state, callee, Purity::Impure);
  return result;
}

// ---- results

void collect_tensors(const TorchBridge& torch, nb::handle value, std::vector<nb::object>& tensors,
                     int depth = 0) {
  if (torch.is_tensor(value)) {
    tensors.push_back(nb::borrow(value));
  } else if ((PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) && depth < 8) {
    for (const nb::handle item : nb::borrow(value)) collect_tensors(torch, item, tensors, depth + 1);
  }
}

std::uintptr_t storage_of(const nb::object& tensor) {
  const nb::object storage = tensor.attr("untyped_storage")();
  return nb::cast<std::uintptr_t>(storage.attr("_cdata"));
}

// New tensors may be written to later; views of what was there before may not.
void note_created(Machine& machine, const nb::object& callee, const nb::object& result,
                  const nb::tuple& positional, const nb::dict& keywords) {
  std::vector<nb::object> made, given;
  collect_tensors(machine.torch, result, made);
  if (made.empty() || PyMethod_Check(callee.ptr())) return;
  if (PyFunction_Check(callee.ptr()) && machine.torch.classify(callee) != "leaf") return;
  collect_tensors(machine.torch, positional, given);
  for (const auto& [name, value] : keywords) collect_tensors(machine.torch, value, given);
  const nb::object self = attribute_or_null(callee, "__self__");
  if (self.is_valid() && !PyModule_Check(self.ptr())) collect_tensors(machine.torch, self, given);
  std::set<std::uintptr_t> storages;
  for (const nb::object& tensor : given)
    if (!machine.created.contains(tensor.ptr())) storages.insert(storage_of(tensor));
  for (const nb::object& tensor : made)
    if (!storages.contains(storage_of(tensor))) machine.created.emplace(tensor.ptr(), tensor);
}

// Stepping a live iterator would change it for all paths: its elements are taken at once.
AbstractValue without_iterator(const Machine& machine, State& state, const nb::object& callee,
                               nb::object result) {
  if (PyIter_Check(result.ptr()) == 0) return current(state, known(std::move(result)));
  nb::list elements;
  while (PyObject* item = PyIter_Next(result.ptr())) {
    elements.append(nb::steal(item));
    if (nb::len(elements) > kMostElements)
      machine.refuse(state, "python.endless",
                     fmt::format("the iterator that {}() gives does not end", callable_name(callee)),
                     "use a range or a list");
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return state.make(IteratorObject{known(nb::tuple(elements)), known_int(0)});
}

bool writes_to_live(const Machine& machine, const nb::tuple& positional, const nb::dict& keywords) {
  if (keywords.contains("out") && !nb::object(keywords["out"]).is_none())
    return !machine.created.contains(nb::object(keywords["out"]).ptr());
  return nb::len(positional) == 0 || !machine.created.contains(nb::object(positional[0]).ptr());
}

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

bool is_of_dtype(const nb::object& module, nb::handle dtype) {
  for (const nb::handle part : module.attr("modules")())
    if (has_own_method(part, "to")) return false;
  for (const char* tensors : {"parameters", "buffers"})
    for (const nb::handle tensor : module.attr(tensors)())
      if (nb::cast<bool>(tensor.attr("is_floating_point")()) && !tensor.attr("dtype").is(dtype)) return false;
  return true;
}

// model.eval() of a model in evaluation, layer.to(dtype) of a layer that has it: the module as it is, else
// null.
nb::object unchanged_module(Machine& machine, const nb::object& callee, const nb::tuple& positional,
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
  const bool is_plain = self.is_valid() && machine.torch.is_module(self) && nb::len(keywords) == 0 &&
                        !has_own_method(self, name.c_str());
  if (!is_plain) return {};
  bool unchanged = false;
  if (name == "eval") unchanged = rest.empty() && is_in_mode(self, false);
  if (name == "train" && rest.size() == 1 && PyBool_Check(rest[0].ptr()))
    unchanged = is_in_mode(self, rest[0].ptr() == Py_True);
  if (name == "to" && rest.size() == 1 && nb::isinstance(rest[0], library_object("torch", "dtype")))
    unchanged = is_of_dtype(self, rest[0]);
  return unchanged ? self : nb::object();
}

}  // namespace

void refuse_outside_world(Machine& machine, const State& state, const nb::object& callee) {
  const bool is_exception = PyType_Check(callee.ptr()) && PyExceptionClass_Check(callee.ptr());
  const bool is_context = PyType_Check(callee.ptr()) && type_attribute(callee, "__enter__").is_valid();
  const bool has_model = is_context && (root_of(module_name_of(callee)) == "torch" ||
                                        callee.is(library_object("warnings", "catch_warnings")));
  if (is_exception || has_model || !is_library(callee)) return;
  const Purity purity = purity_of(machine.torch, callee);
  if (purity == Purity::Impure) refuse_impure(machine, state, callee, purity);
}

Outcome call_static(Machine& machine, State& state, const nb::object& callee, const nb::tuple& positional,
                    const nb::dict& keywords) {
  Purity purity = purity_of(machine.torch, callee);
  const bool of_torch = root_of(callable_name(callee)) == "torch";
  if (of_torch && purity == Purity::Pure && keywords.contains("out")) purity = Purity::Mutating;
  if (of_torch && purity == Purity::Mutating && !writes_to_live(machine, positional, keywords))
    purity = Purity::Pure;
  if (of_torch && purity == Purity::Mutating) {
    if (nb::object module = unchanged_module(machine, callee, positional, keywords); module.is_valid()) {
      refuse_stale(machine, state, callee, positional, keywords);
      return current(state, known(std::move(module)));
    }
  }
  refuse_impure(machine, state, callee, purity);
  if (purity != Purity::Shallow) {
    refuse_callbacks(machine, state, callee, positional, keywords);
    refuse_stale(machine, state, callee, positional, keywords);
  }
  nb::object result = run_by_python(machine, state, callee, positional, keywords);
  if (of_torch) note_created(machine, callee, result, positional, keywords);
  const bool is_container =
      PyList_CheckExact(result.ptr()) || PyDict_Check(result.ptr()) || PySet_Check(result.ptr());
  const bool is_new = Py_REFCNT(result.ptr()) == 1;  // nobody else holds it
  if (is_container && is_new) machine.created.emplace(result.ptr(), result);
  return without_iterator(machine, state, callee, std::move(result));
}

}  // namespace dycl::partial_eval
