// SPDX-License-Identifier: Apache-2.0
// Reads and writes the host plan as program.json: one instruction a line, floats as the hex of their bits,
// symbols by number ("s3") inside types, source positions in a table of their own. docs/package.md has the
// schema.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "package/host_plan.h"

namespace dycl {

inline constexpr std::int64_t kHostPlanSchema = 1;

// Writes the plan. Fails if a name is not UTF-8.
Result<std::string> write_host_plan(const HostPlan& plan);

// Reads a plan, and checks only the form of the text; verify_plan checks what it means.
Result<HostPlan> read_host_plan(std::string_view text);

}  // namespace dycl
