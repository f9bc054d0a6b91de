// SPDX-License-Identifier: Apache-2.0
// This file finds out who sees an in-place write.
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

// Remembers that something of the heap has the elements of these live tensors, or lies in their memory.
void note_shared(const Machine& machine, State& state, nb::handle tensors);

// The program writes to the memory of this tensor, and shares it or makes one in each trip of a cycle: throws
// Restart, unless it is no news where the tensors are made that lie there.
void follow_from_the_start(Machine& machine, const nb::object& live);

// Says whether the tensors that the call in hand makes are objects of the heap at once.
bool is_followed_from_the_start(const Machine& machine, const State& state);

// Makes such objects of what the call gives: new tensors, or a tuple or list of them.
AbstractValue made_on_heap(Machine& machine, State& state, const nb::object& result);

// Remembers that the call in hand has made this tensor, which the program may write to later.
void note_made(Machine& machine, const State& state, const nb::object& live);

// Remembers that `view` is `tensor[index]` at a place that only the run knows.
void note_selection(State& state, const AbstractValue& view, const AbstractValue& tensor,
                    const AbstractValue& index);

// tensor[index] = value, where the value is that very view: `x[n] += 1` ends so. Nothing changes.
bool stores_itself(const State& state, const Arguments& arguments);

}  // namespace dycl::partial_eval
