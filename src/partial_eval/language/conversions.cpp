// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/conversions.h"

#include <array>

#include "partial_eval/language/exceptions.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

constexpr std::array kConversions{"__index__", "__int__",   "__float__", "__complex__",
                                  "__trunc__", "__floor__", "__ceil__",  "__round__",
                                  "__pow__",   "__rpow__",  "__bytes__", "__fspath__"};

nb::object class_of_object(const State& state, const AbstractValue& value) {
  if (const auto* instance = state.heap.get<InstanceObject>(value)) return instance->type;
  if (const nb::object* live = value.constant()) return type_of_live(*live);
  return {};
}

// The conversion that the object's class writes in Python; null: there is none.
const char* conversion_of(const Machine& machine, const State& state, const AbstractValue& value) {
  const nb::object type = class_of_object(state, value);
  if (!type.is_valid() || is_subtype(type, machine.torch.tensor_class())) return nullptr;
  for (const char* name : kConversions)
    if (python_method(type, name).is_valid() || is_borrowed(type, name)) return name;
  return nullptr;
}

void refuse_object(const Machine& machine, const State& state, const AbstractValue& value) {
  const char* conversion = conversion_of(machine, state, value);
  if (conversion == nullptr) return;
  machine.refuse(state, "python.conversion",
                 "Python may ask an object of the class " + class_name(class_of_object(state, value)) +
                     " for what it stands for here (it defines " + conversion + "), and DyCL does not",
                 "convert it first, for example with int(…) or float(…)");
}

// Operators of numbers ask for no conversion: only what repeats or formats a sequence does.
bool is_plain_operator(const State& state, const program::Instruction& instruction) {
  using program::Op;
  if (instruction.op == Op::Unary || instruction.op == Op::Compare || instruction.op == Op::Contains)
    return true;
  if (instruction.op != Op::Binary) return false;
  for (const program::RegisterId id : instruction.operands) {
    const AbstractValue value = current(state, state.top().registers[id.index()]);
    const nb::object* live = value.constant();
    const bool is_sequence = live != nullptr ? PySequence_Check(live->ptr()) != 0
                                             : state.heap.get<ListObject>(value) != nullptr ||
                                                   state.heap.get<TupleObject>(value) != nullptr ||
                                                   state.heap.get<TextObject>(value) != nullptr;
    if (is_sequence) return false;
  }
  return true;
}

}  // namespace

void refuse_missed_conversion(const Machine& machine, const State& state) {
  const Frame& frame = state.top();
  if (machine.torch.is_prelude(frame.function->ir.file)) {
    for (const AbstractValue& value : frame.registers)
      if (value.bound()) refuse_object(machine, state, current(state, value));
    return;
  }
  const program::Block& block = frame.function->ir.block(frame.block);
  if (frame.instruction >= block.instructions.size()) return;
  const program::Instruction& instruction = block.instructions[frame.instruction];
  if (is_plain_operator(state, instruction)) return;
  for (const program::RegisterId id : instruction.operands)
    refuse_object(machine, state, current(state, frame.registers[id.index()]));
}

void refuse_missed_conversion(const Machine& machine, const State& state, const Arguments& arguments) {
  for (const AbstractValue& value : arguments.positional)
    refuse_object(machine, state, current(state, value));
  for (const auto& [name, value] : arguments.keywords) refuse_object(machine, state, current(state, value));
}

bool is_type_error(Machine& machine, State& state, const Outcome& outcome) {
  const auto* raised = std::get_if<Raised>(&outcome);
  return raised != nullptr &&
         exception_matches(machine, state, raised->exception, nb::borrow(PyExc_TypeError));
}

}  // namespace dycl::partial_eval
