// SPDX-License-Identifier: Apache-2.0
// One activation of a Python function inside the machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "import_python/import_python.h"
#include "partial_eval/values/abstract_value.h"

namespace dycl::partial_eval {

using LoweredRef = import_python::PythonFunctionPtr;

// What the caller does with what this frame returns.
enum class OnReturn : std::uint8_t {
  Store,     // the result of the caller's instruction
  Instance,  // `kept` is the result: this was its __init__
  Operand,   // replaces operand `operand` of the caller's instruction, which is executed again
  Truth,     // bool() of it is the result
  NotTruth,  // its negation
  Decide,    // bool() of it decides the caller's Branch
  Advance,   // a generator run by the caller's ForNext: yields go to the body, its end to the exit
  Next,      // a generator run by next(): its end raises StopIteration, or gives `kept` when bound
  Finish,    // the outermost frame: the program's result
};

struct Frame {
  LoweredRef function;
  nb::object globals;
  std::vector<AbstractValue> registers;
  program::BlockId block{0};
  std::uint32_t instruction = 0;          // == number of instructions: at the terminator
  std::vector<std::uint32_t> iterations;  // one per loop around the block
  OnReturn on_return = OnReturn::Store;
  std::uint32_t operand = 0;
  AbstractValue kept;
  HeapId generator;  // valid: the frame belongs to this generator
  // The loops around the yield that it was resumed at, and has not come back to the header of: who resumes it
  // makes their trips.
  std::size_t resumed = 0;
  std::uint64_t resumed_at = 0;  // number of forks before
  // Operands of the current instruction that were computed before it could be executed.
  std::vector<std::pair<std::uint32_t, AbstractValue>> replaced;
};

}  // namespace dycl::partial_eval
