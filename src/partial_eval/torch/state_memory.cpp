// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/state_memory.h"

#include <algorithm>
#include <map>

#include "partial_eval/values/layouts.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

WatchedMemory::Part memory_of(const nb::object& tensor) {
  const nb::object storage = tensor.attr("untyped_storage")();
  const auto begin = nb::cast<std::uintptr_t>(storage.attr("data_ptr")());
  return {begin, begin + nb::cast<std::uintptr_t>(storage.attr("nbytes")())};
}

// The tensor that an attribute holds before the first call; null: a number.
nb::object first_tensor(const Machine& machine, const MarkedAttribute& marked) {
  nb::object now = attribute_or_null(marked.owner, marked.key.second.c_str());
  return now.is_valid() && machine.torch.is_tensor(now) ? now : nb::object();
}

// What a call leaves in an attribute that is state.
struct Left {
  MarkedAttribute* marked = nullptr;
  StorageId storage;  // invalid: of a live tensor
};

class MemoryLeft {
 public:
  MemoryLeft(Machine& machine, const State& state)
      : machine_(machine), state_(state), across_(machine.across_calls) {}

  void note() {
    for (const auto& [number, attribute] : across_.state_attributes)
      if (attribute.spec != nullptr) note_attribute(attribute);
    for (const Left& one : left_) {
      if (!one.storage.valid()) continue;
      for (const Left& other : left_)
        if (one.marked != other.marked && one.storage == other.storage) one.marked->shares_memory = true;
      if (MarkedTensor* tensor = state_tensor(one.storage)) {
        one.marked->shares_memory = true;
        tensor->shares_memory = true;
      }
    }
  }

 private:
  void note_attribute(const StateAttribute& attribute) {
    auto& marked = *std::ranges::find(across_.attributes_left, attribute.key, &MarkedAttribute::key);
    const auto* owner = state_.heap.get<InstanceObject>(AbstractValue(*state_.overlay.find(attribute.owner)));
    const auto found = owner->attributes.find(attribute.key.second);
    if (found == nullptr) return;
    const AbstractValue value = current(state_, *found);
    if (const auto* tensor = state_.heap.get<TensorObject>(value)) {
      left_.push_back({&marked, tensor->storage});
      marked.is_not_ours =
          marked.is_not_ours || (tensor->outside && state_tensor(tensor->storage) == nullptr);
      note_layout(marked, attribute.spec, tensor->spec, tensor->free_layout || tensor->layout);
    } else if (const nb::object* live = value.constant(); live != nullptr && machine_.torch.is_tensor(*live)) {
      marked.is_not_ours = marked.is_not_ours || !machine_.ownership.created.contains(live->ptr());
      note_layout(marked, attribute.spec, machine_.torch.spec_of(*live), false);
    }
  }

  void note_layout(MarkedAttribute& marked, const SpecPtr& first, const SpecPtr& now, bool is_free) {
    if (first->shape.size() != now->shape.size()) return;  // of another type: refused
    marked.is_not_ours = marked.is_not_ours || repeats_elements(*now);
    const bool changes = !have_one_layout(first, now);
    marked.lies_freely = marked.lies_freely || changes || is_free;
    if (changes) across_.layout_changed = marked.read;
  }

  // The mark of the state that calls write to in place, and that has this storage.
  MarkedTensor* state_tensor(StorageId storage) {
    for (MarkedTensor& marked : across_.tensors_left) {
      const ObjectRef* twin = state_.overlay.find(marked.tensor);
      if (twin != nullptr && tensor_at(state_, *twin).storage == storage) return &marked;
    }
    return nullptr;
  }

  Machine& machine_;
  const State& state_;
  AcrossCalls& across_;
  std::vector<Left> left_;
};

[[noreturn]] void refuse(const std::string& message, const std::string& hint,
                         const std::vector<SourceSpan>& where) {
  Diagnostic diagnostic{Blame::Unsupported, "python.state_memory", message, {}, hint};
  throw Refused{placed(std::move(diagnostic), where)};
}

}  // namespace

bool is_held_at_first(const Machine& machine, const nb::object& tensor) {
  return std::ranges::any_of(machine.marks.state_attributes, [&](const MarkedAttribute& marked) {
    return first_tensor(machine, marked).is(tensor);
  });
}

void mark_shared_memory(Machine& machine) {
  std::map<std::uintptr_t, std::vector<bool*>> flags;
  for (MarkedAttribute& marked : machine.marks.state_attributes)
    if (const nb::object tensor = first_tensor(machine, marked); tensor.is_valid())
      flags[memory_of(tensor).begin].push_back(&marked.shares_memory);
  for (MarkedTensor& marked : machine.marks.state_tensors)
    if (!is_held_at_first(machine, marked.tensor))
      flags[memory_of(marked.tensor).begin].push_back(&marked.shares_memory);
  for (const auto& [begin, sharing] : flags)
    if (begin != 0 && sharing.size() > 1)
      for (bool* flag : sharing) *flag = true;
  machine.across_calls.tensors_left = machine.marks.state_tensors;
  machine.across_calls.attributes_left = machine.marks.state_attributes;
}

void watch_memory(Machine& machine, State& state) {
  auto watched = std::make_shared<WatchedMemory>();
  for (const MarkedTensor& marked : machine.marks.state_tensors)
    if (!is_held_at_first(machine, marked.tensor)) watched->parts.push_back(memory_of(marked.tensor));
  const std::size_t written = watched->parts.size();
  for (const MarkedAttribute& marked : machine.marks.state_attributes)
    if (const nb::object tensor = first_tensor(machine, marked); tensor.is_valid())
      watched->parts.push_back(memory_of(tensor));
  if (watched->parts.empty()) return;
  watched->read = [&machine, written](const State& reader, std::size_t part) {
    if (part < written)
      machine.refuse(reader, "python.state_memory",
                     "a tensor or array is read that shares its memory with one which is kept from call to "
                     "call, and which the program writes to",
                     "give each of them memory of its own: clone()");
    if (machine.across_calls.first_held_read.empty())
      machine.across_calls.first_held_read = machine.spans(reader);
  };
  state.watched = std::move(watched);
}

void note_memory_left(Machine& machine, const State& state) { MemoryLeft(machine, state).note(); }

void check_state_memory(Machine& machine) {
  const AcrossCalls& across = machine.across_calls;
  const bool is_known = across.tensors_left == machine.marks.state_tensors &&
                        across.attributes_left == machine.marks.state_attributes;
  machine.marks.state_tensors = across.tensors_left;
  machine.marks.state_attributes = across.attributes_left;
  if (!is_known) throw Restart{};
  if (across.first_held_written && !across.first_held_read.empty())
    refuse("a tensor or array is read here that shares its memory with what an attribute holds before the "
           "first call, and calls write to that memory",
           "give the attribute memory of its own: clone()", across.first_held_read);
  const bool layout_decides = machine.inputs.layout_read || machine.inputs.layout_used;
  if (layout_decides && !across.layout_changed.empty())
    refuse("a call leaves a tensor with other strides in this attribute than it had at first, and strides "
           "decide something",
           "keep a contiguous() tensor in it", across.layout_changed);
}

}  // namespace dycl::partial_eval
