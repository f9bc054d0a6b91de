// SPDX-License-Identifier: Apache-2.0
// Who executes a call: the machine itself (inlining), native models, torch as one operation, or CPython.
#include "partial_eval/language/call.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "partial_eval/data/structures.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/bind_arguments.h"
#include "partial_eval/language/conversions.h"
#include "partial_eval/language/generators.h"
#include "partial_eval/language/instantiate.h"
#include "partial_eval/language/object_methods.h"
#include "partial_eval/language/written_layers.h"
#include "partial_eval/static_calls/listing.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/torch/callables.h"
#include "partial_eval/torch/contexts.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

class CallDispatch {
 public:
  CallDispatch(Machine& machine, State& state, OnReturn on_return, AbstractValue kept)
      : machine_(machine), state_(state), on_return_(on_return), kept_(std::move(kept)) {}

  Outcome call_object(ObjectRef callee, Arguments arguments);
  Outcome call_live(const nb::object& callee, Arguments arguments);
  Outcome inline_function(const LoweredRef& code, BindSource source, Arguments arguments);
  std::uint32_t operand = 0;

 private:
  Outcome call_torch(const nb::object& callee, const std::string& kind, Arguments arguments);
  void note_setting(const nb::object& callee, const Arguments& arguments, const Outcome& answer);
  Outcome call_module(const AbstractValue& module, const nb::object& live, Arguments arguments);
  std::optional<Outcome> call_modelled_method(const nb::object& callee, Arguments& arguments);
  Outcome run_forward(const AbstractValue& module, const nb::object& live, Arguments arguments);
  Outcome standard_call(const AbstractValue& module, const nb::object& live, Arguments arguments);
  std::optional<Outcome> call_as_module(const nb::object& callee, Arguments& arguments);
  Outcome call_layer(const nb::object& module, const std::string& kind, Arguments arguments);
  [[nodiscard]] bool runs_steps(const nb::object& layer, const Arguments& arguments) const;
  Outcome call_bound(const nb::object& method, Arguments arguments);
  [[nodiscard]] bool is_outside_object(const nb::object& self) const;
  Outcome call_outside(const nb::object& self, const std::string& name, Arguments arguments);
  Outcome call_partial(const nb::object& partial, Arguments arguments);
  Outcome call_builtin_method(const nb::object& method, Arguments arguments);
  Outcome call_on_twin(const nb::object& live, const std::string& name, Arguments arguments);
  Outcome inline_live(const nb::object& function, Arguments arguments);
  Outcome call_unknown(const nb::object& callee, Arguments arguments);
  [[nodiscard]] bool any_abstract(const Arguments& arguments) const {
    return is_any_abstract(machine_, state_, arguments);
  }

  Machine& machine_;
  State& state_;
  OnReturn on_return_;
  AbstractValue kept_;
};

void prepend(Arguments& arguments, const AbstractValue& first) {
  arguments.positional.insert(arguments.positional.begin(), first);
}

// In the place of an earlier one of that name.
void put_keyword(Arguments& arguments, const std::string& name, const AbstractValue& value) {
  const auto same =
      std::ranges::find_if(arguments.keywords, [&](const auto& earlier) { return earlier.first == name; });
  if (same != arguments.keywords.end())
    same->second = value;
  else
    arguments.keywords.emplace_back(name, value);
}

// By torch's names: a model says what such a function writes, a call of its own would do it behind our back.
bool writes_in_place(const nb::object& callee) {
  const std::string name = text_or_empty(callee, "__name__");
  return name.ends_with('_') && !name.ends_with("__");
}

// `Function.apply` of torch.autograd, as it was looked up in a class that derives from it; null: something
// else.
nb::object class_of_apply(const nb::object& callee) {
  if (!PyCFunction_Check(callee.ptr()) || text_or_empty(callee, "__name__") != "apply") return {};
  nb::object owner = attribute_or_null(callee, "__self__");
  const bool is_function = owner.is_valid() && PyType_Check(owner.ptr()) &&
                           is_subtype(owner, library_object("torch.autograd", "Function"));
  return is_function ? owner : nb::object();
}

