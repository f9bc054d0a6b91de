// SPDX-License-Identifier: Apache-2.0
#include "subnet/to_onnx.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/overloaded.h"

namespace dycl::subnet {

onnx::TensorProto to_onnx(const TensorData& tensor, const std::string& name) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(static_cast<std::int32_t>(tensor.dtype));
  for (const std::int64_t dim : tensor.dims) proto.add_dims(dim);
  if (tensor.dtype == DType::String) {
    Result<std::vector<std::string>> strings = strings_of(tensor);
    if (!strings) internal_error(strings.error().message);
    for (std::string& text : *strings) proto.add_string_data(std::move(text));
  } else {
    proto.set_raw_data(tensor.bytes.data(), tensor.bytes.size());
  }
  return proto;
}

onnx::AttributeProto to_onnx(const Attribute& attribute, const std::string& name) {
  using onnx::AttributeProto;
  AttributeProto proto;
  proto.set_name(name);
  std::visit(
      Overloaded{
          [&](std::int64_t value) { proto.set_type(AttributeProto::INT), proto.set_i(value); },
          [&](float value) { proto.set_type(AttributeProto::FLOAT), proto.set_f(value); },
          [&](double) { internal_error("ONNX attributes hold no f64"); },
          [&](const std::string& value) { proto.set_type(AttributeProto::STRING), proto.set_s(value); },
          [&](const std::vector<std::int64_t>& values) {
            proto.set_type(AttributeProto::INTS);
            for (const std::int64_t value : values) proto.add_ints(value);
          },
          [&](const std::vector<float>& values) {
            proto.set_type(AttributeProto::FLOATS);
            for (const float value : values) proto.add_floats(value);
          },
          [&](const std::vector<std::string>& values) {
            proto.set_type(AttributeProto::STRINGS);
            for (const std::string& value : values) proto.add_strings(value);
          },
          [&](const TensorPtr& tensor) {
            proto.set_type(AttributeProto::TENSOR);
            *proto.mutable_t() = to_onnx(*tensor, "");
          },
      },
      attribute);
  return proto;
}

onnx::ValueInfoProto to_onnx(const TensorType& type, const std::string& name,
                             const std::function<std::string(SymbolId)>& name_of_symbol) {
  onnx::ValueInfoProto proto;
  proto.set_name(name);
  onnx::TypeProto_Tensor* tensor = proto.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(static_cast<std::int32_t>(type.dtype));
  if (!type.dims) return proto;
  tensor->mutable_shape();
  for (const Dim& dim : *type.dims) {
    onnx::TensorShapeProto_Dimension* size = tensor->mutable_shape()->add_dim();
    if (dim.is_static())
      size->set_dim_value(dim.constant);
    else if (const std::optional<SymbolId> symbol = dim.as_symbol())
      size->set_dim_param(name_of_symbol(*symbol));
  }
  return proto;
}

std::string bytes_of(const onnx::ModelProto& model) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    model.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace dycl::subnet
