// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/explore/variant_entry.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/overloaded.h"
#include "hcfg/type_join.h"
#include "partial_eval/data/elements.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/explore/join.h"
#include "partial_eval/explore/kept.h"
#include "partial_eval/torch/ports.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

TensorType tensor_of(ScalarKind kind) {
  const DType dtype = kind == ScalarKind::Bool  ? DType::Bool
                      : kind == ScalarKind::I64 ? DType::I64
                                                : DType::F64;
  return {dtype, std::vector<Dim>{}, {}};
}

// How the children of an object are reached from it, in the order of for_each_child.
std::vector<std::string> steps_to_children(const Object& object) {
  std::vector<std::string> steps;
  const auto numbered = [&](std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) steps.push_back(fmt::format("[{}]", place));
  };
  std::visit(
      Overloaded{
          [&](const ListObject& list) { numbered(list.items.size()); },
          [&](const TupleObject& tuple) { numbered(tuple.items.size()); },
          [&](const DictObject& dict) {
            for (const auto& [key, value] : dict.entries)
              steps.push_back(is_atom(key) ? fmt::format("[{}]", nb::cast<std::string>(nb::repr(key)))
                                           : "[…]");
            steps.emplace_back();
          },
          [&](const InstanceObject& instance) {
            for (const auto& [name, value] : instance.attributes)
              steps.push_back(name.starts_with('<') ? "" : "." + name);
          },
          [&](const auto&) { for_each_child(object, [&](const AbstractValue&) { steps.emplace_back(); }); }},
      object);
  return steps;
}

class Entering {
 public:
  Entering(Machine& machine, State& entry, const State& variant, bool optional)
      : machine_(machine), entry_(entry), variant_(variant), optional_(optional) {
    for (const auto& [live, twin] : variant.overlay.entries()) live_of_.emplace(twin.id, live);
  }

  Begin run() {
    for (const auto& [number, ref] : entry_.ports) {
      const TensorObject& tensor = tensor_at(entry_, ref);
      if (machine_.emitter.graph.inputs[number].is_state()) begin_.ports.emplace(tensor.value, number);
    }
    for (const nb::object& tensor : machine_.marks.state_tensors) take_state_tensor(tensor);
    for (const StateSlot& slot : machine_.marks.state_slots) take_slot(slot);
    for (const auto& [id, number] : numbers_)
      if (const auto size = variant_.sizes.find(id); size != variant_.sizes.end())
        entry_.sizes.emplace(number.id, size->second);
    begin_.state = kept_part(machine_, entry_);
    begin_.state.bound_sizes = symbols_in(begin_.state);
    return std::move(begin_);
  }

 private:
  // Its contents are an input already; what is known of its memory is what the variant says.
  void take_state_tensor(const nb::object& tensor) {
    const TensorObject& held = tensor_at(variant_, *variant_.overlay.find(tensor));
    auto& taken = entry_.heap.edit_as<TensorObject>(*entry_.overlay.find(tensor));
    storages_.emplace(held.storage, taken.storage);
    const ValueId value = taken.value;
    const StorageId storage = taken.storage;
    taken = held;
    taken.value = value;
    taken.storage = storage;
  }

  void take_slot(const StateSlot& slot) {
    const ObjectRef ref = *variant_.overlay.find(slot.owner);
    if (slot.name.starts_with('<')) {
      take_object(ref, slot.shown);
      entry_.overlay.set(slot.owner, ref);
      return;
    }
    const AbstractValue held = variant_.heap.get<InstanceObject>(ref)->attributes.at(slot.name);
    // What neither the model nor the call before has set is looked for in the class.
    if (!held.bound() && !held_attribute(machine_, slot.owner, slot.name).is_valid()) return;
    const ObjectRef twin = twin_of(machine_, entry_, slot.owner);
    AbstractValue taken = take(held, slot.shown);
    entry_.heap.edit_as<InstanceObject>(twin).attributes.set(slot.name, std::move(taken));
  }

  AbstractValue take(const AbstractValue& value, const std::string& name) {
    if (const ScalarValue* scalar = value.scalar()) return take_number(*scalar, name);
    const ObjectRef* ref = value.object();
    if (ref == nullptr) return value;
    if (const auto live = live_of_.find(ref->id); live != live_of_.end()) return known(live->second);
    take_object(*ref, name);
    return value;
  }

  AbstractValue take_number(const ScalarValue& scalar, const std::string& name) {
    const auto [entry, is_new] = numbers_.try_emplace(scalar.id);
    if (!is_new) return entry->second;
    const auto [tensor, port] = add_input(name, tensor_of(scalar.kind));
    const ValueId number =
        machine_.emitter.host(entry_, HostOp::Item, {tensor}, ScalarType{scalar.kind}, "state");
    begin_.ports.emplace(number, port);
    return entry->second = ScalarValue{number, scalar.kind, scalar.origins};
  }

