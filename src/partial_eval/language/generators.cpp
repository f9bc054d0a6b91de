// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/generators.h"

#include <fmt/format.h>

#include "partial_eval/language/exceptions.h"
#include "partial_eval/language/instantiate.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// The name stands for a class of exceptions, of which GeneratorExit is none.
bool is_exception(const Frame& frame, const std::string& name) {
  const nb::object own = entry_or_null(frame.globals, name);
  const nb::object type =
      own.is_valid() ? own : attribute_or_null(nb::module_::import_("builtins"), name.c_str());
  return type.is_valid() && PyType_Check(type.ptr()) != 0 && is_subtype(type, PyExc_Exception);
}

// Whether a `try` or `with` does something with the GeneratorExit that Python throws into a generator which
// is dropped: one that names other exceptions does not.
bool takes_exit(const Frame& frame, const program::Handler& handler) {
  const program::Function& ir = frame.function->ir;
  for (const program::Block* block = &ir.block(handler.target);;) {
    if (std::holds_alternative<program::Reraise>(block->terminator) && block->instructions.empty())
      return block->handler.has_value() && takes_exit(frame, *block->handler);
    const auto* branch = std::get_if<program::Branch>(&block->terminator);
    bool asks = false;
    for (const program::Instruction& instruction : block->instructions) {
      asks = asks || instruction.op == program::Op::ExceptionMatches;
      const bool names_exception =
          instruction.op == program::Op::LoadGlobal && is_exception(frame, instruction.name);
      if (!asks && !names_exception && instruction.op != program::Op::BuildTuple) return true;
    }
    if (!asks || branch == nullptr) return true;
    block = &ir.block(branch->else_target);
  }
}

}  // namespace

AbstractValue make_generator(State& state, Frame frame) {
  GeneratorObject generator;
  generator.frame = std::move(frame);
  const ObjectRef ref = state.heap.add(Object(std::move(generator)));
  state.heap.edit_as<GeneratorObject>(ref).frame.generator = ref.id;
  return ref;
}

Raised raise_stop(Machine& machine, State& state, const AbstractValue& returned) {
  const nb::object type = nb::borrow(PyExc_StopIteration);
  if (returned.is_none()) return Raised{known(type())};
  Outcome made = instantiate(machine, state, type, Arguments{{returned}, {}});
  if (auto* exception = std::get_if<AbstractValue>(&made)) return Raised{std::move(*exception)};
  internal_error("StopIteration is made by code of the user's");
}

void refuse_abandoned(const Machine& machine, const State& state, const GeneratorObject& generator) {
  const Frame& frame = generator.frame;
  if (!generator.started || generator.running || generator.finished) return;
  const auto& handler = frame.function->ir.block(frame.block).handler;
  if (!handler.has_value() || !takes_exit(frame, *handler)) return;
  machine.refuse(
      state, "python.abandoned_generator",
      fmt::format("the generator {}() is left inside of a try or with, whose end Python would run later",
                  frame.function->ir.name),
      "walk it to its end, or keep the try outside of the generator");
}

Outcome resume(Machine& machine, State& state, ObjectRef ref, OnReturn on_return, AbstractValue kept) {
  auto& generator = state.heap.edit_as<GeneratorObject>(ref);
  if (generator.running) return machine.raise(PyExc_ValueError, "generator already executing");
  if (generator.finished) {
    if (kept.bound()) return kept;
    return Raised{known(nb::borrow(PyExc_StopIteration)())};
  }
  generator.running = true;
  generator.started = true;
  Frame frame = generator.frame;
  generator.frame = Frame{};  // what it holds is on the stack now
  frame.generator = ref.id;
  frame.resumed = frame.iterations.size();
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
