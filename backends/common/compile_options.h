// SPDX-License-Identifier: Apache-2.0
// The options of one compilation, for a plugin that compiles in worker processes.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace dycl::plugin {

struct CompileOptions {
  std::filesystem::path cache;  // keeps results; if empty, nothing is kept
  int jobs = 0;                 // how many processes may compile at once; 0: one per core
};
Result<CompileOptions> parse_compile_options(const char* json);

}  // namespace dycl::plugin
