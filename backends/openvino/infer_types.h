// SPDX-License-Identifier: Apache-2.0
// Infers the output types of a graph, as far as OpenVINO's reader knows them.
#pragma once

#include <string>

#include "backend.h"
#include "prepare.h"

namespace dycl::openvino {

// Returns the JSON of DyclBackendApi::infer_types.
Result<std::string> infer_types(const OvBackend& backend, const PreparedGraph& graph);

}  // namespace dycl::openvino
