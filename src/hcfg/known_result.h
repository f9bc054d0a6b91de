// SPDX-License-Identifier: Apache-2.0
// What follows from known operands without a backend: operators on integers and bools (what indices are
// compared with and made of), and casts of one number to a float. Their results are the same on every
// backend.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "hcfg/hcfg.h"

namespace dycl {

// Nothing when an operand is null, for other operators, other element types, and more numbers than are worth
// it.
std::optional<TensorData> known_result(const OnnxOp& op, std::span<const TensorData* const> operands);

using KnownTensors = std::unordered_map<ValueId, TensorPtr>;

// Walks operators in their order and gives those of their results that follow from what `contents_of` knows
// of other values (null: nothing), and from each other.
KnownTensors known_results(std::span<const OnnxOp> ops,
                           const std::function<TensorPtr(ValueId value)>& contents_of);

// One for each output, null where it does not follow; an input is null where it is not known.
std::vector<TensorPtr> known_results(const Fragment& fragment, std::span<const TensorPtr> inputs);
std::vector<TensorPtr> known_results(const TensorOp& op, std::span<const TensorPtr> inputs);

}  // namespace dycl
