// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dycl::testing {

void set_regenerate_goldens();

}  // namespace dycl::testing