// The function that torch.jit.script() was given, when it makes tensors of tensors alone: of them TorchScript
// makes what Python makes. Null: another one, whose numbers TorchScript may compute otherwise.
nb::object scripted_function(const Machine& machine, const State& state, const nb::object& callee,
                             const Arguments& arguments) {
  const nb::object written = attribute_or_null(callee, "_torchdynamo_inline");
  if (!written.is_valid() || !PyFunction_Check(written.ptr())) return {};
  // What torch.jit.trace() made keeps one path, whatever the function says.
  const nb::object scripted = library_object("torch.jit._state", "_try_get_jit_cached_function")(written);
  if (scripted.is_none() || !scripted.attr("qualified_name").equal(callee.attr("qualified_name"))) return {};
  const auto is_tensor = [&](const AbstractValue& value) {
    const nb::object* live = value.constant();
    return state.heap.get<TensorObject>(value) != nullptr || (live != nullptr && is_plain_tensor(*live));
  };
  for (const AbstractValue& value : arguments.positional)
    if (!is_tensor(current(state, value))) return {};
  for (const auto& [name, value] : arguments.keywords)
    if (!is_tensor(current(state, value))) return {};
  return machine.torch.is_of_tensors(callee, written) ? written : nb::object();
}

void refuse_script(const Machine& machine, const State& state, const nb::object& callee) {
  if (!machine.torch.is_script(callee)) return;
  machine.refuse(state, "python.torch_script",
                 "a " + class_name(type_of_live(callee)) +
                     " is called, which torch.jit made: there is no Python code to follow",
                 "use the module or function as it was before torch.jit.trace() or torch.jit.script()");
}

// What a model does not take may well be what the function takes that it stands for: no TypeError is known.
[[noreturn]] void refuse_arguments(const Machine& machine, const State& state, const std::string& name) {
  machine.refuse(state, "python.builtin_limit",
                 fmt::format("the model of this function, {}(), does not take these arguments", name),
                 "pass fewer arguments, or pass them in another way");
}

Outcome CallDispatch::inline_function(const LoweredRef& code, BindSource source, Arguments arguments) {
  const std::string name = source.name;
  auto bound = bind(machine_, state_, code, std::move(source), std::move(arguments));
  if (auto* raised = std::get_if<Raised>(&bound)) {
    if (machine_.torch.is_prelude(code->ir.file)) refuse_arguments(machine_, state_, name);
    return std::move(*raised);
  }
  Frame& frame = std::get<Frame>(bound);
  frame.on_return = on_return_;
  frame.kept = kept_;
  frame.operand = operand;
  if (code->ir.is_generator) return make_generator(state_, std::move(frame));
  machine_.push(state_, std::move(frame));
  return Pushed{};
}

// What has no source has no place to show either: the call is the place.
Refused not_lowered(const Machine& machine, const State& state, Diagnostic diagnostic) {
  const std::vector<SourceSpan> stack = machine.spans(state);
  const bool at_call = diagnostic.code == "python.no_source" && !stack.empty();
  if (at_call) return Refused{placed(std::move(diagnostic), stack)};
  add_callers(diagnostic, stack);
  return Refused{std::move(diagnostic)};
}

Outcome CallDispatch::inline_live(const nb::object& function, Arguments arguments) {
  auto lowered = machine_.sources.lower(function);
  if (!lowered) throw not_lowered(machine_, state_, std::move(lowered.error()));
  return inline_function(*lowered, source_of(function), std::move(arguments));
}

