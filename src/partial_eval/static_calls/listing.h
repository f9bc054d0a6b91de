// SPDX-License-Identifier: Apache-2.0
// This file says which callables CPython may run while a program is compiled: those that prelude/pure.py
// lists by name, and the operators that torch knows to write nothing. No callable is trusted for the module
// that it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "partial_eval/machine/torch_bridge.h"

namespace dycl::partial_eval {

// What a listed function may be given; see prelude/pure.py.
enum class Takes : std::uint8_t { Data, Layers, Trees, Descriptions, Anything };

// A callable as the list names it: a method that is bound is its type's, and what it is bound to comes first.
struct Named {
  nb::object function;
  nb::object self;  // null: not bound
};
Named named(const nb::object& callable);

std::optional<Takes> listed(TorchBridge& torch, nb::handle function);

// Why a callable that is not listed cannot be run, as far as its name tells.
enum class Unlisted : std::uint8_t {
  OutsideWorld,  // time, random, files …
  Mutating,      // changes its argument: list.append, Module.train
  Unknown,
};
Unlisted why_unlisted(TorchBridge& torch, nb::handle callable);

// "time.time", "list.append": for messages.
std::string callable_name(nb::handle callable);

}  // namespace dycl::partial_eval
