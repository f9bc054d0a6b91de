// SPDX-License-Identifier: Apache-2.0
#include "support/onnx_builder.h"

#include <utility>

namespace dycl::test {
namespace {

OnnxAttribute named(std::string_view name, onnx::AttributeProto::AttributeType type) {
  OnnxAttribute result;
  result.set_name(std::string(name));
  result.set_type(type);
  return result;
}

void set_type(onnx::ValueInfoProto& port, std::string_view name, const onnx::TypeProto& type) {
  port.set_name(std::string(name));
  *port.mutable_type() = type;
}

void add_entry(onnx::TensorProto& tensor, const char* key, std::string value) {
  auto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(std::move(value));
}

}  // namespace

OnnxAttribute attribute(std::string_view name, int value) {
  return attribute(name, static_cast<std::int64_t>(value));
}

OnnxAttribute attribute(std::string_view name, std::int64_t value) {
  auto result = named(name, onnx::AttributeProto::INT);
  result.set_i(value);
  return result;
}

OnnxAttribute attribute(std::string_view name, float value) {
  auto result = named(name, onnx::AttributeProto::FLOAT);
  result.set_f(value);
  return result;
}

OnnxAttribute attribute(std::string_view name, const char* value) {
  auto result = named(name, onnx::AttributeProto::STRING);
  result.set_s(value);
  return result;
}

OnnxAttribute attribute(std::string_view name, std::vector<std::int64_t> values) {
  auto result = named(name, onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) result.add_ints(value);
  return result;
}

OnnxAttribute attribute(std::string_view name, std::vector<float> values) {
  auto result = named(name, onnx::AttributeProto::FLOATS);
  for (const float value : values) result.add_floats(value);
  return result;
}

OnnxAttribute attribute(std::string_view name, const TensorData& value) {
  auto result = named(name, onnx::AttributeProto::TENSOR);
  *result.mutable_t() = to_proto("", value);
  return result;
}

OnnxAttribute attribute(std::string_view name, const OnnxGraph& value) {
  auto result = named(name, onnx::AttributeProto::GRAPH);
  *result.mutable_g() = value.proto();
  return result;
}

onnx::TensorProto to_proto(std::string_view name, const TensorData& tensor) {
  onnx::TensorProto proto;
  proto.set_name(std::string(name));
  proto.set_data_type(static_cast<std::int32_t>(tensor.dtype));
  for (const std::int64_t dim : tensor.dims) proto.add_dims(dim);
  if (tensor.dtype == DType::String) {
    const std::vector<std::string> strings = strings_of(tensor).value();
    for (const std::string& text : strings) proto.add_string_data(text);
  } else {
    proto.set_raw_data(tensor.bytes.data(), tensor.bytes.size());
  }
  return proto;
}

onnx::TypeProto tensor_type(DType dtype, const std::vector<OnnxDim>& dims) {
  onnx::TypeProto type = unranked_type(dtype);
  auto& shape = *type.mutable_tensor_type()->mutable_shape();
  for (const OnnxDim& dim : dims) {
    auto& entry = *shape.add_dim();
    if (!dim.name.empty()) entry.set_dim_param(dim.name);
    if (dim.name.empty() && dim.size >= 0) entry.set_dim_value(dim.size);
  }
  return type;
}

onnx::TypeProto unranked_type(DType dtype) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(static_cast<std::int32_t>(dtype));
  return type;
}

onnx::TypeProto sequence_type(const onnx::TypeProto& element) {
  onnx::TypeProto type;
  *type.mutable_sequence_type()->mutable_elem_type() = element;
  return type;
}

onnx::TypeProto optional_type(const onnx::TypeProto& element) {
  onnx::TypeProto type;
  *type.mutable_optional_type()->mutable_elem_type() = element;
  return type;
}

OnnxGraph& OnnxGraph::input(std::string_view name, DType dtype, const std::vector<OnnxDim>& dims) {
  return input(name, tensor_type(dtype, dims));
}

OnnxGraph& OnnxGraph::input(std::string_view name, const onnx::TypeProto& type) {
  set_type(*graph_.add_input(), name, type);
  return *this;
}

OnnxGraph& OnnxGraph::output(std::string_view name, DType dtype, const std::vector<OnnxDim>& dims) {
  return output(name, tensor_type(dtype, dims));
}

OnnxGraph& OnnxGraph::output(std::string_view name, const onnx::TypeProto& type) {
  set_type(*graph_.add_output(), name, type);
  return *this;
}

OnnxGraph& OnnxGraph::output(std::string_view name) {
  graph_.add_output()->set_name(std::string(name));
  return *this;
}

OnnxGraph& OnnxGraph::value(std::string_view name, const onnx::TypeProto& type) {
  set_type(*graph_.add_value_info(), name, type);
  return *this;
}

OnnxGraph& OnnxGraph::node(std::string_view op, std::vector<std::string> inputs,
                           std::vector<std::string> outputs, const std::vector<OnnxAttribute>& attributes,
                           std::string_view domain) {
  auto& node = *graph_.add_node();
  node.set_op_type(std::string(op));
  node.set_domain(std::string(domain));
  for (std::string& name : inputs) node.add_input(std::move(name));
  for (std::string& name : outputs) node.add_output(std::move(name));
  for (const OnnxAttribute& entry : attributes) *node.add_attribute() = entry;
  return *this;
}

OnnxGraph& OnnxGraph::initializer(std::string_view name, const TensorData& tensor) {
  *graph_.add_initializer() = to_proto(name, tensor);
  return *this;
}

OnnxGraph& OnnxGraph::external_initializer(std::string_view name, const TensorData& tensor,
                                           std::string_view location, std::int64_t offset) {
  auto& proto = *graph_.add_initializer();
  proto.set_name(std::string(name));
  proto.set_data_type(static_cast<std::int32_t>(tensor.dtype));
  for (const std::int64_t dim : tensor.dims) proto.add_dims(dim);
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  add_entry(proto, "location", std::string(location));
  add_entry(proto, "offset", std::to_string(offset));
  add_entry(proto, "length", std::to_string(tensor.bytes.size()));
  return *this;
}

onnx::ModelProto make_model(const OnnxGraph& graph, OnnxModelOptions options) {
  onnx::ModelProto model;
  model.set_ir_version(options.ir_version);
  auto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(options.opset);
  *model.mutable_graph() = graph.proto();
  return model;
}

std::string model_bytes(const OnnxGraph& graph, OnnxModelOptions options) {
  return make_model(graph, options).SerializeAsString();
}

TensorData f32(std::vector<std::int64_t> dims, std::initializer_list<float> values) {
  return tensor_of<float>(DType::F32, std::move(dims), values);
}

TensorData i64(std::vector<std::int64_t> dims, std::initializer_list<std::int64_t> values) {
  return tensor_of<std::int64_t>(DType::I64, std::move(dims), values);
}

TensorData boolean(std::vector<std::int64_t> dims, std::initializer_list<std::uint8_t> values) {
  return tensor_of<std::uint8_t>(DType::Bool, std::move(dims), values);
}

}  // namespace dycl::test
