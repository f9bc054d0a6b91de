// SPDX-License-Identifier: Apache-2.0
// functools, copy, dataclasses, typing and torch's questions about how the program is run.
#include "partial_eval/builtins/natives_library.h"

#include <fmt/format.h>

#include <map>

#include "partial_eval/builtins/native_call.h"
#include "partial_eval/builtins/native_methods.h"
#include "partial_eval/data/containers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/torch/checks.h"
#include "partial_eval/torch/contexts.h"
#include "partial_eval/torch/draws.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/layouts.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

const AbstractValue* keyword(const Arguments& arguments, const std::string& name) {
  for (const auto& [given, value] : arguments.keywords)
    if (given == name) return &value;
  return nullptr;
}

// functools.wraps(f) with a function made during the run.
std::optional<Outcome> wraps_call(NativeCall& call) {
  if (call.all_known() || !call.plain(1, 1)) return std::nullopt;
  DictObject keywords{{{nb::str("wrapped"), call.at(0)}}, builtin(PyDict_Type), {}};
  return call.state.make(PartialObject{
      known(library_object("functools", "update_wrapper")), {}, call.state.make(std::move(keywords))});
}

// Its name and its module are there to be read, and reading them runs no code.
bool is_function(const State& state, const AbstractValue& value) {
  if (state.heap.get<FunctionObject>(value) != nullptr || state.heap.get<MethodObject>(value) != nullptr)
    return true;
  const nb::object* live = value.constant();
  return live != nullptr && (PyFunction_Check(live->ptr()) || PyCFunction_Check(live->ptr()) ||
                             PyMethod_Check(live->ptr()) || PyType_Check(live->ptr()));
}

// The attributes that it copies are others than usual.
bool chooses_attributes(const NativeCall& call, std::size_t index, const char* name, const char* usual) {
  const AbstractValue given = call.named(index, name);
  return given.bound() &&
         (given.constant() == nullptr || !given.constant()->is(library_object("functools", usual)));
}

std::optional<Outcome> update_wrapper_call(NativeCall& call) {
  if (call.count() == 0 || call.state.heap.get<FunctionObject>(call.at(0)) == nullptr) return std::nullopt;
  const AbstractValue* wrapped = call.count() > 1 ? &call.at(1) : keyword(call.arguments, "wrapped");
  const bool chooses = chooses_attributes(call, 2, "assigned", "WRAPPER_ASSIGNMENTS") ||
                       chooses_attributes(call, 3, "updated", "WRAPPER_UPDATES");
  if (wrapped == nullptr || chooses) return std::nullopt;
  if (!is_function(call.state, *wrapped))
    call.machine.refuse(
        call.state, "python.handed_over",
        "functools.wraps() would be given a " + class_name(type_of(call.machine, call.state, *wrapped)),
        "wrap a function");
  const ObjectRef wrapper = *call.at(0).object();
  std::map<std::string, AbstractValue> copied{{"__wrapped__", *wrapped}};
  const bool local = call.state.heap.get<FunctionObject>(*wrapped) != nullptr;
  for (const char* name : {"__module__", "__name__", "__qualname__", "__doc__"}) {
    if (local && std::string_view(name) == "__doc__") continue;  // refused where it is read
    Outcome found = get_attr(call.machine, call.state, *wrapped, name);
    if (const auto* value = std::get_if<AbstractValue>(&found)) copied[name] = *value;
  }
  auto& attributes = call.state.heap.edit_as<FunctionObject>(wrapper).attributes;
  for (auto& [name, value] : copied) attributes[name] = std::move(value);
  return call.at(0);
}

std::optional<Outcome> is_tensor_call(NativeCall& call) {
  if (!call.plain(1, 1)) return std::nullopt;
  const nb::object type = type_of(call.machine, call.state, call.at(0));
  return known_bool(is_subtype(type, call.machine.torch.tensor_class()));
}

