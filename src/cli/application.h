// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dycl::cli {

// Runs the whole command line. Returns the process's exit code and throws nothing.
int run_application(int argument_count, const char* const* arguments);

}  // namespace dycl::cli
