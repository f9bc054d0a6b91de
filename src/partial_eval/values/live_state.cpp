// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/live_state.h"

#include <algorithm>

namespace dycl::partial_eval {
namespace {

using program::RegisterId;

void add(std::vector<RegisterId>& live, const std::vector<RegisterId>& more) {
  live.insert(live.end(), more.begin(), more.end());
  std::sort(live.begin(), live.end());
  live.erase(std::unique(live.begin(), live.end()), live.end());
}

class Reach {
 public:
  explicit Reach(const State& state) : state_(state) {}

  void everything() {
    for (std::size_t depth = 0; depth < state_.frames.size(); ++depth) {
      const Frame& frame = *state_.frames[depth];
      registers(frame, live_registers(state_, depth));
      if (frame.generator.valid()) value(ObjectRef{frame.generator});
    }
    for (const auto& [object, twin] : state_.overlay.entries()) value(twin);
    for (const auto& [number, tensor] : state_.ports) value(tensor);
    for (const auto& [number, container] : state_.containers) value(container);
  }

  std::set<HeapId> objects;
  std::set<ValueId> scalars;

 private:
  void registers(const Frame& frame, const std::vector<RegisterId>& live) {
    for (const RegisterId id : live) value(frame.registers[id.index()]);
    value(frame.kept);
    for (const auto& [operand, replaced] : frame.replaced) value(replaced);
  }

  void value(const AbstractValue& seen) {
    if (const ScalarValue* scalar = seen.scalar()) scalars.insert(scalar->id);
    const ObjectRef* ref = seen.object();
    if (ref == nullptr || !objects.insert(ref->id).second) return;
    const Object& object = state_.heap.at(*ref);
    if (const auto* generator = std::get_if<GeneratorObject>(&object)) {
      if (!generator->running && !generator->finished)
        registers(generator->frame, live_registers(generator->frame));
      return;
    }
    for_each_child(object, [this](const AbstractValue& child) { value(child); });
    if (const auto* text = std::get_if<TextObject>(&object))
      for (const ScalarValue& scalar : text->scalars) scalars.insert(scalar.id);
  }

  const State& state_;
};

}  // namespace

std::vector<RegisterId> live_registers(const Frame& frame) {
  return frame.function->liveness.before(frame.block, frame.instruction);
}

std::vector<RegisterId> live_registers(const State& state, std::size_t depth) {
  const Frame& frame = *state.frames[depth];
  if (depth + 1 == state.frames.size()) return live_registers(frame);
  const program::Block& block = frame.function->ir.block(frame.block);
  const OnReturn waits_for = state.frames[depth + 1]->on_return;
  const bool executes_again =
      waits_for == OnReturn::Operand || frame.instruction >= block.instructions.size();
  if (executes_again) return live_registers(frame);
  std::vector<RegisterId> live = frame.function->liveness.before(frame.block, frame.instruction + 1);
  std::erase(live, block.instructions[frame.instruction].result);
  if (block.handler) add(live, frame.function->liveness.at_entry(block.handler->target));
  return live;
}

void for_each_live_object(const State& state, const std::function<void(HeapId, const Object&)>& visit) {
  Reach reach(state);
  reach.everything();
  for (const HeapId id : reach.objects) visit(id, state.heap.at(ObjectRef{id}));
}

void drop_dead(State& state, const std::function<void(const GeneratorObject&)>& dropped) {
  for (std::size_t depth = 0; depth < state.frames.size(); ++depth) {
    const std::vector<RegisterId> live = live_registers(state, depth);
    Frame& frame = state.edit_frame(depth);
    std::size_t next = 0;
    for (std::size_t index = 0; index < frame.registers.size(); ++index) {
      if (next < live.size() && live[next].index() == index) {
        ++next;
        continue;
      }
      frame.registers[index] = AbstractValue();
    }
  }
  Reach reach(state);
  reach.everything();
  state.heap.for_each([&](ObjectRef ref, const Object& object) {
    if (const auto* generator = std::get_if<GeneratorObject>(&object);
        generator != nullptr && !reach.objects.contains(ref.id))
      dropped(*generator);
  });
  state.heap.keep_only([&](HeapId id) { return reach.objects.contains(id); });
  std::erase_if(state.truths, [&](const auto& entry) { return !reach.scalars.contains(entry.first); });
}

}  // namespace dycl::partial_eval
