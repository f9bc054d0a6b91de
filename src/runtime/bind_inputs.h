// SPDX-License-Identifier: Apache-2.0
// Checks a call's inputs against the program's ports and puts them into their slots.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/program.h"
#include "runtime/value.h"

namespace dycl::runtime {

// Fills `symbols` (one per symbol of the plan) with the sizes that the inputs bind, or -1 if none binds it.
// Every message names the input; codes are listed at RunSession::run.
Status bind_inputs(const LoadedProgram& program, std::span<const RuntimeValue> inputs,
                   std::span<RuntimeValue> slots, std::span<std::int64_t> symbols);

// Checks the type of a tensor for one input before its elements are read: its kind, dtype, rank and sizes, as
// far as they do not depend on other inputs.
Status check_promised_tensor(const HostPlan& plan, const PlanPort& port, DType dtype,
                             std::span<const std::int64_t> dims);

}  // namespace dycl::runtime
