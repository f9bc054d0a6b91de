// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Calls torch on what depends on the input.
Outcome call_leaf(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments);

// tensor[index], where the index is known to be one of a row.
Outcome row_in_range(Machine& machine, State& state, const AbstractValue& tensor, const AbstractValue& index);

// A torch function that looks at types only: its result is known.
Outcome call_metadata(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments);

// "__bool__" → "bool": the kinds that read_tensor takes.
std::string read_kind(const std::string& method);

StorageId fresh_storage();

// The tensor's value now also lives in a list of the host: a later write to the tensor would not be seen
// there.
void let_escape(State& state, StorageId storage);

}  // namespace dycl::partial_eval
