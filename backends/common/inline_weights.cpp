// SPDX-License-Identifier: Apache-2.0
#include "common/inline_weights.h"

#include <map>
#include <string_view>

#include "base/dtype.h"

namespace dycl::plugin {

bool is_small(const DyclTensor& tensor, std::size_t limit) {
  return tensor.byte_size <= limit && tensor.dtype != static_cast<std::int32_t>(DType::String);
}

void inline_weights(onnx_wire::Model& model, const DyclGraph& graph, std::size_t limit) {
  std::map<std::string_view, const DyclTensor*> weights;
  for (std::size_t index = 0; index < graph.weight_count; ++index)
    weights.emplace(graph.weight_names[index], &graph.weights[index]);
  for (onnx_wire::Tensor& tensor : model.initializers) {
    const auto found = tensor.is_external ? weights.find(tensor.name) : weights.end();
    if (found == weights.end() || !is_small(*found->second, limit)) continue;
    tensor.raw.assign(static_cast<const char*>(found->second->data), found->second->byte_size);
    tensor.is_external = false;
    tensor.place.clear();
  }
}

}  // namespace dycl::plugin
