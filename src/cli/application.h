// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dycl::cli {

// The whole command line; returns the process's exit code and throws nothing.
int run_application(int argument_count, const char* const* arguments);

}  // namespace dycl::cli
