// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/ports.h"

#include <fmt/format.h>
#include <algorithm>

#include "partial_eval/data/numbers.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/state_memory.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

std::string shown(const MarkedAttribute& marked) {
  return fmt::format("{}.{}", class_name(type_of_live(marked.owner)), marked.key.second);
}

// The model's own tensor that this is, or is a view of, with its name; nullopt: there is none.
std::optional<std::pair<std::string, nb::object>> holder_in_model(const Machine& machine,
                                                                  const nb::object& tensor) {
  const nb::object& model = machine.across_calls.model;
  if (!model.is_valid() || !machine.torch.is_module(model)) return std::nullopt;
  return machine.torch.holder_of(model, tensor);
}

std::string port_name(const Machine& machine, const MarkedAttribute& marked) {
  const nb::object& model = machine.across_calls.model;
  if (!machine.torch.is_module(model)) return shown(marked);
  return machine.torch.attribute_name(model, marked.owner, marked.key.second);
}

[[noreturn]] void refuse_kind(const MarkedAttribute& marked, const std::string& what) {
  Diagnostic diagnostic{
      Blame::Unsupported,
      "python.state_kind",
      fmt::format("the attribute {} is to be kept from call to call, but {}", shown(marked), what),
      {},
      "begin with a tensor or number of the type that it has later, or pass it in and return it"};
  throw Refused{placed(std::move(diagnostic), marked.read)};
}

std::string unique_name(const Hcfg& graph, const std::string& wanted) {
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(graph.inputs, [&](const Port& port) { return port.name == name; });
  };
  std::string name = wanted;
  for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", wanted, number);
  return name;
}

// One state of the graph, with the tensor's contents at first.
std::uint32_t add_port(Machine& machine, const std::string& name, const nb::object& tensor) {
  Hcfg& graph = machine.emitter.graph;
  const Type type = machine.torch.spec_of(tensor)->type;
  const std::string unique = unique_name(graph, name);
  const ValueId value = graph.add_value(type, unique);
  graph.inputs.push_back({unique, value, type, false, machine.emitter.contents(tensor)});
  return static_cast<std::uint32_t>(graph.inputs.size() - 1);
}

void add_tensor(Machine& machine, State& state, const MarkedTensor& marked, StorageId shared) {
  const nb::object& tensor = marked.tensor;
  const std::uint32_t number = add_port(machine, holder_in_model(machine, tensor)->first, tensor);
  TensorObject made{machine.emitter.graph.inputs[number].value, machine.torch.spec_of(tensor),
                    marked.shares_memory ? shared : fresh_storage(), true};
  if (marked.shares_memory) made.at = std::nullopt;
  const ObjectRef ref = state.heap.add(Object(std::move(made)));
  state.overlay.set(tensor, ref);
  state.ports.emplace(number, ref);
}

AbstractValue number_of_port(Machine& machine, State& state, std::uint32_t number, ScalarKind kind) {
  const ValueId value = machine.emitter.graph.inputs[number].value;
  return ScalarValue{
      machine.emitter.host(state, HostOp::Item, {value}, ScalarType{kind}, "state", {}, SourceId()), kind,
      nullptr};
}

// Of the attribute's value now, when it is not known at compile time.
std::optional<ValueId> id_of(const State& state, const AttributeKey& key, const nb::object& owner) {
  const auto* instance = state.heap.get<InstanceObject>(AbstractValue(*state.overlay.find(owner)));
  const AbstractValue* found = instance->attributes.find(key.second);
  if (found == nullptr) return std::nullopt;
  if (const ScalarValue* scalar = found->scalar()) return scalar->id;
  const auto* tensor = state.heap.get<TensorObject>(*found);
  return tensor == nullptr ? std::nullopt : std::optional(tensor->value);
}

// The tensor that an attribute holds when a call begins: at the first call the live one, and then what the
// last call left. So the live one is read as it is where the program finds it elsewhere.
AbstractValue tensor_of_port(Machine& machine, State& state, std::uint32_t number, const nb::object& now,
                             const MarkedAttribute& marked, StorageId shared) {
  TensorObject made{machine.emitter.graph.inputs[number].value, machine.torch.spec_of(now),
                    marked.shares_memory ? shared : fresh_storage(), marked.is_not_ours};
  if (marked.shares_memory) made.at = std::nullopt;
  made.free_layout = marked.lies_freely;
  made.first_held = true;
  return state.make(std::move(made));
}

void add_attribute(Machine& machine, State& state, const MarkedAttribute& marked, StorageId shared) {
  const AttributeKey& key = marked.key;
  const nb::object& owner = marked.owner;
  const std::string port = port_name(machine, marked);
  const nb::object now = attribute_or_null(owner, key.second.c_str());
  if (!now.is_valid()) refuse_kind(marked, "it is not there before the first call");
  const ObjectRef twin = twin_of(machine, state, owner);
  AbstractValue value;
  std::uint32_t number = 0;
  SpecPtr spec;
  if (machine.torch.is_tensor(now)) {
    number = add_port(machine, port, now);
    spec = machine.torch.spec_of(now);
    value = tensor_of_port(machine, state, number, now, marked, shared);
  } else {
    const auto kind = number_kind(known(now));
    if (!kind || !known_scalar(known(now)))
      refuse_kind(marked, fmt::format("it begins as {}", nb::cast<std::string>(nb::repr(now))));
    const nb::object torch = nb::module_::import_("torch");
    const char* dtype = *kind == ScalarKind::Bool ? "bool" : *kind == ScalarKind::I64 ? "int64" : "float64";
    number = add_port(machine, port, torch.attr("tensor")(now, nb::arg("dtype") = torch.attr(dtype)));
    value = number_of_port(machine, state, number, *kind);
  }
  state.heap.edit_as<InstanceObject>(twin).attributes.set(key.second, std::move(value));
  machine.across_calls.state_attributes.emplace(number,
                                                StateAttribute{key, owner, id_of(state, key, owner), spec});
}