Outcome CallDispatch::call_object(ObjectRef callee, Arguments arguments) {
  const Object object = state_.heap.at(callee);
  if (const auto* function = std::get_if<FunctionObject>(&object))
    return inline_function(function->code, source_of(*function), std::move(arguments));
  if (const auto* method = std::get_if<MethodObject>(&object)) {
    prepend(arguments, method->self);
    return call(machine_, state_, method->function, std::move(arguments), on_return_, kept_);
  }
  if (const auto* method = std::get_if<NativeMethodObject>(&object))
    return machine_.builtins.call_method(machine_, state_, method->self, method->name, arguments);
  if (const auto* partial = std::get_if<PartialObject>(&object)) {
    Arguments all{partial->arguments, mapping_entries(machine_, state_, partial->keywords)};
    all.positional.insert(all.positional.end(), arguments.positional.begin(), arguments.positional.end());
    for (const auto& [name, value] : arguments.keywords) put_keyword(all, name, value);
    return call(machine_, state_, partial->function, std::move(all), on_return_, kept_);
  }
  if (const auto* instance = std::get_if<InstanceObject>(&object)) {
    if (instance->live.is_valid() && machine_.torch.is_module(instance->live))
      return call_module(callee, instance->live, std::move(arguments));
    if (machine_.torch.is_module_class(instance->type) && !machine_.torch.own_call(instance->type).is_valid())
      return run_forward(callee, machine_.torch.blank_module(), std::move(arguments));
    if (auto called = call_special(machine_, state_, callee, "__call__", std::move(arguments), on_return_))
      return std::move(*called);
  }
  return machine_.raise(PyExc_TypeError, "'" + kind_name(object) + "' object is not callable");
}

Outcome CallDispatch::call_live(const nb::object& callee, Arguments arguments) {
  if (auto native = machine_.builtins.call(machine_, state_, callee, arguments)) return std::move(*native);
  if (auto method = call_object_method(machine_, state_, callee, arguments)) return std::move(*method);
  if (const nb::object model = machine_.torch.drawing_model_of(callee); model.is_valid())
    return inline_live(model, std::move(arguments));  // whatever is known of the arguments, it draws
  if (const nb::object model = machine_.torch.model_of(callee); model.is_valid()) {
    if (!writes_in_place(callee))
      if (auto done = try_static(machine_, state_, callee, arguments)) return std::move(*done);
    if (root_of(module_name_of(callee)) == "numpy" && !any_abstract(arguments))
      return call_static(machine_, state_, callee, arguments);  // which says what is wrong with them
    return inline_live(model, std::move(arguments));
  }
  if (auto modelled = call_modelled_method(callee, arguments)) return std::move(*modelled);
  if (const nb::object function = class_of_apply(callee); function.is_valid()) {
    prepend(arguments, known(function));
    return call_prelude(machine_, state_, "apply_function", std::move(arguments), on_return_);
  }
  if (machine_.torch.is_partial(callee)) return call_partial(callee, std::move(arguments));
  if (machine_.torch.is_script(callee))
    if (const nb::object written = scripted_function(machine_, state_, callee, arguments); written.is_valid())
      return inline_live(written, std::move(arguments));
  refuse_script(machine_, state_, callee);
  if (machine_.torch.is_module(callee)) return call_module(known(callee), callee, std::move(arguments));
  if (auto called = call_as_module(callee, arguments)) return std::move(*called);
  if (machine_.torch.is_followed(callee)) return inline_live(callee, std::move(arguments));
  if (PyFunction_Check(callee.ptr()) || PyType_Check(callee.ptr()))
    refuse_outside_world(machine_, state_, callee);
  if (PyType_Check(callee.ptr())) return instantiate(machine_, state_, callee, std::move(arguments));
  if (PyMethod_Check(callee.ptr())) return call_bound(callee, std::move(arguments));
  const std::string kind = machine_.torch.classify(callee);
  if (!kind.empty() && kind != "inline") return call_torch(callee, kind, std::move(arguments));
  if (PyCFunction_Check(callee.ptr())) return call_builtin_method(callee, std::move(arguments));
  if (PyFunction_Check(callee.ptr())) {
    if (auto done = try_static(machine_, state_, callee, arguments)) return std::move(*done);
    if (auto module = unchanged_module(machine_, state_, callee, arguments)) return std::move(*module);
    return inline_live(callee, std::move(arguments));
  }
  return call_unknown(callee, std::move(arguments));
}

