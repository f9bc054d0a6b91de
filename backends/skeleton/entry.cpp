// SPDX-License-Identifier: Apache-2.0
#include "skeleton/plugin.h"

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &dycl::skeleton::api();
}
