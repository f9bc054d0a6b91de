// SPDX-License-Identifier: Apache-2.0
// `is`, and `==` of objects that have no contents of their own to compare.
#pragma once

#include <optional>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

AbstractValue is_same(Machine& machine, State& state, const AbstractValue& left, const AbstractValue& right);
// Two bound methods are equal when their objects are one and their functions are; most other objects are
// equal to themselves only. nullopt: their type compares otherwise.
std::optional<AbstractValue> is_equal_object(Machine& machine, State& state, const AbstractValue& left,
                                             const AbstractValue& right);

}  // namespace dycl::partial_eval