  void take_object(ObjectRef ref, const std::string& name) {
    if (entry_.heap.contains(ref.id)) return;
    Object object = variant_.heap.at(ref);
    entry_.heap.put(ref.id, object);  // it may contain itself
    if (auto* tensor = std::get_if<TensorObject>(&object)) {
      take_tensor(*tensor, name);
    } else if (auto* sequence = std::get_if<SequenceObject>(&object)) {
      take_sequence(*sequence, name);
    } else {
      const std::vector<std::string> steps = steps_to_children(object);
      std::vector<AbstractValue> children;
      for_each_child(object, [&](const AbstractValue& child) {
        children.push_back(take(child, name + steps[children.size()]));
      });
      replace_children(object, std::move(children));
    }
    entry_.heap.put(ref.id, std::move(object));
  }

  void take_tensor(TensorObject& tensor, const std::string& name) {
    const auto [value, port] = add_input(name, tensor.spec->type);
    tensor.value = value;
    begin_.ports.emplace(value, port);
    if (const auto known = storages_.find(tensor.storage); known != storages_.end())
      tensor.storage = known->second;
  }

  void take_sequence(SequenceObject& sequence, const std::string& name) {
    Type element = ScalarType{ScalarKind::I64};
    if (const ScalarValue* number = sequence.element.scalar()) element = ScalarType{number->kind};
    if (const ObjectRef* ref = sequence.element.object()) {
      entry_.heap.put(ref->id, variant_.heap.at(*ref));
      element = tensor_at(variant_, *ref).spec->type;
    }
    const auto [value, port] = add_input(name, seq_of(element));
    sequence.value = value;
    begin_.ports.emplace(value, port);
  }

  // The value, and the number of the input that it comes from.
  std::pair<ValueId, std::uint32_t> add_input(const std::string& name, Type type) {
    Hcfg& graph = machine_.emitter.graph;
    type = refresh_symbols(type, fresh_symbols(graph));
    const std::uint32_t port = add_state(machine_, name, optional_ ? optional_of(type) : type, {});
    const ValueId input = graph.inputs[port].value;
    if (!optional_) return {input, port};
    type = refresh_symbols(type, fresh_symbols(graph));
    return {machine_.emitter.host(entry_, HostOp::Unwrap, {input}, std::move(type), "state"), port};
  }

  Machine& machine_;
  State& entry_;
  const State& variant_;
  bool optional_;
  Begin begin_;
  std::map<HeapId, nb::object> live_of_;    // by their twins in the variant
  std::map<ValueId, ScalarValue> numbers_;  // by what they are in the variant
  std::map<StorageId, StorageId>
      storages_;  // of tensors of the model, as the variant and as this call has them
};

TensorPtr contents_of(Machine& machine, const AbstractValue& value) {
  const nb::object& live = *value.constant();
  if (machine.torch.is_tensor(live)) return machine.emitter.contents(live);
  const Scalar number = *known_scalar(value);
  Hcfg& graph = machine.emitter.graph;
  const ValueId constant = machine.emitter.number(number);
  for (const Constant& each : graph.constants)
    if (each.value == constant) return each.data;
  internal_error("a number has no constant");
}

FirstContents first_contents(Machine& machine, const State& held, const AbstractValue& value) {
  if (const ScalarValue* written =
          value.scalar()) {  // the id of a tensor that the program writes to in place
    const auto& inputs = machine.emitter.graph.inputs;
    return *std::ranges::find(inputs, written->id, &Port::value)->initial;
  }
  FirstContents contents;
  const auto elements = known_elements(held, value);
  if (!elements) return {contents_of(machine, value)};
  for (const AbstractValue& element : *elements) contents.push_back(contents_of(machine, element));
  return contents;
}

}  // namespace

Begin enter_variant(Machine& machine, State& entry, const State& variant, bool optional) {
  return Entering(machine, entry, variant, optional).run();
}

void begin_with(Machine& machine, const Begin& begin, const State& held) {
  const JoinOptions options{.same_iterations = false, .of_calls = true};
  Join join(machine, {&begin.state, &held}, options);
  if (!join.run()) internal_error("a variant does not hold what the model holds: " + join.obstacle);
  for (const JoinedValue& value : join.values) {
    const auto port = begin.ports.find(*id_of(begin.state, value.sides[0]));
    if (port == begin.ports.end()) continue;
    machine.emitter.graph.inputs[port->second].initial = first_contents(machine, held, value.sides[1]);
  }
}

}  // namespace dycl::partial_eval
