// SPDX-License-Identifier: Apache-2.0
// Random numbers as inputs: every line that draws takes rows of an input of base draws, which is named by the
// line. The formulas that make other distributions of them are in prelude/draws.py.
#pragma once

#include <string>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// The next row that the line has: a new tensor of this type and shape. `kind` names the distribution.
AbstractValue draw(Machine& machine, State& state, const std::string& kind, const AbstractValue& shape,
                   const nb::object& dtype);

// Is called at the beginning of an evaluation. Adds the inputs that the last one found; they come before
// states.
void add_draws(Machine& machine);

// Is called at the end. Throws Restart unless the inputs have the rows that the graph takes, each in its
// place.
void settle_draws(Machine& machine);

// The inputs, for whoever calls the program: a list of dicts.
nb::list described_draws(const Machine& machine);

}  // namespace dycl::partial_eval
