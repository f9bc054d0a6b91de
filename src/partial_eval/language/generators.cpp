// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/generators.h"

#include "partial_eval/language/exceptions.h"

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
  frame.resumed = true;
  frame.on_return = on_return;
  frame.kept = std::move(kept);
  machine.push(state, std::move(frame));
  return Pushed{};
}

Outcome send(Machine& machine, State& state, ObjectRef ref, const AbstractValue& value) {
  auto& generator = state.heap.edit_as<GeneratorObject>(ref);
  const bool suspended = generator.started && !generator.running && !generator.finished;
  if (!suspended && !value.is_none() && !generator.finished)
    return machine.raise(PyExc_TypeError, "can't send non-None value to a just-started generator");
  if (suspended) {
    Frame& frame = generator.frame;
    const program::Instruction& yield =
        frame.function->ir.block(frame.block).instructions[frame.instruction - 1];
    if (yield.index == 1 && !value.is_none())
      machine.refuse(state, "python.generator_method", "a value is sent into a `yield from`",
                     "send it to the inner generator");
    if (yield.result.valid()) frame.registers[yield.result.index()] = value;
  }
  return resume(machine, state, ref, OnReturn::Next, {});
}

Outcome throw_into(Machine& machine, State& state, ObjectRef ref, const AbstractValue& exception) {
  const auto& generator = std::get<GeneratorObject>(state.heap.at(ref));
  Outcome raised = raise_value(machine, state, exception, {});
  if (!generator.started || generator.finished || !std::holds_alternative<Raised>(raised)) return raised;
  Outcome resumed = resume(machine, state, ref, OnReturn::Next, {});
  if (!std::holds_alternative<Pushed>(resumed)) return resumed;
  --state.edit_top().instruction;  // it is raised by the yield
  return raised;
}

}  // namespace dycl::partial_eval