// weight.new(2, 3): a method of a live tensor that has a model.
std::optional<Outcome> CallDispatch::call_modelled_method(const nb::object& callee, Arguments& arguments) {
  if (!PyCFunction_Check(callee.ptr())) return std::nullopt;
  const nb::object owner = attribute_or_null(callee, "__self__");
  if (!owner.is_valid() || !machine_.torch.is_tensor(owner)) return std::nullopt;
  const nb::object method =
      attribute_or_null(machine_.torch.tensor_class(), text_or_empty(callee, "__name__").c_str());
  if (!method.is_valid()) return std::nullopt;
  nb::object model = machine_.torch.model_of(method);
  if (!model.is_valid()) model = machine_.torch.drawing_model_of(method);
  if (!model.is_valid()) return std::nullopt;
  prepend(arguments, current(state_, known(owner)));
  return inline_live(model, std::move(arguments));
}

// A setting of the process that the program asks for: it holds for what was compiled.
void CallDispatch::note_setting(const nb::object& callee, const Arguments& arguments, const Outcome& answer) {
  static const std::set<std::string> kSettings{
      "get_default_dtype",  "get_default_device",     "is_autocast_enabled",      "is_autocast_cpu_enabled",
      "get_autocast_dtype", "get_autocast_cpu_dtype", "is_autocast_cache_enabled"};
  const auto* value = std::get_if<AbstractValue>(&answer);
  const std::string name = text_or_empty(callee, "__name__");
  if (value == nullptr || value->constant() == nullptr || !kSettings.contains(name)) return;
  // Inside of an autocast of the model's own, the answer does not depend on the process.
  if (name.find("autocast") != std::string::npos && in_autocast(state_)) return;
  nb::list device;  // all that any of them takes
  for (const AbstractValue& given : arguments.positional) device.append(*given.constant());
  for (const auto& [key, given] : arguments.keywords) device.append(*given.constant());
  machine_.note_fact(state_, text_of_question(full_name_of(callee), nb::tuple(device), {}),
                     *value->constant());
}

const char* hint_of_randomness(bool has_formula) {
  return has_formula ? "compile with randomness=\"inputs\", or pass the random tensor as an input"
                     : "pass the random tensor as an input; randomness=\"inputs\" knows no formula for it";
}

Outcome CallDispatch::call_torch(const nb::object& callee, const std::string& kind, Arguments arguments) {
  if (kind == "random" || kind == "impure" || kind == "refused") {
    const bool random = kind == "random";
    machine_.refuse(
        state_, random ? "python.randomness" : "python.impure_call",
        full_name_of(callee) + (random ? " draws random numbers" : " is not supported in a model"),
        random ? hint_of_randomness(machine_.torch.has_formula(callee)) : "call it outside the model");
  }
  const bool writes = writes_in_place(callee, arguments);
  if (!any_abstract(arguments) && !writes) {
    if (auto done = try_static(machine_, state_, callee, arguments)) {
      note_setting(callee, arguments, *done);
      return std::move(*done);
    }
    if (PyFunction_Check(callee.ptr())) return inline_live(callee, std::move(arguments));
    return call_static(machine_, state_, callee, arguments);
  }
  const bool converts = text_or_empty(callee, "__name__") == "type" && arguments.positional.size() > 1;
  if (kind == "metadata" && !converts) return call_metadata(machine_, state_, callee, arguments);
  if (kind == "reads" && !arguments.positional.empty()) {
    const auto name = nb::cast<std::string>(callee.attr("__name__"));
    const auto* tensor = state_.heap.get<TensorObject>(current(state_, arguments.positional[0]));
    const bool is_open_row =
        tensor != nullptr && tensor->spec->shape.size() == 1 && tensor->spec->has_open_shape();
    if (name == "tolist" && is_open_row)
      return call_prelude(machine_, state_, "list_of_row", std::move(arguments), on_return_);
    return read_tensor(machine_, state_, arguments.positional[0], read_kind(name));
  }
  return call_leaf(machine_, state_, callee, arguments);
}

