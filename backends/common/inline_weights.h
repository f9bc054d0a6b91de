// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/plugin_abi.h"
#include "onnx_wire/model.h"

namespace dycl::plugin {

// Strings never are: their bytes have another form inside a model.
bool is_small(const DyclTensor& tensor, std::size_t limit);

// Every external initializer of at most `limit` bytes gets its contents. Vendor libraries infer shapes from
// constants only when these lie inside the model.
void inline_weights(onnx_wire::Model& model, const DyclGraph& graph, std::size_t limit);

}  // namespace dycl::plugin
