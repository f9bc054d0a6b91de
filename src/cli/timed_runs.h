// SPDX-License-Identifier: Apache-2.0
// Runs a program again and again, and says how long that took.
#pragma once

#include <vector>

#include "base/result.h"
#include "runtime/session.h"

namespace dycl::cli {

struct Timing {
  double median = 0;  // in seconds
  double p90 = 0;
  double p99 = 0;
};

Timing timing_of(std::vector<double> seconds);

// Returns how long each run took. The first run of several warms up and is not counted.
Result<std::vector<double>> run_repeatedly(runtime::RunSession& session,
                                           const std::vector<runtime::RuntimeValue>& inputs,
                                           std::size_t repeat, std::vector<runtime::RuntimeValue>& outputs);

}  // namespace dycl::cli
