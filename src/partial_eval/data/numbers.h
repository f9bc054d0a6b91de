// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/scalar.h"
#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

// Returns the kind of a known bool, int or float, or of a scalar; nullopt for what is no number.
std::optional<ScalarKind> number_kind(const AbstractValue& value);
std::optional<Scalar> known_scalar(const AbstractValue& value);  // ints beyond 64 bits: nullopt
// A number or bool of which nothing is known, another one each time.
ScalarValue unknown_scalar(Machine& machine, State& state, ScalarKind kind);

std::string_view python_name(ScalarKind kind);  // "bool", "int", "float"

// A member of an IntEnum, and the like, as the number that it is; any other value as it is.
AbstractValue as_plain_number(const AbstractValue& value);
// A str, None, a tuple, an object told by identity: no number equals it.
bool equals_no_number(nb::handle live);

// These apply an operation to numbers, of which at least one is a scalar.
Outcome number_unary(Machine& machine, State& state, program::Operation operation,
                     const AbstractValue& operand);
Outcome number_binary(Machine& machine, State& state, program::Operation operation, const AbstractValue& left,
                      const AbstractValue& right);
Outcome number_compare(Machine& machine, State& state, program::Operation operation,
                       const AbstractValue& left, const AbstractValue& right);

// A host operation on numbers; origins are united.
AbstractValue host_number(Machine& machine, State& state, HostOp op,
                          const std::vector<AbstractValue>& operands, ScalarKind result,
                          Attributes attributes = {});

bool is_number(const Machine& machine, const AbstractValue& value);  // int, float, bool; known or scalar
// The scalar as an SSA value in the current block; known numbers become constants.
ValueId scalar_id(Machine& machine, State& state, const AbstractValue& number);
AbstractValue convert_number(Machine& machine, State& state, const AbstractValue& number, ScalarKind kind);

// int() of a float: inside a try, NaN and the infinities are ways of control.
Outcome int_of_float(Machine& machine, State& state, const AbstractValue& number);

// Refuses what may fail at run time where a handler of the program might catch it: it cannot jump there.
void refuse_if_caught(const Machine& machine, const State& state, const std::string& what);

// An int that is known, or what has __index__; nullopt: it is not one, or not known.
std::optional<std::int64_t> known_index(const AbstractValue& value);

}  // namespace dycl::partial_eval
