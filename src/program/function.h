// SPDX-License-Identifier: Apache-2.0
// A function of the user's model as a control-flow graph on registers. Frontends for programming languages
// build it; src/partial_eval runs it. Everything that Python decides by syntax (scopes, short circuits,
// try/finally, with) is plain blocks here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/source_span.h"
#include "program/instruction.h"

namespace dycl::program {

using BlockId = Id<struct ProgramBlockTag>;

// Cell: a local that inner functions share. Its register holds the cell itself all the time: empty at
// entry, or filled with the argument if it is a parameter. Free: a cell of an enclosing function, given
// by the closure. Both are read and written by LoadCell, StoreCell, DeleteCell alone.
enum class RegisterKind : std::uint8_t { Temporary, Local, Cell, Free };

struct Register {
  std::string name;  // as in co_varnames (private names mangled); temporaries are "%n"
  RegisterKind kind = RegisterKind::Temporary;
};

enum class ParameterKind : std::uint8_t { PositionalOnly, Positional, Star, KeywordOnly, DoubleStar };

// A parameter. Its default belongs to the function object, not to its code.
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::Positional;
  RegisterId register_id;  // Local or Cell
};

struct Jump {
  BlockId target;
};
// The truth of `condition` decides; asking for it may raise.
struct Branch {
  RegisterId condition;
  BlockId then_target;
  BlockId else_target;
};
// Puts the next element into `result` and goes to `body`; if there is none, goes to `exit`.
struct ForNext {
  RegisterId iterator;
  RegisterId result;
  BlockId body;
  BlockId exit;
  RegisterId returned =
      {};  // valid for `yield from` only: the value of StopIteration, set on the way to exit
};
struct Return {
  RegisterId value;
};
// Raises `exception` from `cause`, both as the user wrote them (class or instance).
struct Raise {
  RegisterId exception;
  RegisterId cause = {};  // invalid: no `from`
};
// Raises a caught exception again, unchanged.
struct Reraise {
  RegisterId exception;
};
struct Unreachable {};

using Terminator = std::variant<Jump, Branch, ForNext, Return, Raise, Reraise, Unreachable>;

// Where control goes when an instruction or the terminator of the block raises.
struct Handler {
  BlockId target;
  RegisterId exception;  // gets the exception instance

  bool operator==(const Handler&) const = default;
};

struct Block {
  std::vector<Instruction> instructions;
  Terminator terminator = Unreachable{};
  Position position = {};  // of the terminator
  std::optional<Handler> handler = {};
};

struct Function {
  std::string name;
  std::string qualified_name;
  std::string file;
  std::uint32_t first_line = 0;
  std::vector<Parameter> parameters;  // in the order of the signature: a, /, b, *args, c, **kwargs
  std::vector<Register> registers;
  std::vector<RegisterId> free_variables;    // in the order of co_freevars
  std::vector<Block> blocks;                 // blocks[0] is the entry
  std::vector<std::string> constants;        // their printed text; the objects are kept by the frontend
  std::vector<std::string> inner_functions;  // their qualified names; kept by the frontend too
  bool is_generator = false;

  [[nodiscard]] const Block& block(BlockId id) const { return blocks[id.index()]; }
  [[nodiscard]] Block& block(BlockId id) { return blocks[id.index()]; }
  [[nodiscard]] const Register& register_of(RegisterId id) const { return registers[id.index()]; }
  [[nodiscard]] SourceSpan span(const Position& position) const {
    return {file, position.line, position.column, {}};
  }
};

// Returns the targets of the terminator, in its order, without the handler.
std::vector<BlockId> successors(const Terminator& terminator);
// Returns the same, and the handler's target.
std::vector<BlockId> successors(const Block& block);
// Returns the registers that the terminator reads.
std::vector<RegisterId> operands_of(const Terminator& terminator);

}  // namespace dycl::program