// False for what torch's own functions take.
std::optional<Outcome> has_torch_function_call(NativeCall& call) {
  std::vector<AbstractValue> asked = call.arguments.positional;
  if (text_or_empty(call.callee, "__name__").ends_with("has_torch_function") && call.count() == 1)
    if (const auto relevant = elements_of(call.machine, call.state, call.at(0))) asked = *relevant;
  for (const AbstractValue& value : asked) {
    const nb::object type = type_of(call.machine, call.state, current(call.state, value));
    const bool is_tensor = is_subtype(type, call.machine.torch.tensor_class());
    if (!is_tensor && type_attribute(type, "__torch_function__").is_valid())
      call.machine.refuse(
          call.state, "python.class",
          fmt::format("the class {} defines __torch_function__, which is not modelled", full_name_of(type)),
          "call a function of your own, or keep the tensor in an attribute and pass that");
  }
  return known_bool(false);
}
// A compiled program is not traced, scripted or exported; who asks is listed.
std::optional<Outcome> deny(NativeCall& call) {
  call.machine.note_fact(call.state, full_name_of(call.callee) + "()", nb::bool_(false));
  return known_bool(false);
}
std::optional<Outcome> answer_none(NativeCall&) { return known_none(); }

// Programs compute no gradients, so contexts for them are left out; who asks would notice.
std::optional<Outcome> gradients_call(NativeCall& call) {
  if (in_gradient_context(call.state))
    call.machine.refuse(
        call.state, "python.context",
        "a question of gradients inside of a context that changes the answer is not supported",
        "ask before the context is entered, or leave it out");
  call.machine.note_fact(call.state, full_name_of(call.callee) + "()", nb::bool_(false));
  return known_bool(false);
}

std::optional<Outcome> cast_call(NativeCall& call) {
  return call.plain(2, 2) ? std::optional<Outcome>(call.at(1)) : std::nullopt;
}
std::optional<Outcome> first_argument(NativeCall& call) {
  return call.count() > 0 ? std::optional<Outcome>(call.at(0)) : std::nullopt;
}

// A class that says nothing of copying: a copy is a new object with the same attributes. `hook` is the method
// that would say how, "__copy__" or "__deepcopy__".
bool is_copied_by_attributes(nb::handle type, const char* hook) {
  if (reinterpret_cast<PyTypeObject*>(type.ptr())->tp_new != PyBaseObject_Type.tp_new) return false;
  for (const nb::handle base : nb::object(type.attr("__mro__")))
    if (const nb::object slots = class_entry(base, "__slots__"); slots.is_valid() && nb::len(slots) > 0)
      return false;
  for (const char* name : {hook, "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__",
                           "__getnewargs__", "__getnewargs_ex__"})
    if (const nb::object own = type_attribute(type, name);
        own.is_valid() && !Py_IS_TYPE(own.ptr(), &PyMethodDescr_Type))
      return false;
  return true;
}

// An object of a class of the user's, with nothing but attributes.
bool is_live_with_attributes(const Machine& machine, const nb::object& live, const char* hook) {
  return !machine.torch.is_module(live) && instance_dict(live).is_valid() && !is_library(live.type()) &&
         is_copied_by_attributes(live.type(), hook);
}

// The same of an object that this call has made.
bool is_made_with_attributes(const State& state, const AbstractValue& value, const char* hook) {
  const auto* instance = state.heap.get<InstanceObject>(value);
  return instance != nullptr && !instance->live.is_valid() && !view_of(state, value) &&
         !instance->attributes.contains(kContents) && is_copied_by_attributes(instance->type, hook);
}

AbstractValue copy_of_live(Machine& machine, State& state, const nb::object& live) {
  note_read(machine, state, live, "__dict__");
  InstanceObject copy{nb::borrow(live.type()), {}, {}};
  for (const auto& [name, value] : nb::cast<nb::dict>(instance_dict(live)))
    copy.attributes.set(nb::cast<std::string>(name), known(nb::borrow(value)));
  return state.make(std::move(copy));
}

