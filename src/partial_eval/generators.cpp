// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/control.h"

namespace dycl::partial_eval {

AbstractValue make_generator(State& state, Frame frame) {
  GeneratorObject generator;
  generator.frame = std::move(frame);
  const ObjectRef ref = state.heap.add(Object(std::move(generator)));
  state.heap.edit_as<GeneratorObject>(ref).frame.generator = ref.id;
  return ref;
}

Outcome resume(Machine& machine, State& state, ObjectRef ref, OnReturn on_return, AbstractValue kept) {
  auto& generator = state.heap.edit_as<GeneratorObject>(ref);
  if (generator.running) return machine.raise(PyExc_ValueError, "generator already executing");
  if (generator.finished) {
    if (kept.bound()) return kept;
    return machine.raise(PyExc_StopIteration, "");
  }
  generator.running = true;
  generator.started = true;
  Frame frame = generator.frame;
  generator.frame = Frame{};  // what it holds is on the stack now
  frame.generator = ref.id;
  frame.on_return = on_return;
  frame.kept = std::move(kept);
  machine.push(state, std::move(frame));
  return Pushed{};
}

}  // namespace dycl::partial_eval
