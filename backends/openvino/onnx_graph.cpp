// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph.h"

#include <algorithm>
#include <cstring>

#include "common/wire.h"

namespace dycl::openvino {
namespace {

using plugin::append_bytes;
using plugin::append_number;

constexpr std::uint64_t kIntAttribute = 2;  // AttributeProto.AttributeType
constexpr std::uint64_t kIntsAttribute = 7;

std::string bytes_of(const Tensor& tensor) {
  std::string bytes;
  for (const std::int64_t dim : tensor.dims) append_number(bytes, 1, static_cast<std::uint64_t>(dim));
  append_number(bytes, 2, static_cast<std::uint64_t>(tensor.dtype));
  append_bytes(bytes, 8, tensor.name);
  const auto dtype = dtype_from_number(tensor.dtype);
  const bool in_64_bits = dtype == DType::I64;
  const bool unsigned_wide = dtype == DType::U32 || dtype == DType::U64;
  const std::uint32_t integer_field = in_64_bits ? 7 : unsigned_wide ? 11 : 5;
  for (const std::int64_t value : tensor.integers)
    append_number(bytes, integer_field, static_cast<std::uint64_t>(value));
  if (!tensor.floats.empty()) {
    const auto* first = reinterpret_cast<const char*>(tensor.floats.data());
    append_bytes(bytes, 4, {first, tensor.floats.size() * sizeof(float)});
  }
  const bool has_typed = !tensor.integers.empty() || !tensor.floats.empty() || !tensor.other.empty();
  if (!tensor.raw.empty() || !has_typed) append_bytes(bytes, 9, tensor.raw);
  return bytes + tensor.other;
}

std::string bytes_of(const Node& node) {
  std::string bytes;
  for (const std::string& input : node.inputs) append_bytes(bytes, 1, input);
  for (const std::string& output : node.outputs) append_bytes(bytes, 2, output);
  if (!node.name.empty()) append_bytes(bytes, 3, node.name);
  append_bytes(bytes, 4, node.op);
  for (const Attribute& attribute : node.attributes) append_bytes(bytes, 5, attribute.bytes);
  if (!node.domain.empty()) append_bytes(bytes, 7, node.domain);
  return bytes;
}

std::string shape_bytes(const Port& port) {
  std::string shape;
  for (std::size_t i = 0; i < port.dims->size(); ++i) {
    std::string dim;
    if ((*port.dims)[i] >= 0)
      append_number(dim, 1, static_cast<std::uint64_t>((*port.dims)[i]));
    else if (i < port.symbols.size() && !port.symbols[i].empty())
      append_bytes(dim, 2, port.symbols[i]);
    append_bytes(shape, 1, dim);
  }
  return shape;
}

std::string bytes_of(const Port& port) {
  std::string tensor_type;
  if (port.dtype != 0) append_number(tensor_type, 1, static_cast<std::uint64_t>(port.dtype));
  if (port.dims) append_bytes(tensor_type, 2, shape_bytes(port));
  std::string type;
  append_bytes(type, 1, tensor_type);
  std::string bytes;
  append_bytes(bytes, 1, port.name);
  append_bytes(bytes, 2, type);
  return bytes;
}

template <class T>
std::vector<std::int64_t> elements_as(const std::string& raw) {
  std::vector<std::int64_t> values(raw.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value{};
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

}  // namespace

Attribute int_valued(std::string name, std::int64_t value) {
  Attribute attribute;
  append_bytes(attribute.bytes, 1, name);
  append_number(attribute.bytes, 3, static_cast<std::uint64_t>(value));
  append_number(attribute.bytes, 20, kIntAttribute);
  attribute.name = std::move(name);
  attribute.i = value;
  return attribute;
}

Attribute ints_valued(std::string name, const std::vector<std::int64_t>& values) {
  Attribute attribute;
  append_bytes(attribute.bytes, 1, name);
  for (const std::int64_t value : values)
    append_number(attribute.bytes, 8, static_cast<std::uint64_t>(value));
  append_number(attribute.bytes, 20, kIntsAttribute);
  attribute.name = std::move(name);
  attribute.ints = values;
  return attribute;
}

const Attribute* Node::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t Node::integer(std::string_view attribute, std::int64_t otherwise) const {
  const Attribute* found = find(attribute);
  return found == nullptr ? otherwise : found->i;
}

float Node::real(std::string_view attribute, float otherwise) const {
  const Attribute* found = find(attribute);
  return found == nullptr ? otherwise : found->f;
}

std::string Node::text(std::string_view attribute, std::string_view otherwise) const {
  const Attribute* found = find(attribute);
  return found == nullptr ? std::string(otherwise) : found->s;
}

bool Node::has_input(std::size_t index) const { return index < inputs.size() && !inputs[index].empty(); }
bool Node::has_output(std::size_t index) const { return index < outputs.size() && !outputs[index].empty(); }

std::string write_model(const Model& model) {
  std::string graph;
  for (const Node& node : model.nodes) append_bytes(graph, 1, bytes_of(node));
  for (const auto& tensor : model.initializers) append_bytes(graph, 5, bytes_of(*tensor));
  for (const Port& input : model.inputs) append_bytes(graph, 11, bytes_of(input));
  for (const Port& output : model.outputs) append_bytes(graph, 12, bytes_of(output));
  for (const Port& value : model.values) append_bytes(graph, 13, bytes_of(value));
  graph += model.other_graph_fields;
  std::string opset;
  append_number(opset, 2, static_cast<std::uint64_t>(model.opset));
  std::string bytes = model.other_fields;
  append_bytes(bytes, 8, opset);
  append_bytes(bytes, 7, graph);
  return bytes;
}

std::optional<std::vector<std::int64_t>> integer_elements(const Tensor& tensor) {
  const auto dtype = dtype_from_number(tensor.dtype);
  if (!dtype || tensor.is_external || bit_width(*dtype) < 8) return std::nullopt;
  if (!is_integer(*dtype) && *dtype != DType::Bool) return std::nullopt;
  if (tensor.raw.empty()) return tensor.integers;
  switch (*dtype) {
    case DType::I8: return elements_as<std::int8_t>(tensor.raw);
    case DType::U8:
    case DType::Bool: return elements_as<std::uint8_t>(tensor.raw);
    case DType::I16: return elements_as<std::int16_t>(tensor.raw);
    case DType::U16: return elements_as<std::uint16_t>(tensor.raw);
    case DType::I32: return elements_as<std::int32_t>(tensor.raw);
    case DType::U32: return elements_as<std::uint32_t>(tensor.raw);
    default: return elements_as<std::int64_t>(tensor.raw);
  }
}

std::optional<std::vector<float>> f32_elements(const Tensor& tensor) {
  if (tensor.dtype != static_cast<std::int32_t>(DType::F32) || tensor.is_external) return std::nullopt;
  if (tensor.raw.empty()) return tensor.floats;
  std::vector<float> values(tensor.raw.size() / sizeof(float));
  std::memcpy(values.data(), tensor.raw.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace dycl::openvino
