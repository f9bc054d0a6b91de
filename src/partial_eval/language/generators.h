// SPDX-License-Identifier: Apache-2.0
// Generators of the program.
#pragma once

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

AbstractValue make_generator(State& state, Frame frame);
// generator.send(value) and generator.throw(exception).
Outcome send(Machine& machine, State& state, ObjectRef generator, const AbstractValue& value);
Outcome throw_into(Machine& machine, State& state, ObjectRef generator, const AbstractValue& exception);
// StopIteration with what the generator has returned.
Raised raise_stop(Machine& machine, State& state, const AbstractValue& returned);
// Python runs the `finally` of a generator that nobody asks for more when the last reference to it goes,
// which is a moment that DyCL does not know.
void refuse_abandoned(const Machine& machine, const State& state, const GeneratorObject& generator);
Outcome resume(Machine& machine, State& state, ObjectRef generator, OnReturn on_return, AbstractValue kept);

}  // namespace dycl::partial_eval