std::optional<Outcome> shallow_copy(NativeCall& call) {
  if (!call.plain(1, 1)) return std::nullopt;
  const AbstractValue& value = call.at(0);
  State& state = call.state;
  if (is_list(state, value)) return new_list(state, list_items(state, value));
  const nb::object* live = value.constant();
  if (is_set(state, value) && PyFrozenSet_Check(set_contents(state, value).ptr())) return value;
  if (is_dict(state, value) || is_set(state, value)) {
    Arguments none;
    return call_native_method(call.machine, state, value, "copy", none);
  }
  if (state.heap.get<TupleObject>(value) != nullptr || state.heap.get<FunctionObject>(value) != nullptr)
    return value;
  if (is_made_with_attributes(state, value, "__copy__")) {
    InstanceObject copy = *state.heap.get<InstanceObject>(value);
    if (const AbstractValue* dict = copy.attributes.find(kDict)) {
      const DictObject same = *state.heap.get<DictObject>(*dict);
      copy.attributes.set(kDict, state.make(same));
    }
    return state.make(std::move(copy));
  }
  if (live != nullptr && is_live_with_attributes(call.machine, *live, "__copy__"))
    return copy_of_live(call.machine, state, *live);
  if (live != nullptr && !call.machine.torch.is_module(*live)) return std::nullopt;
  call.machine.refuse(state, "python.copy",
                      "copy.copy() of a " + type_name(call.machine, state, value) + " is not modelled",
                      "make the copy yourself");
}

// A number, text, class or function of exactly the type that Python has.
bool is_copied_as_itself(nb::handle live) {
  PyObject* object = live.ptr();
  return live.is_none() || PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
         PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || PyComplex_CheckExact(object) ||
         PyType_Check(object) || PyFunction_Check(object) || PyRange_Check(object);
}

bool is_one_value(const AbstractValue& left, const AbstractValue& right) {
  if (left.constant() != nullptr && right.constant() != nullptr)
    return left.constant()->is(*right.constant());
  if (left.object() != nullptr && right.object() != nullptr) return *left.object() == *right.object();
  return left.scalar() != nullptr && right.scalar() != nullptr && left.scalar()->id == right.scalar()->id;
}

// A deep copy keeps what is shared shared: `made` knows the copies so far.
class DeepCopy {
 public:
  explicit DeepCopy(NativeCall& call) : call_(call) {}

  AbstractValue of(const AbstractValue& original) {
    const AbstractValue value = current(call_.state, original);
    if (const auto made = made_of(value)) return *made;
    if (const nb::object* live = value.constant()) return of_live(value, *live);
    const ObjectRef* ref = value.object();
    return ref == nullptr ? value : of_object(value, *ref);
  }

 private:
  [[nodiscard]] std::optional<AbstractValue> made_of(const AbstractValue& value) const {
    if (const nb::object* live = value.constant()) {
      const auto found = made_of_live_.find(live->ptr());
      return found == made_of_live_.end() ? std::nullopt : std::optional(found->second);
    }
    const auto found = value.object() == nullptr ? made_.end() : made_.find(value.object()->id);
    return found == made_.end() ? std::nullopt : std::optional(found->second);
  }

  AbstractValue of_live(const AbstractValue& value, const nb::object& live) {
    if (is_copied_as_itself(live)) return value;
    if (PyTuple_CheckExact(live.ptr())) return of_tuple(value);
    if (PyAnySet_CheckExact(live.ptr())) return of_set(value);
    if (PyList_CheckExact(live.ptr()) || PyDict_CheckExact(live.ptr())) return of_container(value);
    if (is_live_with_attributes(call_.machine, live, "__deepcopy__")) {
      const AbstractValue copy = made_of_live_[live.ptr()] = copy_of_live(call_.machine, call_.state, live);
      return with_copied_attributes(copy);
    }
    refuse_shared(value, live);
    const nb::object plain = call_.machine.torch.plain_copier(live);
    const nb::object copier = plain.is_valid() ? plain : call_.callee;
    Outcome copy = call_static(call_.machine, call_.state, copier, Arguments{{value}, {}});
    if (const auto* copied = std::get_if<AbstractValue>(&copy)) return made_of_live_[live.ptr()] = *copied;
    refuse(value);
  }

