// SPDX-License-Identifier: Apache-2.0
#include "cli/timed_runs.h"

#include <algorithm>
#include <chrono>

namespace dycl::cli {

Timing timing_of(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const auto at = [&](double share) {
    return seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.9), at(0.99)};
}

Result<std::vector<double>> run_repeatedly(runtime::RunSession& session,
                                           const std::vector<runtime::RuntimeValue>& inputs,
                                           std::size_t repeat, std::vector<runtime::RuntimeValue>& outputs) {
  std::vector<double> seconds;
  for (std::size_t round = repeat > 1 ? 0 : 1; round <= repeat; ++round) {
    const auto start = std::chrono::steady_clock::now();
    if (Status done = session.run(inputs, outputs); !done) return failure_of(std::move(done));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (round > 0) seconds.push_back(taken.count());
  }
  return seconds;
}

}  // namespace dycl::cli
