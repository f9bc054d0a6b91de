// SPDX-License-Identifier: Apache-2.0
// What a plugin that compiles in worker processes is told for one compilation.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace dycl::plugin {

struct CompileOptions {
  std::filesystem::path cache;  // empty: nothing is remembered
  int jobs = 0;                 // 0: one per core
};
Result<CompileOptions> parse_compile_options(const char* json);

}  // namespace dycl::plugin