  AbstractValue of_object(const AbstractValue& value, ObjectRef ref) {
    const State& state = call_.state;
    if (state.heap.get<TensorObject>(value) != nullptr) return made_[ref.id] = of_tensor(value);
    if (state.heap.get<TupleObject>(value) != nullptr) return of_tuple(value);
    if (state.heap.get<SetObject>(value) != nullptr) return of_set(value);
    if (state.heap.get<FunctionObject>(value) != nullptr) return value;
    if (state.heap.get<ListObject>(value) != nullptr || state.heap.get<DictObject>(value) != nullptr)
      return of_container(value);
    if (is_made_with_attributes(state, value, "__deepcopy__")) {
      const InstanceObject same = *state.heap.get<InstanceObject>(value);
      const AbstractValue copy = made_[ref.id] = call_.state.make(same);
      return with_copied_attributes(copy);
    }
    refuse(value);
  }

  AbstractValue with_copied_attributes(const AbstractValue& copy) {
    State& state = call_.state;
    const auto attributes = state.heap.get<InstanceObject>(copy)->attributes;
    for (const auto& [name, value] : attributes) {
      const AbstractValue copied = of(value);
      state.heap.edit_as<InstanceObject>(*copy.object()).attributes.set(name, copied);
    }
    return copy;
  }

  // torch copies the whole memory: the copy lies as the tensor does, which clone() does not always keep.
  AbstractValue of_tensor(const AbstractValue& value) {
    State& state = call_.state;
    const TensorObject tensor = *state.heap.get<TensorObject>(value);
    if (!storages_.insert(tensor.storage).second) refuse_sharing(value);
    Outcome copy = call_leaf(call_.machine, state, library_object("torch", "clone"), Arguments{{value}, {}});
    const auto* cloned = std::get_if<AbstractValue>(&copy);
    if (cloned == nullptr || !have_one_layout(tensor.spec, state.heap.get<TensorObject>(*cloned)->spec))
      call_.machine.refuse(state, "python.copy",
                           "copy.deepcopy() of a Tensor whose elements do not lie one after the other",
                           "use clone()");
    state.heap.edit_as<TensorObject>(*cloned->object()).at = tensor.at;
    return *cloned;
  }

  AbstractValue of_tuple(const AbstractValue& value) {
    State& state = call_.state;
    if (const auto* tuple = state.heap.get<TupleObject>(value);
        tuple != nullptr && !tuple->type.is(builtin(PyTuple_Type)))
      refuse(value);
    const std::vector<AbstractValue> items = list_items(state, value);
    std::vector<AbstractValue> copies;
    bool same = true;
    for (const AbstractValue& item : items) {
      copies.push_back(of(item));
      same = same && is_one_value(item, copies.back());
    }
    if (const auto made = made_of(value)) return *made;  // it holds itself
    if (same) return value;
    const AbstractValue copy = new_tuple(call_.machine, state, std::move(copies));
    remember(value, copy);
    return copy;
  }

  // The key or element itself: other copies would be told apart from it.
  nb::object copied_key(const AbstractValue& container, const nb::object& key) {
    const AbstractValue copy = of(known(key));
    if (copy.constant() == nullptr || !copy.constant()->is(key))
      call_.machine.refuse(call_.state, "python.copy",
                           "copy.deepcopy() of a " + type_name(call_.machine, call_.state, container) +
                               " in which a " + class_name(type_of_live(key)) + " is a key or an element",
                           "use numbers, texts or tuples of them");
    return key;
  }