const MarkedAttribute& mark_of(const Machine& machine, const AttributeKey& key) {
  return *std::ranges::find(machine.marks.state_attributes, key, &MarkedAttribute::key);
}

// The value that an attribute has at the end of a call, as the state's own type.
ValueId final_value(Machine& machine, State& state, std::uint32_t number, const AttributeKey& key,
                    const nb::object& owner) {
  const auto* instance = state.heap.get<InstanceObject>(AbstractValue(*state.overlay.find(owner)));
  if (instance->forgotten.contains(key.second)) throw Restart{{}, {key.second}};
  const AbstractValue* found = instance->attributes.find(key.second);
  const MarkedAttribute& marked = mark_of(machine, key);
  if (found == nullptr || !found->bound()) refuse_kind(marked, "a call deletes it");
  const AbstractValue value = machine.refined(state, current(state, *found));
  const Type& wanted = machine.emitter.graph.inputs[number].type;
  ValueId id;
  if (const auto* tensor = state.heap.get<TensorObject>(value)) {
    refuse_unwritten(machine, state, *tensor, "the next call");
    id = tensor->value;
  } else if (const nb::object* live = value.constant(); live != nullptr && machine.torch.is_tensor(*live)) {
    id = machine.emitter.weight(*live);
  } else if (const auto kind = number_kind(value)) {
    const ScalarValue scalar{scalar_id(machine, state, value), *kind, nullptr};
    id = machine.emitter.tensor_of_scalar(state, scalar, machine.source(state));
  } else {
    refuse_kind(marked, "a call leaves something in it that is neither a tensor nor a number");
  }
  if (machine.emitter.graph.type_of(id) == wanted) return id;
  refuse_kind(marked, "a call leaves a value of another type in it");
}

}  // namespace

void follow_inputs(Machine& machine, State& state) {
  if (!machine.marks.writes_inputs) return;
  for (std::size_t number = 0; number < machine.inputs.objects.size(); ++number)
    state.ports.emplace(static_cast<std::uint32_t>(number), machine.inputs.objects[number]);
}

void add_states(Machine& machine, State& state) {
  const StorageId shared = fresh_storage();
  mark_shared_memory(machine);
  for (const MarkedAttribute& marked : machine.marks.state_attributes)
    add_attribute(machine, state, marked, shared);
  for (const MarkedTensor& marked : machine.marks.state_tensors)
    if (!is_held_at_first(machine, marked.tensor)) add_tensor(machine, state, marked, shared);
  watch_memory(machine, state);
}

bool may_write_outside(Machine& machine, const State& state, const TensorObject& tensor) {
  if (tensor.static_base.is_valid()) {
    make_state_of(machine, state, tensor.static_base);
    return false;
  }
  for (const auto& [number, ref] : state.ports)
    if (std::get<TensorObject>(state.heap.at(ref)).storage == tensor.storage) return true;
  if (machine.marks.writes_inputs || machine.inputs.objects.empty()) return false;
  machine.marks.writes_inputs = true;
  throw Restart{};
}

void make_state_of(Machine& machine, const State& state, const nb::object& tensor) {
  if (!machine.options.state) return;
  const auto holder = holder_in_model(machine, tensor);
  if (!holder) return;
  const nb::object& held = holder->second;
  for (const MarkedTensor& marked : machine.marks.state_tensors)
    if (marked.tensor.is(held)) return;  // two tensors of the model share memory
  machine.marks.state_tensors.push_back({held, machine.spans(state)});
  throw Restart{};
}

void make_state_of(Machine& machine, const AttributeKey& attribute, const nb::object& owner,
                   const std::vector<SourceSpan>& read) {
  machine.marks.state_attributes.push_back({attribute, owner, read});
  throw Restart{};
}

bool is_state(const Machine& machine, const AttributeKey& attribute) {
  return std::ranges::find(machine.marks.state_attributes, attribute, &MarkedAttribute::key) !=
         machine.marks.state_attributes.end();
}

void refuse_exception_after_write(const Machine& machine, const State& state) {
  const bool written = std::ranges::any_of(state.ports, [&](const auto& port) {
    return std::get<TensorObject>(state.heap.at(port.second)).value !=
           machine.emitter.graph.inputs[port.first].value;
  });
  const bool changed = std::ranges::any_of(machine.across_calls.state_attributes, [&](const auto& entry) {
    return id_of(state, entry.second.key, entry.second.owner) != entry.second.initial;
  });
  if (written || changed)
    machine.refuse(state, "python.write_before_raise",
                   "an exception may leave the program here, after it has written to an input or to state: "
                   "the caller would not see that write",
                   "check first and write afterwards, or write to a copy and return it");
}

void add_writes(Machine& machine, State& state, Return& made) {
  note_memory_left(machine, state);
  std::map<std::uint32_t, ValueId> written;
  for (const auto& [number, ref] : state.ports) {
    const ValueId value = std::get<TensorObject>(state.heap.at(ref)).value;
    if (value != machine.emitter.graph.inputs[number].value) written.emplace(number, value);
  }
  for (const auto& [number, attribute] : machine.across_calls.state_attributes)
    if (id_of(state, attribute.key, attribute.owner) != attribute.initial)
      written.emplace(number, final_value(machine, state, number, attribute.key, attribute.owner));
  for (const auto& [number, value] : written) {
    made.writes.push_back(number);
    made.values.push_back(value);
  }
}

}  // namespace dycl::partial_eval
