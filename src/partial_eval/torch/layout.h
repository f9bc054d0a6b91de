// SPDX-License-Identifier: Apache-2.0
// What depends on how the caller's tensors lie in memory. The program is compiled for the strides of the
// example; where they decide something, every call must have them, and the signature checks it.
#pragma once

#include <span>
#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Strides that meetings gave up decide something: the paths stay apart there. Throws Restart.
void need_one_layout(const Origins& given_up);

// Is called before a call of torch: `view` and its like raise for some strides and not for others.
void note_strides_that_raise(Machine& machine, const State& state, const std::string& function,
                             std::span<const ObjectRef> operands);

// Is called after the call. Notes whether the strides of the result, and the memory that it shares, follow
// those of inputs.
void note_result_layout(State& state, TensorObject& result, const std::string& function, bool has_options,
                        std::span<const ObjectRef> operands);

// contiguous() of a contiguous tensor is the tensor itself, but only for these strides: an object of its own
// with the same memory, which a write or a question of identity tells apart. Null: it does not depend on
// them.
std::optional<AbstractValue> same_for_these_strides(State& state, const std::string& function,
                                                    bool has_options, ObjectRef operand);

// Says whether it depends on the strides of an input that the two are one object.
bool may_be_one_by_strides(const TensorObject& one, const TensorObject& other);

// The place of the first element in its storage, as eager counts.
Outcome storage_offset(Machine& machine, State& state, const TensorObject& tensor);

// requires_grad under torch.no_grad(): an input has the caller's, a result none.
Outcome requires_grad(Machine& machine, const State& state, const AbstractValue& value);

// Whether a tensor of the run is a torch.nn.Parameter: an input is if the caller's is, a result is not.
bool is_parameter(Machine& machine, const State& state, const AbstractValue& value);

// What type() gives: type_of(), but for parameters among the inputs.
nb::object class_of(Machine& machine, const State& state, const AbstractValue& value);

// An attribute that no tensor has of itself is asked for. Of an input, each call must lack it.
void note_missing_attribute(Machine& machine, const State& state, const AbstractValue& value,
                            const std::string& name);

}  // namespace dycl::partial_eval