  AbstractValue of_set(const AbstractValue& value) {
    need_order(call_.machine, call_.state, value);
    nb::list items;
    for (const nb::object& item : set_items(call_.state, value)) items.append(copied_key(value, item));
    const nb::object type = type_of(call_.machine, call_.state, value);
    const AbstractValue copy = new_set(call_.state, type(items));
    remember(value, copy);
    return copy;
  }

  void refuse_factory(const AbstractValue& dict, const AbstractValue& factory) {
    const nb::object* live = factory.constant();
    const bool is_itself = !factory.bound() || (live != nullptr && is_copied_as_itself(*live)) ||
                           call_.state.heap.get<FunctionObject>(factory) != nullptr;
    if (!is_itself) refuse(dict);
  }

  AbstractValue of_container(const AbstractValue& value) {
    State& state = call_.state;
    if (is_dict(state, value)) {
      const AbstractValue copy = new_dict(state);
      remember(value, copy);
      if (const auto* dict = state.heap.get<DictObject>(value)) {
        const DictObject original = *dict;
        refuse_factory(value, original.default_factory);
        auto& made = state.heap.edit_as<DictObject>(*copy.object());
        made.type = original.type;
        made.default_factory = original.default_factory;
      }
      for (const auto& [key, entry] : dict_entries(state, value)) {
        (void)copied_key(value, key);
        const AbstractValue copied = of(entry);
        state.heap.edit_as<DictObject>(*copy.object()).entries.emplace_back(key, copied);
      }
      return copy;
    }
    const AbstractValue copy = new_list(state, {});
    remember(value, copy);
    std::vector<AbstractValue> items;
    for (const AbstractValue& item : list_items(state, value)) items.push_back(of(item));
    state.heap.edit_as<ListObject>(*copy.object()).items = std::move(items);
    return copy;
  }

  // CPython copies each of these by itself: it would not see what two of them share.
  void refuse_shared(const AbstractValue& value, const nb::object& live) {
    const bool is_tensor = call_.machine.torch.is_tensor(live);
    if (!is_tensor && !call_.machine.torch.is_module(live)) return;
    const nb::object memory =
        is_tensor ? nb::object(live.attr("untyped_storage")().attr("data_ptr")()) : nb::none();
    for (const nb::object& other : copied_memory_)
      if (!is_tensor || other.is_none() || other.equal(memory)) refuse_sharing(value);
    copied_memory_.push_back(memory);
  }

  [[noreturn]] void refuse_sharing(const AbstractValue& value) {
    call_.machine.refuse(call_.state, "python.copy",
                         "copy.deepcopy() of several objects of which a " +
                             type_name(call_.machine, call_.state, value) + " may share memory with another",
                         "copy them one by one");
  }

  void remember(const AbstractValue& value, const AbstractValue& copy) {
    if (const ObjectRef* ref = value.object()) made_[ref->id] = copy;
    if (const nb::object* live = value.constant()) made_of_live_[live->ptr()] = copy;
  }

  [[noreturn]] void refuse(const AbstractValue& value) {
    call_.machine.refuse(
        call_.state, "python.copy",
        "copy.deepcopy() of a " + type_name(call_.machine, call_.state, value) + " is not modelled",
        "make the copy yourself");
  }

  NativeCall& call_;
  std::map<HeapId, AbstractValue> made_;
  std::map<PyObject*, AbstractValue> made_of_live_;
  std::set<StorageId> storages_;
  std::vector<nb::object> copied_memory_;  // of live tensors; None: of a layer
};

std::optional<Outcome> deep_copy(NativeCall& call) {
  if (!call.plain(1, 1)) return std::nullopt;
  return DeepCopy(call).of(call.at(0));
}

