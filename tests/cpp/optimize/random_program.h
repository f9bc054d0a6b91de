// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hcfg/interpreter.h"

namespace dycl::testing {

// A legal graph that ends: branches (also on known conditions), counted loops with and without early exits,
// nested, over f32 tensors of static and growing sizes, scalars and sequences. Nothing in it fails except
// a `raise`. Inputs: f32[2], f32[n], i64[], bool[]; outputs: f32[2], f32[*], int.
Hcfg random_program(std::uint32_t seed);
std::vector<InterpreterValue> random_inputs(std::uint32_t seed);

}  // namespace dycl::testing
