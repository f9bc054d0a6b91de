// SPDX-License-Identifier: Apache-2.0
// In-place writes: who sees them.
#pragma once

#include <string>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Gives the tensor its new value, and every live tensor that shares its memory what it sees of that.
// `operation` is for messages. Throws Refused where some tensor may or may not see it.
void write_tensor(Machine& machine, State& state, ObjectRef written, ValueId value,
                  const std::string& operation);

// The tensors of the program's own making, known at compile time, that lie in this tensor's storage.
std::vector<nb::object> created_in_storage_of(const Machine& machine, const nb::object& live);

// The object of the heap that stands for a live tensor from now on. The program made that tensor itself; the
// tensors that share memory with it, which the program made too, get twins with it.
ObjectRef twin_of_tensor(Machine& machine, State& state, const nb::object& live,
                         const std::string& operation);

// Remembers that `view` is `tensor[index]` at a place that only the run knows.
void note_selection(State& state, const AbstractValue& view, const AbstractValue& tensor,
                    const AbstractValue& index);

// tensor[index] = value, where the value is that very view: `x[n] += 1` ends so. Nothing changes.
bool stores_itself(const State& state, const Arguments& arguments);

}  // namespace dycl::partial_eval
