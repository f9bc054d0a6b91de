// SPDX-License-Identifier: Apache-2.0
// Sizes that are known at run time only. In the specs of tensors they are expressions over symbols
// (base/size_expr.h); here they become numbers on the host, and paths that know more of them.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

// A protocol::SizeSplit is thrown where the path must know on which side of a comparison its sizes lie; the
// instruction is executed again.
Forked split_on_size(Machine& machine, State& state, const protocol::SizeSplit& split);

// Ends the block by branching on a bool; the children know its truth and execute the instruction again.
Forked split_on(Machine& machine, State& state, const ScalarValue& condition);

// A size as a value: an int, or a number on the host, computed once on each path.
AbstractValue value_of_size(Machine& machine, State& state, const SizeExpr& size);

// What capture answered: every SizeResult in it becomes a value.
AbstractValue value_with_sizes(Machine& machine, State& state, nb::handle structure);

// How an int follows from sizes; nullopt: that is not known, or it is beyond 64 bits.
std::optional<SizeExpr> size_of(const State& state, const AbstractValue& value);
// The same, with a symbol of its own for an int that follows from none.
SizeExpr size_or_fresh(Machine& machine, State& state, const ScalarValue& scalar);
// A number that was just read is compared with a size or a known int: whoever makes it a size knows its
// range. Of numbers that loops change, nothing is noted.
void follow_read_number(Machine& machine, State& state, const AbstractValue& number,
                        const AbstractValue& bound);
// An int on the host that is a size by nature, of so much at least.
void note_size(Machine& machine, State& state, ValueId id, std::size_t smallest);

// Arithmetic on sizes whose result is a size; nullopt: it is just a number.
std::optional<SizeExpr> size_arithmetic(const State& state, program::Operation operation,
                                        const AbstractValue& left, const AbstractValue& right);
// An int, or the number on the host that the path has for it.
std::optional<AbstractValue> known_size(const State& state, const SizeExpr& size);

// A comparison of sizes that their ranges decide.
std::optional<bool> size_comparison(const State& state, program::Operation operation,
                                    const AbstractValue& left, const AbstractValue& right);
// `result` is the number on the host that compares them: whoever branches on it learns something.
void note_size_test(State& state, ValueId result, program::Operation operation, const AbstractValue& left,
                    const AbstractValue& right);
void learn_from_test(Machine& machine, State& state, ValueId condition, bool truth);

// The same for a tensor of one int that is compared with a known one, in the tensor `result`.
void note_tensor_test(Machine& machine, State& state, const AbstractValue& result,
                      program::Operation operation, const AbstractValue& left, const AbstractValue& right);
// What is known of the one element of a tensor is known of the number that was read from it, which is the
// answer: it may follow from ranges.
AbstractValue learn_from_tensor(State& state, ValueId tensor, const AbstractValue& number);

// Meetings that gave up sizes of the spec; null: none.
Origins origins_of_spec(const protocol::TensorSpec& spec);

// Puts sizes in the place of symbols everywhere.
void replace_sizes(Machine& machine, State& state, const SizeValues& values);

// Returns the spec of `length` tensors that lie in a row: their number comes before their sizes.
SpecPtr packed_spec(Machine& machine, const protocol::TensorSpec& element, const SizeExpr& length);

// What a path must know to say whether a tensor has one element; nullopt: it has none or several.
std::optional<protocol::SizeSplit> question_of_one(const Sizes& shape);

// Eager raises unless the requirement holds: the way on knows that it does. The result may be
// - nothing: it holds,
// - Raised: it never does,
// - Forked with the way that raises, and one that executes the instruction again knowing more; or, where
//   nothing more is known, only the way that raises: `state` goes on.
std::optional<Outcome> require_sizes(Machine& machine, State& state,
                                     const protocol::Requirement& requirement);

}  // namespace dycl::partial_eval
