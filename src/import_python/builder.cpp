// SPDX-License-Identifier: Apache-2.0
#include "import_python/builder.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

namespace dycl::import_python {

namespace nb = nanobind;
using namespace program;

namespace {

constexpr std::size_t kPrintedLength = 60;

// Constants that may share a number: immutable and told apart by type and text (0.0 is not -0.0).
bool is_plain(nb::handle value) {
  return value.is_none() || nb::isinstance<nb::bool_>(value) || nb::isinstance<nb::int_>(value) ||
         nb::isinstance<nb::float_>(value) || nb::isinstance<nb::str>(value);
}

std::string printed(nb::handle value) {
  const nb::str text = nb::repr(value);
  if (nb::len(text) <= kPrintedLength) return nb::cast<std::string>(text);
  const nb::object start = nb::steal(PyUnicode_Substring(text.ptr(), 0, kPrintedLength));
  return nb::cast<std::string>(start) + "…";
}

}  // namespace

RegisterId FunctionBuilder::declare(std::string name, RegisterKind kind) {
  target_.ir.registers.push_back({std::move(name), kind});
  return RegisterId(target_.ir.registers.size() - 1);
}

RegisterId FunctionBuilder::temporary() {
  return declare(fmt::format("%{}", temporaries_++), RegisterKind::Temporary);
}

RegisterId FunctionBuilder::constant(nb::object value) {
  Instruction instruction{.op = Op::Const};
  const std::string key =
      fmt::format("{}:{}", Py_TYPE(value.ptr())->tp_name, nb::cast<std::string>(nb::repr(value)));
  const auto known = constant_numbers_.find(key);
  if (known != constant_numbers_.end() && is_plain(value)) {
    instruction.index = known->second;
  } else {
    instruction.index = static_cast<std::uint32_t>(target_.constants.size());
    constant_numbers_.emplace(key, instruction.index);
    target_.ir.constants.push_back(printed(value));
    target_.constants.push_back(std::move(value));
  }
  return emit(std::move(instruction));
}

RegisterId FunctionBuilder::emit(Instruction instruction) {
  const RegisterId result = temporary();
  emit_into(result, std::move(instruction));
  return result;
}

RegisterId FunctionBuilder::emit(Op op, std::vector<RegisterId> operands, std::string name) {
  return emit(Instruction{.op = op, .operands = std::move(operands), .name = std::move(name)});
}

RegisterId FunctionBuilder::copy(RegisterId value) { return emit(Op::Move, {value}); }

void FunctionBuilder::emit_into(RegisterId result, Instruction instruction) {
  instruction.result = result;
  instruction.position = position_;
  target_.ir.block(current_).instructions.push_back(std::move(instruction));
}

void FunctionBuilder::effect(Op op, std::vector<RegisterId> operands, std::string name) {
  emit_into({}, Instruction{.op = op, .operands = std::move(operands), .name = std::move(name)});
}

void FunctionBuilder::move(RegisterId to, RegisterId from) {
  emit_into(to, Instruction{.op = Op::Move, .operands = {from}});
}

void FunctionBuilder::move_or_rename(RegisterId to, RegisterId from) {
  auto& instructions = target_.ir.block(current_).instructions;
  if (is_temporary(from) && !instructions.empty() && instructions.back().result == from) {
    instructions.back().result = to;
  } else {
    move(to, from);
  }
}

program::BlockId FunctionBuilder::new_block() {
  target_.ir.blocks.emplace_back();
  return program::BlockId(target_.ir.blocks.size() - 1);
}

void FunctionBuilder::start(program::BlockId block) {
  current_ = block;
  target_.ir.block(block).handler = handler_;
}

void FunctionBuilder::terminate(Terminator terminator) {
  Block& block = target_.ir.block(current_);
  block.terminator = std::move(terminator);
  block.position = position_;
  start(new_block());
}

void FunctionBuilder::set_handler(Handler handler) {
  if (handler == handler_) return;
  const program::BlockId next = new_block();
  jump(next);
  handler_ = handler;
  start(next);
}

}  // namespace dycl::import_python
