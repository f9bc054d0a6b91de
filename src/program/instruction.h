// SPDX-License-Identifier: Apache-2.0
// One instruction of the control-flow IR: Python's operations on registers, in evaluation order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace dycl::program {

using RegisterId = Id<struct RegisterTag>;

// Lines and columns count from 1, columns in characters; the end is exclusive. Line 0 means not known.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;

  bool operator==(const Position&) const = default;
};

// Every instruction may raise what Python's operation raises, except those marked "never raises".
// The comments show operands in brackets and the result behind the arrow.
enum class Op : std::uint8_t {
  Const,         // -> constant `index`; never raises
  Move,          // [value] -> the same value; never raises
  LoadGlobal,    // `name` -> global of the module, else builtin, else NameError
  StoreGlobal,   // [value], `name`
  DeleteGlobal,  // `name`
  LoadCell,      // [cell] -> contents; raises NameError/UnboundLocalError if empty
  StoreCell,     // [cell, value]; never raises
  DeleteCell,    // [cell]; raises as LoadCell if empty
  Delete,        // the local `result` becomes unbound; never raises
  CheckBound,    // [local], `name`: raises UnboundLocalError if it is unbound

  Unary,     // [x], `operation` Negate, Plus, Invert or Not -> value
  Binary,    // [a, b], `operation`, `inplace` -> value
  Compare,   // [a, b], `operation` Less … GreaterEqual -> value (any object)
  Is,        // [a, b] -> bool; never raises
  IsNot,     // [a, b] -> bool; never raises
  Contains,  // [element, container] -> bool: element in container
  Truth,     // [x] -> bool(x)
  Length,    // [x] -> len(x)

  GetAttr,     // [object], `name` -> value
  SetAttr,     // [object, value], `name`
  DeleteAttr,  // [object], `name`
  GetItem,     // [container, key] -> value
  SetItem,     // [container, key, value]
  DeleteItem,  // [container, key]

  BuildSlice,   // [start, stop, step] -> slice; None where left out
  BuildList,    // [elements…] -> new list; never raises
  BuildTuple,   // [elements…] -> tuple; never raises
  BuildSet,     // [elements…] -> new set; `index` 1: CPython copies a constant, 2: it walks that frozenset
  BuildDict,    // [key, value, key, value…] -> new dict
  ListAppend,   // [list, value]: on a list that the function built itself
  ListExtend,   // [list, iterable]: of a `*iterable` in a display
  SetAdd,       // [set, value]
  SetUpdate,    // [set, iterable]
  DictSet,      // [dict, key, value]
  DictUpdate,   // [dict, mapping]: of a `**mapping` in a display
  ListToTuple,  // [list] -> tuple; never raises
  BuildString,  // [strings…] -> joined
  FormatValue,  // [value] or [value, spec], conversion in `index`: 0, 's', 'r', 'a' -> str

  GetIter,  // [iterable] -> iterator
  Unpack,   // [iterable] -> `results`; `index` is the place of the starred one (a list), or kNoIndex

  Call,   // [callee, arguments…] tagged by `arguments` -> value
  Super,  // [callee, class, first]: a call `super()` without arguments, with what it implies -> value
  // [defaults…, keyword defaults…, closure cells…] tagged Positional, Keyword, Cell by `arguments`; the
  // cells in the order of the inner function's free variables. Inner function `index` -> function
  MakeFunction,
  Import,      // __import__(`name`, fromlist `names`, level `index`) -> module
  ImportFrom,  // [module], `name` -> attribute or submodule
  Yield,       // [value] -> what is sent in; `index` 1: of a `yield from`, whose iterator gets it instead

  ExceptionMatches,  // [exception, type or tuple of types] -> bool
  EnterContext,      // [manager] -> what __enter__ returns; TypeError if it lacks __enter__ or __exit__
  ExitContext,       // [manager] or [manager, exception] -> what __exit__ returns

  MatchSequence,  // [subject] -> bool: a sequence pattern may apply (not str, bytes, bytearray)
  MatchMapping,   // [subject] -> bool: a mapping pattern may apply
  MatchKeys,      // [subject, tuple of keys] -> tuple of values, or None if one is missing
  // [subject, class], `index` positional sub-patterns, then those named by `names` -> tuple of the
  // attributes, or None
  MatchClass,
};

enum class Operation : std::uint8_t {
  None,
  Negate,
  Plus,
  Invert,
  Not,
  Add,
  Subtract,
  Multiply,
  MatrixMultiply,
  Divide,
  FloorDivide,
  Modulo,
  Power,
  LeftShift,
  RightShift,
  BitOr,
  BitXor,
  BitAnd,
  Less,
  LessEqual,
  Equal,
  NotEqual,
  Greater,
  GreaterEqual,
};

enum class ArgumentKind : std::uint8_t { Positional, Keyword, Star, DoubleStar, Cell };

struct Argument {
  ArgumentKind kind = ArgumentKind::Positional;
  std::string name = {};  // of Keyword

  bool operator==(const Argument&) const = default;
};

inline constexpr std::uint32_t kNoIndex = static_cast<std::uint32_t>(-1);

struct Instruction {
  Op op = Op::Const;
  RegisterId result = {};  // invalid: none, or nobody asks
  std::vector<RegisterId> operands = {};
  Operation operation = Operation::None;
  bool inplace = false;  // Binary: `a += b`
  std::uint32_t index = 0;
  std::string name = {};
  std::vector<std::string> names = {};
  std::vector<Argument> arguments = {};  // Call: one per operand behind the callee; MakeFunction: per operand
  std::vector<RegisterId> results = {};  // Unpack only
  Position position = {};
};

std::string_view name_of(Op op);                  // "get_attr"
std::string_view symbol_of(Operation operation);  // "+", "<=", "not"
bool never_raises(Op op);

}  // namespace dycl::program
