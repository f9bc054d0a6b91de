// SPDX-License-Identifier: Apache-2.0
// Which callables may be run while a program is compiled: those whose result depends on their arguments
// alone and that change nothing.
#pragma once

#include <cstdint>
#include <string>

#include "partial_eval/torch_bridge.h"

namespace dycl::partial_eval {

enum class Purity : std::uint8_t {
  Pure,
  Shallow,   // pure, and looks at its arguments only from the outside: isinstance, callable
  Impure,    // time, random, files …
  Mutating,  // changes its argument: list.append, Module.train
  Unknown,
};

Purity purity_of(TorchBridge& torch, nb::handle callable);

// "time.time", "list.append": for messages.
std::string callable_name(nb::handle callable);

}  // namespace dycl::partial_eval
