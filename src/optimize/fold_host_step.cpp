// SPDX-License-Identifier: Apache-2.0
#include "optimize/fold_host_step.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace dycl {
namespace {

template <class T>
T first_element(const TensorData& tensor) {
  T value{};
  std::memcpy(&value, tensor.bytes.data(), sizeof(T));
  return value;
}

// Element types that a scalar of the kind cannot hold exactly are left to the run.
FoldedValue fold_item(const TensorData& tensor, ScalarKind kind) {
  if (tensor.count() != 1) return {};
  const auto integer = [&](std::int64_t value) {
    return kind == ScalarKind::I64 ? FoldedValue(Scalar(value)) : FoldedValue();
  };
  const auto number = [&](double value) {
    return kind == ScalarKind::F64 ? FoldedValue(Scalar(value)) : FoldedValue();
  };
  switch (tensor.dtype) {
    case DType::Bool:
      if (kind != ScalarKind::Bool) return {};
      return Scalar(first_element<std::uint8_t>(tensor) != 0);
    case DType::I8: return integer(first_element<std::int8_t>(tensor));
    case DType::I16: return integer(first_element<std::int16_t>(tensor));
    case DType::I32: return integer(first_element<std::int32_t>(tensor));
    case DType::I64: return integer(first_element<std::int64_t>(tensor));
    case DType::U8: return integer(first_element<std::uint8_t>(tensor));
    case DType::U16: return integer(first_element<std::uint16_t>(tensor));
    case DType::U32: return integer(first_element<std::uint32_t>(tensor));
    case DType::F32: return number(first_element<float>(tensor));
    case DType::F64: return number(first_element<double>(tensor));
    default: return {};
  }
}

template <class T>
FoldedValue one_element(DType dtype, const Attributes& attributes, T value) {
  auto dims = attribute_or(attributes, "dims", std::vector<std::int64_t>{});
  const std::array<T, 1> values{value};
  return std::make_shared<const TensorData>(
      make_tensor_of<T>(dtype, std::move(dims), std::span<const T>(values)));
}

FoldedValue fold_to_tensor(const HostStep& step, const Scalar& scalar) {
  const auto dtype = dtype_from_name(attribute_or(step.attributes, "dtype", std::string()));
  if (!dtype) return {};
  if (const bool* truth = std::get_if<bool>(&scalar))
    return *dtype == DType::Bool ? one_element<std::uint8_t>(*dtype, step.attributes, *truth ? 1 : 0)
                                 : FoldedValue();
  if (const double* number = std::get_if<double>(&scalar)) {
    if (*dtype == DType::F64) return one_element<double>(*dtype, step.attributes, *number);
    if (*dtype == DType::F32) return one_element<float>(*dtype, step.attributes, static_cast<float>(*number));
    return {};
  }
  const std::int64_t integer = std::get<std::int64_t>(scalar);
  if (*dtype == DType::I64) return one_element<std::int64_t>(*dtype, step.attributes, integer);
  const bool fits = integer >= std::numeric_limits<std::int32_t>::min() &&
                    integer <= std::numeric_limits<std::int32_t>::max();
  if (*dtype == DType::I32 && fits)
    return one_element<std::int32_t>(*dtype, step.attributes, static_cast<std::int32_t>(integer));
  return {};
}

FoldedValue fold_dim(const TensorType& type, const Attributes& attributes) {
  if (!type.dims) return {};
  const auto rank = static_cast<std::int64_t>(type.dims->size());
  std::int64_t axis = attribute_or(attributes, "axis", rank);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return {};
  const Dim& dim = (*type.dims)[static_cast<std::size_t>(axis)];
  return dim.is_static() ? FoldedValue(Scalar(dim.constant)) : FoldedValue();
}

FoldedValue fold_numel(const TensorType& type) {
  if (!type.is_static()) return {};
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : *type.dims) sizes.push_back(dim.constant);
  const std::optional<std::int64_t> count = element_count(sizes);
  return count ? FoldedValue(Scalar(*count)) : FoldedValue();
}

