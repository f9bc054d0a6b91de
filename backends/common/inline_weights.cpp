// SPDX-License-Identifier: Apache-2.0
#include "common/inline_weights.h"

#include <string_view>

#include "base/dtype.h"
#include "common/tensors.h"
#include "common/wire.h"

namespace dycl::plugin {
namespace {

// Field numbers of onnx.proto.
constexpr std::uint32_t model_graph = 7;
constexpr std::uint32_t graph_initializer = 5;
constexpr std::uint32_t tensor_dims = 1;
constexpr std::uint32_t tensor_dtype = 2;
constexpr std::uint32_t tensor_name = 8;
constexpr std::uint32_t tensor_raw = 9;
constexpr std::uint32_t tensor_location = 14;

// The weight that an external initializer names, or NULL.
const DyclTensor* weight_of(std::string_view initializer, const DyclGraph& graph, std::string_view& name) {
  WireReader wire(initializer);
  bool external = false;
  while (wire.next()) {
    if (wire.field() == tensor_name && wire.is_bytes()) name = wire.bytes();
    if (wire.field() == tensor_location && wire.is_number()) external = wire.number() == 1;
  }
  for (std::size_t index = 0; index < graph.weight_count && external; ++index)
    if (name == graph.weight_names[index]) return &graph.weights[index];
  return nullptr;
}

std::string tensor_message(std::string_view name, const DyclTensor& tensor) {
  std::string message;
  for (const std::int64_t dim : dims_of(tensor))
    append_number(message, tensor_dims, static_cast<std::uint64_t>(dim));
  append_number(message, tensor_dtype, static_cast<std::uint64_t>(tensor.dtype));
  append_bytes(message, tensor_name, name);
  append_bytes(message, tensor_raw, {static_cast<const char*>(tensor.data), tensor.byte_size});
  return message;
}

std::string rewrite_graph(std::string_view bytes, const DyclGraph& graph, std::size_t limit) {
  std::string result;
  WireReader wire(bytes);
  while (wire.next()) {
    std::string_view name;
    const bool initializer = wire.field() == graph_initializer && wire.is_bytes();
    const DyclTensor* weight = initializer ? weight_of(wire.bytes(), graph, name) : nullptr;
    if (weight != nullptr && is_small(*weight, limit))
      append_bytes(result, graph_initializer, tensor_message(name, *weight));
    else
      result += wire.raw();
  }
  return result;
}

}  // namespace

bool is_small(const DyclTensor& tensor, std::size_t limit) {
  return tensor.byte_size <= limit && tensor.dtype != static_cast<std::int32_t>(DType::String);
}

std::string inline_weights(const DyclGraph& graph, std::size_t limit) {
  std::string result;
  WireReader wire({static_cast<const char*>(graph.onnx.data), graph.onnx.size});
  while (wire.next()) {
    if (wire.field() == model_graph && wire.is_bytes())
      append_bytes(result, model_graph, rewrite_graph(wire.bytes(), graph, limit));
    else
      result += wire.raw();
  }
  return result;
}

}  // namespace dycl::plugin
