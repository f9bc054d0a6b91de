// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/handlers.h"

#include <algorithm>

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// A context manager of torch, or nullcontext: exceptions pass it.
bool never_suppresses(const State& state, const AbstractValue& manager) {
  nb::object type;
  if (const nb::object* live = manager.constant()) type = nb::borrow(live->type());
  if (const auto* instance = state.heap.get<InstanceObject>(manager)) type = instance->type;
  if (!type.is_valid()) return false;
  return root_of(module_name_of(type)) == "torch" || type.is(library_object("contextlib", "nullcontext"));
}

bool catches(const State& state, const Frame& frame, const program::Handler& handler) {
  const program::Block& block = frame.function->ir.block(handler.target);
  const auto* leaves = std::get_if<program::Branch>(&block.terminator);
  for (const program::Instruction& instruction : block.instructions) {
    if (instruction.op != program::Op::ExitContext || leaves == nullptr) continue;
    if (!never_suppresses(state, frame.registers[instruction.operands[0].index()])) return true;
    const program::Block& onwards = frame.function->ir.block(leaves->else_target);
    if (!std::holds_alternative<program::Reraise>(onwards.terminator)) return true;
    return onwards.handler.has_value() && catches(state, frame, *onwards.handler);
  }
  return true;
}

}  // namespace

bool may_be_caught(const State& state) {
  return std::any_of(state.frames.begin(), state.frames.end(), [&](const auto& frame) {
    const auto& handler = frame->function->ir.block(frame->block).handler;
    return handler.has_value() && catches(state, *frame, *handler);
  });
}

}  // namespace dycl::partial_eval
