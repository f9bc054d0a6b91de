// SPDX-License-Identifier: Apache-2.0
// Iterators and what they give.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

Outcome get_iter(Machine& machine, State& state, const AbstractValue& iterable);
// One step of a native iterator: the element, or nullopt at the end. Generators are the machine's.
std::optional<AbstractValue> next_of(Machine& machine, State& state, ObjectRef iterator);
// Says whether it depends on the input that the iterator has a next element. split_next makes two paths of
// it, of which the first has the element as its result.
bool is_dynamic_iterator(const State& state, ObjectRef iterator);
Forked split_next(Machine& machine, State& state, ObjectRef iterator);
// next(iterator), next(iterator, otherwise).
Outcome next_outcome(Machine& machine, State& state, ObjectRef iterator, const AbstractValue& otherwise);
// The elements of an iterable that needs no code of the user's to walk (lists, tuples, dicts, ranges,
// tensors, native iterators, which are then exhausted); nullopt: run prelude's `to_list` first (see
// need_elements).
std::optional<std::vector<AbstractValue>> elements_of(Machine& machine, State& state,
                                                      const AbstractValue& iterable);
// elements_of, or calls prelude.to_list so that operand `operand` is a list when the instruction runs again.
std::variant<std::vector<AbstractValue>, Outcome> need_elements(Machine& machine, State& state,
                                                                const AbstractValue& iterable,
                                                                std::uint32_t operand);

}  // namespace dycl::partial_eval
