// SPDX-License-Identifier: Apache-2.0
// A package whose returns give back structures. Apart from the tests of dycl.hpp, whose names are also
// those of types inside.
#pragma once

#include <string>

namespace dycl::runtime::testing {

// return {"logits": x, "deep": (flag, x, None)} if flag else x. Returns an empty string or what went wrong.
std::string write_structured_package(const std::string& path);

// Returns what x was at the last call, {5, 6} at first, and writes that to x too.
std::string write_remembering_package(const std::string& path);

}  // namespace dycl::runtime::testing