Outcome CallDispatch::call_module(const AbstractValue& module, const nb::object& live, Arguments arguments) {
  refuse_script(machine_, state_, live);
  if (const nb::object own = machine_.torch.own_call(live.type()); own.is_valid()) {
    prepend(arguments, module);
    return inline_live(own, std::move(arguments));
  }
  return standard_call(module, live, std::move(arguments));
}

// nn.Module.__call__(module, …): super().__call__, or what was put in its place calls it.
std::optional<Outcome> CallDispatch::call_as_module(const nb::object& callee, Arguments& arguments) {
  if (arguments.positional.empty() || !machine_.torch.is_standard_call(callee)) return std::nullopt;
  const AbstractValue module = current(state_, arguments.positional.front());
  const auto* instance = state_.heap.get<InstanceObject>(module);
  const nb::object live = instance != nullptr ? instance->live
                          : module.constant() ? nb::object(*module.constant())
                                              : nb::object();
  const bool made = !live.is_valid() && instance != nullptr && machine_.torch.is_module_class(instance->type);
  if (!made && (!live.is_valid() || !machine_.torch.is_module(live))) return std::nullopt;
  arguments.positional.erase(arguments.positional.begin());
  if (made) return run_forward(module, machine_.torch.blank_module(), std::move(arguments));
  return standard_call(module, live, std::move(arguments));
}

Outcome CallDispatch::standard_call(const AbstractValue& module, const nb::object& live,
                                    Arguments arguments) {
  const std::string kind = machine_.torch.classify_layer(live);
  const bool is_inline = kind == "inline" || (kind == "leaf" && runs_steps(live, arguments));
  if (!is_inline && is_as_it_was(state_, live)) return call_layer(live, kind, std::move(arguments));
  return run_forward(module, live, std::move(arguments));
}

// With the hooks of the live module, global ones included.
Outcome CallDispatch::run_forward(const AbstractValue& module, const nb::object& live, Arguments arguments) {
  refuse_written_hooks(machine_, state_, module);
  if (const nb::object hooks = machine_.torch.hooks_of(live); !hooks.is_none()) {
    AbstractValue positional = make_tuple(machine_, state_, arguments.positional);
    DictObject keywords{{}, nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type)), {}};
    for (const auto& [name, value] : arguments.keywords)
      keywords.entries.emplace_back(nb::str(name.c_str()), value);
    Arguments staged{{module, known(hooks), positional, state_.make(std::move(keywords))}, {}};
    return call_prelude(machine_, state_, "call_with_hooks", std::move(staged), on_return_);
  }
  Outcome forward = get_attr(machine_, state_, module, "forward");
  auto* found = std::get_if<AbstractValue>(&forward);
  if (found == nullptr) return forward;
  return call(machine_, state_, *found, std::move(arguments), on_return_, kept_);
}

// A recurrent layer runs as it is written on a packed sequence, which is a named tuple, and as a cell on as
// many sequences as the input says.
bool CallDispatch::runs_steps(const nb::object& layer, const Arguments& arguments) const {
  const auto is_a = [&](const char* name) {
    return is_subtype(layer.type(), library_object("torch.nn.modules.rnn", name));
  };
  const auto holds = [&](const auto& fact) {
    return std::ranges::any_of(arguments.positional,
                               [&](const AbstractValue& value) { return fact(current(state_, value)); });
  };
  if (is_a("RNNBase"))
    return holds([&](const AbstractValue& value) {
      const auto* tuple = state_.heap.get<TupleObject>(value);
      return tuple != nullptr && !tuple->type.is(nb::handle(reinterpret_cast<PyObject*>(&PyTuple_Type)));
    });
  return is_a("RNNCellBase") && holds([&](const AbstractValue& value) {
           const auto* tensor = state_.heap.get<TensorObject>(value);
           return tensor != nullptr && !tensor->spec->symbols.empty();
         });
}

