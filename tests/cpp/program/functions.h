// SPDX-License-Identifier: Apache-2.0
// Small functions, written by hand.
#pragma once

#include <string>
#include <vector>

#include "program/function.h"

namespace dycl::program {

inline RegisterId add_register(Function& function, std::string name,
                               RegisterKind kind = RegisterKind::Local) {
  function.registers.push_back({std::move(name), kind});
  return RegisterId(function.registers.size() - 1);
}

inline RegisterId add_parameter(Function& function, const std::string& name) {
  const RegisterId id = add_register(function, name);
  function.parameters.push_back({name, ParameterKind::Positional, id});
  return id;
}

inline BlockId add_block(Function& function, std::vector<Instruction> instructions, Terminator terminator) {
  function.blocks.push_back({std::move(instructions), terminator, {}, {}});
  return BlockId(function.blocks.size() - 1);
}

inline Instruction add(RegisterId result, RegisterId left, RegisterId right) {
  return {.op = Op::Binary, .result = result, .operands = {left, right}, .operation = Operation::Add};
}

inline Instruction move(RegisterId to, RegisterId from) {
  return {.op = Op::Move, .result = to, .operands = {from}};
}

// Blocks that only jump: the edges of each.
inline Function graph(const std::vector<std::vector<std::size_t>>& edges) {
  Function function;
  const RegisterId condition = add_parameter(function, "c");
  for (const std::vector<std::size_t>& targets : edges) {
    if (targets.empty()) {
      add_block(function, {}, Return{condition});
    } else if (targets.size() == 1) {
      add_block(function, {}, Jump{BlockId(targets[0])});
    } else {
      add_block(function, {}, Branch{condition, BlockId(targets[0]), BlockId(targets[1])});
    }
  }
  return function;
}

}  // namespace dycl::program
