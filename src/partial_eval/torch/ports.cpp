// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/ports.h"

#include <fmt/format.h>
#include <algorithm>

#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/state_memory.h"
#include "partial_eval/torch/tensor_writes.h"

namespace dycl::partial_eval {
namespace {

// The model's own tensor that this is, or is a view of, with its name; nullopt: there is none.
std::optional<std::pair<std::string, nb::object>> holder_in_model(const Machine& machine,
                                                                  const nb::object& tensor) {
  return machine.torch.holder_of(machine.across_calls.model, tensor);
}

std::string unique_name(const Hcfg& graph, const std::string& wanted) {
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(graph.inputs, [&](const Port& port) { return port.name == name; });
  };
  std::string name = wanted;
  for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", wanted, number);
  return name;
}

void add_tensor(Machine& machine, State& state, const nb::object& tensor, StorageId storage, bool is_shared) {
  if (state.overlay.find(tensor) != nullptr) return;
  const std::string name = holder_in_model(machine, tensor)->first;
  const SpecPtr spec = machine.torch.spec_of(tensor);
  const std::uint32_t number = add_state(machine, name, spec->type, {machine.emitter.contents(tensor)});
  TensorObject made{machine.emitter.graph.inputs[number].value, spec, storage, true};
  if (is_shared) made.at = std::nullopt;
  const ObjectRef ref = state.heap.add(Object(std::move(made)));
  state.overlay.set(tensor, ref);
  state.ports.emplace(number, ref);
}

}  // namespace

std::uint32_t add_state(Machine& machine, const std::string& name, const Type& type, FirstContents initial) {
  Hcfg& graph = machine.emitter.graph;
  const std::string unique = unique_name(graph, name);
  const ValueId value = graph.add_value(type, unique);
  graph.inputs.push_back({unique, value, type, false, std::move(initial)});
  return static_cast<std::uint32_t>(graph.inputs.size() - 1);
}

void follow_inputs(Machine& machine, State& state) {
  if (!machine.marks.writes_inputs) return;
  for (std::size_t number = 0; number < machine.inputs.objects.size(); ++number)
    state.ports.emplace(static_cast<std::uint32_t>(number), machine.inputs.objects[number]);
}

void add_state_tensors(Machine& machine, State& state) {
  const std::vector<StorageId> storages = storages_of_state_tensors(machine);
  for (std::size_t index = 0; index < storages.size(); ++index)
    add_tensor(machine, state, machine.marks.state_tensors[index], storages[index],
               std::ranges::count(storages, storages[index]) > 1);
  watch_memory(machine, state);
}

bool may_write_outside(Machine& machine, const State& state, const TensorObject& tensor) {
  if (tensor.static_base.is_valid()) {
    follow_from_the_start(machine, tensor.static_base);
    make_state_of(machine, tensor.static_base);
    return false;
  }
  for (const auto& [number, ref] : state.ports)
    if (std::get<TensorObject>(state.heap.at(ref)).storage == tensor.storage) return true;
  if (machine.marks.writes_inputs || machine.inputs.objects.empty()) return false;
  machine.marks.writes_inputs = true;
  throw Restart{};
}

void make_state_of(Machine& machine, const nb::object& tensor) {
  if (!machine.options.state) return;
  const auto holder = holder_in_model(machine, tensor);
  if (!holder) return;
  const nb::object& held = holder->second;
  for (const nb::object& marked : machine.marks.state_tensors)
    if (marked.is(held)) return;  // two tensors of the model share memory
  machine.marks.state_tensors.push_back(held);
  throw Restart{};
}

void keep_writes_before_exception(Machine& machine, State& state) {
  bool writes_state = false;
  for (const auto& [number, ref] : state.ports) {
    const Port& port = machine.emitter.graph.inputs[number];
    const ValueId contents = tensor_at(state, ref).value;
    if (contents == port.value) continue;
    if (port.is_state())
      writes_state = true;
    else
      machine.emitter.leave_if_raised(state, number, contents);
  }
  const auto& has_written = machine.across_calls.has_written;
  if (writes_state || (has_written && has_written(state)))
    machine.warn(state,
                 "an exception may leave the program here, after it has written to its state: the state then "
                 "stays as it was before the call, where eager keeps what was written");
}

void add_writes(Machine& machine, State& state, Return& made) {
  std::map<std::uint32_t, ValueId> written;
  for (const auto& [number, ref] : state.ports) {
    const ValueId value = std::get<TensorObject>(state.heap.at(ref)).value;
    if (value != machine.emitter.graph.inputs[number].value) written.emplace(number, value);
  }
  if (machine.across_calls.leave) machine.across_calls.leave(state, written);
  for (const auto& [number, value] : written) {
    made.writes.push_back(number);
    made.values.push_back(value);
  }
}

}  // namespace dycl::partial_eval