// Only when the type says the resulting sizes, so that no rule about -1 and 0 is written twice.
FoldedValue fold_view(const TensorType& type, const TensorData& tensor) {
  if (!type.is_static() || type.dtype != tensor.dtype) return {};
  TensorData view = tensor;
  view.dims.clear();
  for (const Dim& dim : *type.dims) view.dims.push_back(dim.constant);
  if (element_count(view.dims) != tensor.count()) return {};
  return std::make_shared<const TensorData>(std::move(view));
}

FoldedValue fold_row(const TensorData& tensor, const Scalar& scalar) {
  const std::int64_t* index = std::get_if<std::int64_t>(&scalar);
  if (index == nullptr || tensor.dims.empty() || *index < 0 || *index >= tensor.dims[0]) return {};
  if (tensor.dtype == DType::String || bit_width(tensor.dtype) < 8) return {};
  TensorData row = tensor;  // shares the owner
  row.dims.erase(row.dims.begin());
  const std::size_t size = tensor.bytes.size() / static_cast<std::size_t>(tensor.dims[0]);
  row.bytes = tensor.bytes.subspan(static_cast<std::size_t>(*index) * size, size);
  return std::make_shared<const TensorData>(std::move(row));
}

// false `and` x, true `or` x: one operand decides.
bool decides(HostOp op, const std::optional<Scalar>& operand) {
  if (!operand || !std::holds_alternative<bool>(*operand)) return false;
  return (op == HostOp::And && !std::get<bool>(*operand)) || (op == HostOp::Or && std::get<bool>(*operand));
}

FoldedValue fold_scalars(const Hcfg& graph, const KnownValues& known, const HostStep& step) {
  std::vector<Scalar> operands;
  for (const ValueId input : step.inputs) {
    const std::optional<Scalar>& operand = known.scalar(input);
    if (decides(step.op, operand)) return *operand;
    if (operand) operands.push_back(*operand);
  }
  if (operands.size() != step.inputs.size()) return {};
  const ScalarKind kind = graph.type_of(step.outputs[0]).scalar()->kind;
  const Result<Scalar> result =
      scalar_operation(step.op, operands, scalar_context(step.op, step.attributes, kind));
  return result ? FoldedValue(*result) : FoldedValue();  // what would raise is left to the run
}

FoldedValue fold_tensor_step(const Hcfg& graph, const KnownValues& known, const HostStep& step) {
  const TensorPtr& tensor = known.tensor(step.inputs[0]);
  if (tensor == nullptr) return {};
  const Type& type = graph.type_of(step.outputs[0]);
  if (step.op == HostOp::Item) return fold_item(*tensor, type.scalar()->kind);
  if (step.op == HostOp::View) return fold_view(*type.tensor(), *tensor);
  const std::optional<Scalar>& index = known.scalar(step.inputs[1]);
  return index ? fold_row(*tensor, *index) : FoldedValue();
}

}  // namespace

FoldedValue fold_host_step(const Hcfg& graph, const KnownValues& known, const HostStep& step) {
  if (is_scalar_operation(step.op)) return fold_scalars(graph, known, step);
  switch (step.op) {
    case HostOp::Item:
    case HostOp::View:
    case HostOp::Row: return fold_tensor_step(graph, known, step);
    case HostOp::ToTensor: {
      const std::optional<Scalar>& scalar = known.scalar(step.inputs[0]);
      return scalar ? fold_to_tensor(step, *scalar) : FoldedValue();
    }
    case HostOp::Dim: return fold_dim(*graph.type_of(step.inputs[0]).tensor(), step.attributes);
    case HostOp::Numel: return fold_numel(*graph.type_of(step.inputs[0]).tensor());
    default: return {};
  }
}

}  // namespace dycl
