// SPDX-License-Identifier: Apache-2.0
// The parts of interpret().
#pragma once

#include <functional>
#include <optional>

#include "hcfg/interpreter.h"

namespace dycl {

using SymbolSize = std::function<std::optional<std::int64_t>(SymbolId)>;

// One host operation of a verified graph. `sizes` knows the symbols that have a size by now.
Result<InterpreterValue> run_host_op(const HostStep& step, const Type& output,
                                     std::span<const InterpreterValue* const> operands,
                                     const SymbolSize& sizes);
Status run_check(const HostStep& step, const InterpreterValue& operand);  // the one without a result
Result<InterpreterValue> run_seq_concat(const HostStep& step, const TensorType& output,
                                        const std::vector<InterpreterValue>& items, const SymbolSize& sizes);
Result<InterpreterValue> run_seq_split(const HostStep& step,
                                       std::span<const InterpreterValue* const> operands);

// "a tensor f32[2,3]", "an int", …
std::string description_of(const InterpreterValue& value);

// Does the value have this type? Sizes that `sizes` does not know are not compared.
bool has_type(const InterpreterValue& value, const Type& type, const SymbolSize& sizes);

}  // namespace dycl