Outcome CallDispatch::call_layer(const nb::object& module, const std::string& kind, Arguments arguments) {
  const auto name = nb::cast<std::string>(module.type().attr("__name__"));
  if (kind != "leaf")
    machine_.refuse(state_, "python.training_mode",
                    name + " is in training mode, where it is random or changes its own state",
                    machine_.torch.is_dropout(module)
                        ? "call model.eval() before compiling, or compile with randomness=\"inputs\""
                        : "call model.eval() before compiling");
  if (any_abstract(arguments)) return call_leaf(machine_, state_, module, arguments);
  const nb::object inplace = attribute_or_null(module, "inplace");
  if (!inplace.is_valid() || !inplace.is(Py_True)) return call_static(machine_, state_, module, arguments);
  prepend(arguments, known(module));  // it writes to what is known: its code says where
  return inline_live(type_attribute(module.type(), "forward"), std::move(arguments));
}

// os.environ.get: the method may be anybody's, the object is the outside world's.
bool CallDispatch::is_outside_object(const nb::object& self) const {
  const nb::object type = type_of_live(self);
  if (PyType_Check(self.ptr()) || !is_library(type)) return false;
  return why_unlisted(machine_.torch, type) == Unlisted::OutsideWorld &&
         root_of(module_name_of(type)) != "torch";
}

Outcome CallDispatch::call_outside(const nb::object& self, const std::string& name, Arguments arguments) {
  const nb::object type = type_of_live(self);
  const nb::object model = machine_.torch.method_model(type, name);
  if (!model.is_valid())
    machine_.refuse(state_, "python.impure_call", outside_text(full_name_of(type) + "." + name),
                    "call it outside of the model, and pass what it gives as an input");
  prepend(arguments, known(self));
  return inline_live(model, std::move(arguments));
}

Outcome CallDispatch::call_bound(const nb::object& method, Arguments arguments) {
  const nb::object self = method.attr("__self__");
  const nb::object function = method.attr("__func__");
  const bool is_forward = machine_.torch.is_module(self) && PyFunction_Check(function.ptr()) &&
                          nb::cast<std::string>(function.attr("__name__")) == "forward";
  if (is_forward && machine_.torch.is_plain_layer(self) && is_as_it_was(state_, self) &&
      !runs_steps(self, arguments))
    return call_layer(self, machine_.torch.classify_layer(self), std::move(arguments));
  const bool of_context = has_attribute(self, "__exit__") && PyFunction_Check(function.ptr());
  if (!of_context)
    if (auto done = try_static(machine_, state_, method, arguments)) return std::move(*done);
  if (auto module = unchanged_module(machine_, state_, method, arguments)) return std::move(*module);
  if (is_outside_object(self))
    return call_outside(self, text_or_empty(function, "__name__"), std::move(arguments));
  const bool changes_layer = module_name_of(function) == "torch.nn.modules.module" &&
                             why_unlisted(machine_.torch, function) == Unlisted::Mutating;
  const bool is_made = machine_.ownership.made_layers.contains(self);
  if (changes_layer && !is_made && !any_abstract(arguments) && state_.overlay.empty())
    refuse_unlisted(machine_, state_, function, Unlisted::Mutating);
  prepend(arguments, known(self));
  if (of_context) return inline_live(function, std::move(arguments));  // `clone` of @torch.no_grad()
  return call(machine_, state_, known(function), std::move(arguments), on_return_, kept_);
}

Outcome CallDispatch::call_partial(const nb::object& partial, Arguments arguments) {
  Arguments all;
  for (const nb::handle value : nb::object(partial.attr("args")))
    all.positional.push_back(known(nb::borrow(value)));
  all.positional.insert(all.positional.end(), arguments.positional.begin(), arguments.positional.end());
  all.keywords = mapping_entries(machine_, state_, current(state_, known(partial.attr("keywords"))));
  for (const auto& [name, value] : arguments.keywords) put_keyword(all, name, value);
  return call(machine_, state_, known(partial.attr("func")), std::move(all), on_return_, kept_);
}

