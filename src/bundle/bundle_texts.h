// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dycl::bundle {

// The text of DyCL's own licence.
std::string licence_text();

}  // namespace dycl::bundle
