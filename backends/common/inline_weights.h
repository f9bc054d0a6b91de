// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "backend/plugin_abi.h"

namespace dycl::plugin {

// Strings never are: their bytes have another form inside a model.
bool is_small(const DyclTensor& tensor, std::size_t limit);

// The graph's bytes with every external initializer of at most `limit` bytes written into them. Vendor
// libraries infer shapes from constants only when these lie inside the model.
std::string inline_weights(const DyclGraph& graph, std::size_t limit);

}  // namespace dycl::plugin
