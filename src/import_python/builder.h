// SPDX-License-Identifier: Apache-2.0
// Builds the blocks of one function. The builder knows registers, constants and handlers, but nothing of
// syntax.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <optional>
#include <string>

#include "import_python/import_python.h"

namespace dycl::import_python {

class FunctionBuilder {
 public:
  explicit FunctionBuilder(PythonFunction& target) : target_(target) { start(new_block()); }

  program::RegisterId declare(std::string name, program::RegisterKind kind);
  program::RegisterId temporary();
  [[nodiscard]] bool is_temporary(program::RegisterId id) const {
    return target_.ir.register_of(id).kind == program::RegisterKind::Temporary;
  }

  // Each of these returns the register that holds the value. Positions are those of set_position.
  program::RegisterId constant(nanobind::object value);
  program::RegisterId emit(program::Instruction instruction);  // into a new temporary
  program::RegisterId emit(program::Op op, std::vector<program::RegisterId> operands, std::string name = {});
  program::RegisterId copy(program::RegisterId value);
  // Emits an instruction into the given register; `effect` emits one without a result.
  void emit_into(program::RegisterId result, program::Instruction instruction);
  void effect(program::Op op, std::vector<program::RegisterId> operands, std::string name = {});
  void move(program::RegisterId to, program::RegisterId from);
  // Like move, but lets the instruction that has just made the temporary `from` write `to` instead.
  void move_or_rename(program::RegisterId to, program::RegisterId from);

  program::BlockId new_block();
  void start(program::BlockId block);
  // Ends the block. Instructions that follow are not reachable until the next start().
  void terminate(program::Terminator terminator);
  void jump(program::BlockId target) { terminate(program::Jump{target}); }
  void branch(program::RegisterId condition, program::BlockId then_target, program::BlockId else_target) {
    terminate(program::Branch{condition, then_target, else_target});
  }

  using Handler = std::optional<program::Handler>;
  [[nodiscard]] const Handler& handler() const { return handler_; }
  void set_handler(Handler handler);  // for the blocks that follow

  [[nodiscard]] const program::Position& position() const { return position_; }
  void set_position(const program::Position& position) { position_ = position; }

 private:
  PythonFunction& target_;
  program::BlockId current_;
  Handler handler_;
  program::Position position_;
  std::map<std::string, std::uint32_t> constant_numbers_;
  std::size_t temporaries_ = 0;
};

}  // namespace dycl::import_python
