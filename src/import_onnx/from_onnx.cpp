// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/from_onnx.h"

#include <fmt/format.h>

#include <cstring>

namespace dycl::import_onnx {
namespace {

Failure bad_tensor(const std::string& name, std::string_view why) {
  return fail(Blame::Usage, "onnx.bad_tensor", fmt::format("tensor '{}': {}", name, why), {},
              "check the model with onnx.checker");
}

// Each stored number becomes one element of type Element (or, for sub-byte types, one packed byte).
template <class Element, class Field>
std::vector<std::byte> narrow(const Field& field) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(field.size()) * sizeof(Element));
  std::byte* target = bytes.data();
  for (const auto number : field) {
    const auto element = static_cast<Element>(number);
    std::memcpy(target, &element, sizeof element);
    target += sizeof element;
  }
  return bytes;
}

std::vector<std::byte> typed_bytes(const onnx::TensorProto& proto, DType dtype) {
  switch (dtype) {
    case DType::F32:
    case DType::C64: return narrow<float>(proto.float_data());
    case DType::F64:
    case DType::C128: return narrow<double>(proto.double_data());
    case DType::I64: return narrow<std::int64_t>(proto.int64_data());
    case DType::U64: return narrow<std::uint64_t>(proto.uint64_data());
    case DType::U32: return narrow<std::uint32_t>(proto.uint64_data());
    case DType::I32: return narrow<std::int32_t>(proto.int32_data());
    default: break;
  }
  return bit_width(dtype) == 16 ? narrow<std::uint16_t>(proto.int32_data())
                                : narrow<std::uint8_t>(proto.int32_data());
}

Result<TensorData> string_tensor(const onnx::TensorProto& proto, std::vector<std::int64_t> dims,
                                 std::int64_t count) {
  if (proto.string_data_size() != count)
    return bad_tensor(proto.name(), "it holds another number of strings than its shape says");
  const std::vector<std::string> strings(proto.string_data().begin(), proto.string_data().end());
  return make_string_tensor(std::move(dims), strings);
}

Result<TensorData> number_tensor(const onnx::TensorProto& proto, DType dtype, std::vector<std::int64_t> dims,
                                 std::size_t expected, ExternalFiles* files) {
  TensorData tensor;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    auto read = files != nullptr ? files->read(proto) : ExternalFiles({}).read(proto);
    if (!read) return failure_of(std::move(read));
    tensor = TensorData{dtype, std::move(dims), (*read)->bytes(), *read};
  } else if (proto.has_raw_data()) {
    const auto raw = std::as_bytes(std::span(proto.raw_data()));
    tensor = make_tensor(dtype, std::move(dims), {raw.begin(), raw.end()});
  } else {
    tensor = make_tensor(dtype, std::move(dims), typed_bytes(proto, dtype));
  }
  if (tensor.bytes.size() != expected)
    return bad_tensor(proto.name(), fmt::format("it holds {} bytes where its shape and type need {}",
                                                tensor.bytes.size(), expected));
  return tensor;
}

Result<Type> tensor_type(const onnx::TypeProto_Tensor& proto,
                         const std::function<SymbolId(const std::string&)>& symbol_of) {
  const std::optional<DType> dtype = dtype_from_number(proto.elem_type());
  if (!dtype)
    return fail(Blame::Unsupported, "onnx.unsupported_type",
                fmt::format("element type {} is not known", proto.elem_type()));
  TensorType type{*dtype, std::nullopt, Device{}};
  if (!proto.has_shape()) return Type(type);
  type.dims.emplace();
  for (const onnx::TensorShapeProto_Dimension& dim : proto.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0)
      type.dims->emplace_back(dim.dim_value());
    else
      type.dims->emplace_back(symbol_of(dim.has_dim_value() ? std::string() : dim.dim_param()));
  }
  return Type(type);
}

// Where a sparse value goes in the dense tensor; index_rank 2 stores one coordinate tuple per value.
std::optional<std::size_t> dense_position(std::span<const std::int64_t> indices, bool linear,
                                          std::size_t value, std::span<const std::int64_t> dims,
                                          std::int64_t count) {
  if (linear) {
    const std::int64_t position = indices[value];
    if (position < 0 || position >= count) return std::nullopt;
    return static_cast<std::size_t>(position);
  }
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::int64_t coordinate = indices[value * dims.size() + axis];
    if (coordinate < 0 || coordinate >= dims[axis]) return std::nullopt;
    position = position * dims[axis] + coordinate;
  }
  return static_cast<std::size_t>(position);
}

}  // namespace

