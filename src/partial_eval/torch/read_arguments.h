// SPDX-License-Identifier: Apache-2.0
// Tensors that a function of torch reads as numbers while it looks at its arguments: torch.zeros(n),
// x.view(b, -1).
#pragma once

#include <string>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The number of a tensor that has one element, read where nobody sees it. A call may be made again once more
// is known of the number: it is read once on each path.
AbstractValue read_once(Machine& machine, State& state, const AbstractValue& tensor);

// The tensors without dims among the arguments, each once; those in lists and tuples, too.
std::vector<AbstractValue> tensors_without_dims(const State& state, const Arguments& arguments);

// The arguments with the numbers of these tensors in their places.
Arguments with_numbers(Machine& machine, State& state, const Arguments& arguments,
                       const std::vector<AbstractValue>& tensors);

// torch reads the items that a list or tuple holds; of a class that says in Python what they are, DyCL would
// ask that class. The second one looks into lists and tuples, too.
void refuse_class_of_items(const Machine& machine, const State& state, nb::handle type,
                           const std::string& callee);
void refuse_own_items(const Machine& machine, const State& state, nb::handle live, const std::string& callee);

}  // namespace dycl::partial_eval
