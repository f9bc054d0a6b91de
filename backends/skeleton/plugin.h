// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/plugin_abi.h"

namespace dycl::skeleton {

// The plugin's function table, for programs that link this backend instead of loading it.
const DyclBackendApi& api();

}  // namespace dycl::skeleton