Result<TensorData> from_onnx(const onnx::TensorProto& proto, ExternalFiles* files) {
  const std::optional<DType> dtype = dtype_from_number(proto.data_type());
  if (!dtype) return bad_tensor(proto.name(), fmt::format("element type {} is not known", proto.data_type()));
  std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
  const std::optional<std::int64_t> count = element_count(dims);
  if (!count || proto.has_segment()) return bad_tensor(proto.name(), "its shape is not a shape");
  if (*dtype == DType::String) return string_tensor(proto, std::move(dims), *count);
  const std::optional<std::size_t> expected = byte_size(*dtype, *count);
  if (!expected) return bad_tensor(proto.name(), "its shape is larger than any memory");
  return number_tensor(proto, *dtype, std::move(dims), *expected, files);
}

Result<TensorData> from_onnx(const onnx::SparseTensorProto& proto, ExternalFiles* files) {
  const std::string& name = proto.values().name();
  Result<TensorData> values = from_onnx(proto.values(), files);
  if (!values) return values;
  Result<TensorData> indices = from_onnx(proto.indices(), files);
  if (!indices) return indices;
  std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
  const std::optional<std::int64_t> count = element_count(dims);
  const std::size_t bits = bit_width(values->dtype);
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  if (!count || *count > kLargest || bits < 8)
    return bad_tensor(name, "a sparse tensor of this type or size is not supported");
  const bool linear = indices->dims.size() == 1;
  const auto stored = static_cast<std::size_t>(values->count());
  const std::size_t wanted = stored * (linear ? 1 : dims.size());
  if (indices->dtype != DType::I64 || static_cast<std::size_t>(indices->count()) != wanted)
    return bad_tensor(name, "its sparse indices do not fit its values");
  std::vector<std::int64_t> flat(wanted);
  if (wanted != 0) std::memcpy(flat.data(), indices->bytes.data(), indices->bytes.size());
  std::vector<std::byte> bytes(static_cast<std::size_t>(*count) * bits / 8);
  for (std::size_t value = 0; value < stored; ++value) {
    const auto position = dense_position(flat, linear, value, dims, *count);
    if (!position) return bad_tensor(name, "a sparse index lies outside its shape");
    std::memcpy(bytes.data() + *position * bits / 8, values->bytes.data() + value * bits / 8, bits / 8);
  }
  return make_tensor(values->dtype, std::move(dims), std::move(bytes));
}

Result<Attribute> from_onnx(const onnx::AttributeProto& proto, ExternalFiles* files) {
  using onnx::AttributeProto;
  switch (proto.type()) {
    case AttributeProto::INT: return Attribute(proto.i());
    case AttributeProto::FLOAT: return Attribute(proto.f());
    case AttributeProto::STRING: return Attribute(proto.s());
    case AttributeProto::INTS:
      return Attribute(std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end()));
    case AttributeProto::FLOATS:
      return Attribute(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case AttributeProto::STRINGS:
      return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case AttributeProto::TENSOR: {
      Result<TensorData> tensor = from_onnx(proto.t(), files);
      if (!tensor) return failure_of(std::move(tensor));
      return Attribute(TensorPtr(std::make_shared<const TensorData>(std::move(*tensor))));
    }
    default: break;
  }
  return fail(Blame::Unsupported, "onnx.unsupported_attribute",
              fmt::format("attribute '{}' has a kind that is not supported here", proto.name()), {},
              "only numbers, strings, lists of them and tensors may be attributes of a tensor operation");
}

Result<Type> from_onnx(const onnx::TypeProto& proto,
                       const std::function<SymbolId(const std::string&)>& symbol_of) {
  switch (proto.value_case()) {
    case onnx::TypeProto::kTensorType: return tensor_type(proto.tensor_type(), symbol_of);
    case onnx::TypeProto::kSequenceType:
      return from_onnx(proto.sequence_type().elem_type(), symbol_of).map(seq_of);
    case onnx::TypeProto::kOptionalType:
      return from_onnx(proto.optional_type().elem_type(), symbol_of).map(optional_of);
    default: break;
  }
  return fail(Blame::Unsupported, "onnx.unsupported_type",
              "maps, sparse tensors and opaque types are not supported", {},
              "export the model with tensors, sequences and optionals only");
}

}  // namespace dycl::import_onnx