namespace {

bool changes_deque(const std::string& name) {
  static const std::set<std::string> kChanges{"append",     "appendleft", "clear", "extend",
                                              "extendleft", "insert",     "pop",   "popleft",
                                              "reverse",    "remove",     "rotate"};
  return kChanges.contains(name);
}

}  // namespace

Outcome CallDispatch::call_on_twin(const nb::object& live, const std::string& name, Arguments arguments) {
  const Outcome method = get_attr(machine_, state_, twin_of(machine_, state_, live), name);
  const auto* found = std::get_if<AbstractValue>(&method);
  return found == nullptr ? method : call(machine_, state_, *found, std::move(arguments), on_return_, kept_);
}

Outcome CallDispatch::call_builtin_method(const nb::object& method, Arguments arguments) {
  const nb::object self = nb::getattr(method, "__self__", nb::none());
  const auto name = nb::cast<std::string>(method.attr("__name__"));
  const AbstractValue owner = current(state_, known(self));
  const bool is_method = !self.is_none() && !PyModule_Check(self.ptr()) && !PyType_Check(self.ptr());
  if (is_method && is_live_deque(self) && (owner.object() != nullptr || changes_deque(name)))
    return call_on_twin(self, name, std::move(arguments));
  if (is_method && machine_.builtins.has_method(machine_, state_, owner, name))
    return machine_.builtins.call_method(machine_, state_, owner, name, arguments);
  return call_unknown(method, std::move(arguments));
}

Outcome CallDispatch::call_unknown(const nb::object& callee, Arguments arguments) {
  if (const nb::object model = machine_.torch.method_model(callee.type(), "__call__"); model.is_valid()) {
    prepend(arguments, known(callee));
    return inline_live(model, std::move(arguments));
  }
  if (auto called = call_special(machine_, state_, known(callee), "__call__", arguments, on_return_))
    return std::move(*called);
  if (!any_abstract(arguments) || machine_.torch.listed_write(named(callee).function))
    return call_static(machine_, state_, callee, arguments);
  machine_.refuse(
      state_, "python.no_source",
      full_name_of(callee) +
          " is called with values that depend on the input or that the model made, and has no Python source",
      "use a torch function, or write it in Python");
}

Outcome dispatch_call(Machine& machine, State& state, const AbstractValue& now, Arguments arguments,
                      OnReturn on_return, AbstractValue kept) {
  CallDispatch dispatch(machine, state, on_return, std::move(kept));
  if (const ObjectRef* ref = now.object()) return dispatch.call_object(*ref, std::move(arguments));
  if (const nb::object* live = now.constant())
    return dispatch.call_live(nb::object(*live), std::move(arguments));
  return machine.raise(PyExc_TypeError,
                       "'" + nb::cast<std::string>(type_of(machine, state, now).attr("__name__")) +
                           "' object is not callable");
}

}  // namespace

Outcome call(Machine& machine, State& state, const AbstractValue& callee, Arguments arguments,
             OnReturn on_return, AbstractValue kept) {
  const Arguments given = arguments;
  try {
    Outcome outcome = dispatch_call(machine, state, current(state, callee), std::move(arguments), on_return,
                                    std::move(kept));
    if (is_type_error(machine, state, outcome)) refuse_missed_conversion(machine, state, given);
    return outcome;
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_TypeError)) refuse_missed_conversion(machine, state, given);
    throw;
  }
}

Outcome call_prelude(Machine& machine, State& state, const char* name, Arguments arguments,
                     OnReturn on_return, std::uint32_t operand) {
  CallDispatch dispatch(machine, state, on_return, {});
  dispatch.operand = operand;
  const nb::object function = machine.torch.prelude_function(name);
  auto lowered = machine.sources.lower(function);
  if (!lowered) throw Refused{std::move(lowered.error())};
  return dispatch.inline_function(*lowered, source_of(function), std::move(arguments));
}

}  // namespace dycl::partial_eval
