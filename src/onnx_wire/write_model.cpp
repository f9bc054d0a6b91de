// SPDX-License-Identifier: Apache-2.0
#include "onnx_wire/write_model.h"

#include "base/dtype.h"
#include "onnx_wire/fields.h"
#include "onnx_wire/wire.h"

namespace dycl::onnx_wire {
namespace {

// The typed field that holds integers of this dtype.
std::uint32_t integer_field(std::int32_t number) {
  const auto dtype = dtype_from_number(number);
  if (dtype == DType::I64) return field::kTensorInt64s;
  return dtype == DType::U32 || dtype == DType::U64 ? field::kTensorUint64s : field::kTensorInt32s;
}

void append_integers(std::string& message, const Tensor& tensor) {
  if (tensor.integers.empty()) return;
  std::string packed;
  for (const std::int64_t value : tensor.integers) append_varint(packed, static_cast<std::uint64_t>(value));
  append_bytes(message, integer_field(tensor.dtype), packed);
}

void append_floats(std::string& message, const std::vector<float>& floats) {
  if (floats.empty()) return;
  const auto* first = reinterpret_cast<const char*>(floats.data());
  append_bytes(message, field::kTensorFloats, {first, floats.size() * sizeof(float)});
}

void append_place(std::string& message, const Tensor& tensor) {
  for (const PlaceEntry& entry : tensor.place) {
    std::string line;
    append_bytes(line, field::kEntryKey, entry.key);
    append_bytes(line, field::kEntryValue, entry.value);
    append_bytes(message, field::kTensorPlace, line);
  }
  if (tensor.is_external) append_number(message, field::kTensorLocation, kExternalLocation);
}

// An empty tensor has empty raw contents, so that a reader finds contents at all. Texts are never raw.
bool has_raw(const Tensor& tensor) {
  if (tensor.dtype == static_cast<std::int32_t>(DType::String)) return false;
  const bool is_typed = !tensor.integers.empty() || !tensor.floats.empty() || !tensor.other.empty();
  return !tensor.raw.empty() || !(is_typed || tensor.is_external);
}

std::string bytes_of(const Tensor& tensor) {
  std::string message;
  for (const std::int64_t dim : tensor.dims)
    append_number(message, field::kTensorDims, static_cast<std::uint64_t>(dim));
  append_number(message, field::kTensorType, static_cast<std::uint64_t>(tensor.dtype));
  append_floats(message, tensor.floats);
  append_integers(message, tensor);
  append_bytes(message, field::kTensorName, tensor.name);
  if (has_raw(tensor)) append_bytes(message, field::kTensorRaw, tensor.raw);
  append_place(message, tensor);
  message += tensor.other;
  return message;
}

std::string bytes_of(const Node& node) {
  std::string message;
  for (const std::string& input : node.inputs) append_bytes(message, field::kNodeInput, input);
  for (const std::string& output : node.outputs) append_bytes(message, field::kNodeOutput, output);
  if (!node.name.empty()) append_bytes(message, field::kNodeName, node.name);
  append_bytes(message, field::kNodeOp, node.op);
  for (const Attribute& attribute : node.attributes)
    append_bytes(message, field::kNodeAttribute, attribute.bytes);
  if (!node.domain.empty()) append_bytes(message, field::kNodeDomain, node.domain);
  message += node.other;
  return message;
}

std::string bytes_of(const std::vector<Size>& sizes) {
  std::string shape;
  for (const Size& size : sizes) {
    std::string dim;
    if (size.fixed >= 0) append_number(dim, field::kDimSize, static_cast<std::uint64_t>(size.fixed));
    if (size.fixed < 0 && !size.symbol.empty()) append_bytes(dim, field::kDimSymbol, size.symbol);
    append_bytes(shape, field::kShapeDim, dim + size.other);
  }
  return shape;
}

std::string type_bytes(const ValueInfo& value) {
  std::string tensor;
  if (value.dtype != 0)
    append_number(tensor, field::kTensorTypeElement, static_cast<std::uint64_t>(value.dtype));
  if (value.sizes) append_bytes(tensor, field::kTensorTypeShape, bytes_of(*value.sizes));
  std::string type;
  if (!tensor.empty()) append_bytes(type, field::kTypeTensor, tensor);
  type += value.other_of_type;
  return type;
}

std::string bytes_of(const ValueInfo& value) {
  std::string message;
  append_bytes(message, field::kValueName, value.name);
  if (const std::string type = type_bytes(value); !type.empty())
    append_bytes(message, field::kValueType, type);
  message += value.other;
  return message;
}

std::string graph_bytes(const Model& model) {
  std::string message;
  for (const Node& node : model.nodes) append_bytes(message, field::kGraphNode, bytes_of(node));
  if (!model.graph_name.empty()) append_bytes(message, field::kGraphName, model.graph_name);
  for (const Tensor& tensor : model.initializers)
    append_bytes(message, field::kGraphInitializer, bytes_of(tensor));
  for (const ValueInfo& input : model.inputs) append_bytes(message, field::kGraphInput, bytes_of(input));
  for (const ValueInfo& output : model.outputs) append_bytes(message, field::kGraphOutput, bytes_of(output));
  for (const ValueInfo& value : model.values) append_bytes(message, field::kGraphValue, bytes_of(value));
  message += model.other_of_graph;
  return message;
}

}  // namespace

std::string write_node(const Node& node) { return bytes_of(node); }

std::string write_tensor(const Tensor& tensor) { return bytes_of(tensor); }

std::string write_model(const Model& model) {
  std::string message;
  if (model.ir_version != 0)
    append_number(message, field::kModelIrVersion, static_cast<std::uint64_t>(model.ir_version));
  append_bytes(message, field::kModelGraph, graph_bytes(model));
  if (model.opset != 0) {
    std::string opset;
    append_number(opset, field::kOpsetVersion, static_cast<std::uint64_t>(model.opset));
    append_bytes(message, field::kModelOpset, opset);
  }
  message += model.other;
  return message;
}

}  // namespace dycl::onnx_wire