// What all calls share in eager is not written to, nor what it holds.
void keep_unwritten(Machine& machine, State& state, const AbstractValue& original) {
  const AbstractValue value = current(state, original);
  if (const nb::object* live = value.constant(); live != nullptr && !is_atom(*live)) {
    machine.ownership.created.erase(*live);
    machine.ownership.made_tensors.erase(*live);
    machine.ownership.cached.insert(*live);
  }
  const ObjectRef* ref = value.object();
  if (ref == nullptr) return;
  if (state.heap.get<TensorObject>(value) != nullptr) {
    state.heap.edit_as<TensorObject>(*ref).outside = true;
    machine.ownership.cached_made.insert(ref->id);
    return;
  }
  const Object object = state.heap.at(*ref);
  const bool holds =
      std::holds_alternative<ListObject>(object) || std::holds_alternative<DictObject>(object) ||
      std::holds_alternative<SetObject>(object) || std::holds_alternative<TupleObject>(object) ||
      std::holds_alternative<InstanceObject>(object) || std::holds_alternative<ArrayObject>(object);
  if (!holds) return;
  for_each_child(object, [&](const AbstractValue& child) { keep_unwritten(machine, state, child); });
  state.heap.protect(*ref);
}

std::optional<Outcome> shared_value(NativeCall& call) {
  keep_unwritten(call.machine, call.state, call.at(0));
  return call.at(0);
}

// The prelude gives it a new tensor, which nobody else has: the live one is not met again.
std::optional<Outcome> not_yet_written(NativeCall& call) {
  const AbstractValue made = current(call.state, call.at(0));
  const nb::object* live = made.constant();
  const auto as_object = [&] {
    Machine& machine = call.machine;
    return call.state.make(
        TensorObject{machine.emitter.weight(*live), machine.torch.spec_of(*live), fresh_storage()});
  };
  const ObjectRef tensor = live != nullptr ? *as_object().object() : *made.object();
  mark_unwritten(call.machine, call.state, tensor);
  return AbstractValue(tensor);
}

// The prelude gives it a kind, a shape and a dtype.
std::optional<Outcome> draw_base(NativeCall& call) {
  return draw(call.machine, call.state, nb::cast<std::string>(*call.at(0).constant()), call.at(1),
              *call.at(2).constant());
}

std::optional<Outcome> clock_call(NativeCall& call) {
  const std::string name = full_name_of(call.callee);
  if (!call.machine.options.stopped_clock)
    call.machine.refuse(
        call.state, "python.impure_call", outside_text(name),
        "pass the time as an input; compile with clock=\"stopped\" if it only limits how long the model "
        "runs");
  call.machine.note_fact(call.state, name + "()", nb::str("stands still"));
  if (!call.arguments.positional.empty() || !call.arguments.keywords.empty())
    return call.machine.raise(PyExc_TypeError, name + "() takes no arguments");
  return call_prelude(call.machine, call.state, "stopped_clock",
                      Arguments{{known(nb::str(name.c_str()))}, {}});
}

std::optional<Outcome> raise_if(NativeCall& call) {
  return raise_where(call.machine, call.state, call.at(0), nb::cast<std::string>(*call.at(1).constant()));
}

// The prelude gives it a class, and a generator that stands for an object of that class.
std::optional<Outcome> shown_as(NativeCall& call) {
  const ObjectRef generator = *call.at(1).object();
  call.state.heap.edit_as<GeneratorObject>(generator).shown = *call.at(0).constant();
  return AbstractValue(generator);
}

std::optional<Outcome> is_known_beyond(NativeCall& call) {
  if (call.at(0).scalar() != nullptr || call.at(1).scalar() != nullptr) return known_bool(false);
  return std::nullopt;
}

std::optional<Outcome> exceeds_index(NativeCall& call) {
  if (call.at(0).scalar() != nullptr) return known_bool(false);
  return std::nullopt;
}

std::optional<Outcome> method_of(NativeCall& call) {
  const nb::object method = type_attribute(type_of(call.machine, call.state, call.at(0)),
                                           nb::cast<std::string>(*call.at(1).constant()));
  return method.is_valid() ? known(method) : known_none();
}

