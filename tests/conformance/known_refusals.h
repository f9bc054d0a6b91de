// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dycl::conformance {

// May this backend refuse in this test ("Suite.Test")? A refusal that is not written down here fails:
// a backend must not pass by refusing everything.
bool may_refuse(std::string_view backend, std::string_view test);

}  // namespace dycl::conformance
