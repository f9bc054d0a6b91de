// SPDX-License-Identifier: Apache-2.0
// Strings with numbers that depend on the input: they may become messages of exceptions and keys of dicts,
// nothing else.
#pragma once

#include <optional>
#include <vector>

#include "partial_eval/machine/machine.h"
#include "program/instruction.h"

namespace dycl::partial_eval {

// {value!conversion:spec}; conversion 0, 's', 'r' or 'a'.
Outcome format_value(Machine& machine, State& state, const AbstractValue& value, char conversion,
                     const AbstractValue& spec);
Outcome join_text(Machine& machine, State& state, const std::vector<AbstractValue>& pieces);
// text + text, text % values; nullopt: no text is involved.
std::optional<Outcome> text_binary(Machine& machine, State& state, program::Operation operation,
                                   const AbstractValue& left, const AbstractValue& right);

// What stands before and after the number in a text with one whole number, shown plainly: `f"expert_{n}"`.
std::optional<std::pair<std::string, std::string>> text_around_integer(const TextObject& text);
// The number n for which str(n), put between the two, gives the text.
std::optional<std::int64_t> integer_between(const std::string& text, const std::string& before,
                                            const std::string& after);

}  // namespace dycl::partial_eval
