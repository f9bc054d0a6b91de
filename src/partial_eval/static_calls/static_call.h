// SPDX-License-Identifier: Apache-2.0
// Calls that CPython runs while compiling.
#pragma once

#include <optional>
#include <string>

#include "partial_eval/machine/machine.h"
#include "partial_eval/static_calls/listing.h"

namespace dycl::partial_eval {

// Says why a call cannot be made while compiling.
std::string outside_text(const std::string& name);
// Refuses a function or class of a library that works on files, threads, the clock …
void refuse_outside_world(Machine& machine, const State& state, const nb::object& callee);
// Lets CPython itself make the call if everything is known, the callable is listed and may have what it is
// given. Gives nullopt otherwise; `withheld` then says which argument it may not have, if that was the
// reason.
std::optional<Outcome> try_static(Machine& machine, State& state, const nb::object& callee,
                                  const Arguments& arguments, std::string* withheld = nullptr);
// Does what try_static does, or refuses.
Outcome call_static(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments);
[[noreturn]] void refuse_unlisted(const Machine& machine, const State& state, nb::handle callee,
                                  Unlisted why);
[[noreturn]] void refuse_wrong_listing(const Machine& machine, const State& state, nb::handle callee,
                                       const std::string& changed);
// "importlib.metadata.version(\"numpy\")", with arguments as JSON writes them: python/dycl/calls/settings.py
// reads it back.
std::string text_of_question(const std::string& name, const nb::tuple& positional, const nb::dict& keywords);
// model.eval() of a model in evaluation, layer.to(device) of a layer that is there: the module as it is.
std::optional<AbstractValue> unchanged_module(Machine& machine, State& state, const nb::object& callee,
                                              const Arguments& arguments);

}  // namespace dycl::partial_eval
