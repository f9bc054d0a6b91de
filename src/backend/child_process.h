// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace dycl {

struct ChildOutcome {
  bool timed_out = false;  // whether it was ended at the limit
  int signal = 0;          // the signal that killed it, or 0
  int exit_code = 0;
  std::string output;  // its stdout, at most 1 MB
};

// Runs an executable and waits for it, at most `limit`. Its stderr is dropped.
Result<ChildOutcome> run_child(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments, std::chrono::milliseconds limit);

}  // namespace dycl
