// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/plugin_abi.h"
#include "onnx_wire/model.h"

namespace dycl::plugin {

// Says whether a weight has at most `limit` bytes and may move into the model. String weights never may,
// because their bytes have another form inside a model.
bool is_small(const DyclTensor& tensor, std::size_t limit);

// Gives every external initializer of at most `limit` bytes its contents, because vendor libraries infer
// shapes from constants only if these lie inside the model.
void inline_weights(onnx_wire::Model& model, const DyclGraph& graph, std::size_t limit);

}  // namespace dycl::plugin