std::optional<Outcome> ask_for_fields(NativeCall& call) {
  if (!call.plain(1, 1) || call.all_known()) return std::nullopt;
  return known(call.callee(type_of(call.machine, call.state, call.at(0))));
}

std::optional<Outcome> ask_for_dataclass(NativeCall& call) {
  if (!call.plain(1, 1) || call.all_known()) return std::nullopt;
  return known_bool(has_attribute(type_of(call.machine, call.state, call.at(0)), "__dataclass_fields__"));
}

// inspect.signature(made.method): what it says follows from the function alone, whatever it is bound to.
std::optional<Outcome> describe_method(NativeCall& call) {
  const auto* method = call.plain(1, 1) ? call.state.heap.get<MethodObject>(call.at(0)) : nullptr;
  const nb::object* function = method == nullptr ? nullptr : method->function.constant();
  if (function == nullptr || !PyFunction_Check(function->ptr()) ||
      call.state.overlay.find(*function) != nullptr)
    return std::nullopt;
  return known(call.callee(nb::steal(PyMethod_New(function->ptr(), Py_None))));
}

std::optional<Outcome> dataclass_model(NativeCall& call) {
  const std::string name = "dataclass_" + text_or_empty(call.callee, "__name__");
  return call_prelude(call.machine, call.state, name.c_str(), call.arguments);
}

std::optional<Outcome> become_call(NativeCall& call) {
  become_dynamic(call.machine, call.state, call.at(0), call.at(1));
  return known_none();
}

}  // namespace

void add_library_natives(NativeTable& table) {
  table.add("functools", "wraps", wraps_call);
  table.add("functools", "update_wrapper", update_wrapper_call);
  table.add("torch", "is_tensor", is_tensor_call);
  table.add("torch", "is_grad_enabled is_inference_mode_enabled", gradients_call);
  table.add("torch.jit", "is_scripting is_tracing", deny);
  table.add("torch.cuda", "is_current_stream_capturing", deny);
  table.add("torch.xpu", "is_current_stream_capturing", deny);
  table.add("torch._jit_internal", "is_scripting", deny);
  table.add("torch.compiler", "is_compiling is_dynamo_compiling is_exporting", deny);
  table.add("torch.onnx", "is_in_onnx_export", deny);
  table.add("torch.overrides", "has_torch_function has_torch_function_unary has_torch_function_variadic",
            has_torch_function_call);
  table.add("torch._C", "_get_tracing_state", answer_none);
  table.add("torch._C", "_log_api_usage_once", answer_none);  // counts uses of torch; not a model's business
  table.add("time", "time monotonic perf_counter process_time thread_time", clock_call);
  table.add("typing", "cast assert_type", cast_call);
  table.add("typing", "reveal_type", first_argument);
  table.add("dycl.prelude.support", "shared", shared_value);
  table.add("dycl.prelude.support", "exceeds_index", exceeds_index);
  table.add("dycl.prelude.support", "shown_as", shown_as);
  table.add("dycl.prelude.memory", "not_yet_written", not_yet_written);
  table.add("dycl.prelude.draws", "base", draw_base);
  table.add("dycl.prelude.draws", "raise_if", raise_if);
  table.add("dycl.prelude.draws", "is_known_beyond", is_known_beyond);
  table.add("dycl.prelude.methods", "method_of", method_of);
  table.add("dycl.prelude.arrays", "become", become_call);
  table.add("copy", "copy", shallow_copy);
  table.add("copy", "deepcopy", deep_copy);
  table.add("inspect", "signature", describe_method);
  table.add("dataclasses", "fields", ask_for_fields);
  table.add("dataclasses", "is_dataclass", ask_for_dataclass);
  table.add("dataclasses", "replace asdict astuple", dataclass_model);
}

}  // namespace dycl::partial_eval
