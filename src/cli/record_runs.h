// SPDX-License-Identifier: Apache-2.0
// Runs a program and writes down what went in and what came out, for the test of an emitted program.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/session.h"

namespace dycl::cli {

// The bytes that src/emitted/recorded.h describes. A run in which the model raises is recorded, too. A run
// that fails otherwise is left out, as it leaves no trace in the session; if all do, this function fails.
Result<std::string> record_runs(runtime::RunSession& session,
                                const std::vector<std::vector<runtime::RuntimeValue>>& inputs);

}  // namespace dycl::cli
