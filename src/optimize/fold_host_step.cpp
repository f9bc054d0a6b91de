// SPDX-License-Identifier: Apache-2.0
#include "optimize/fold_host_step.h"

#include <algorithm>

#include "base/element.h"

namespace dycl::optimize {
namespace {

// What would raise, and an element of another kind than the scalar, is left to the run.
FoldedValue fold_item(const TensorData& tensor, ScalarKind kind) {
  if (tensor.count() != 1) return {};
  const Result<Scalar> element = element_at(tensor, 0);
  return element && kind_of(*element) == kind ? FoldedValue(*element) : FoldedValue();
}

FoldedValue fold_to_tensor(const HostStep& step, const Scalar& scalar) {
  const auto dtype = dtype_from_name(attribute_or(step.attributes, "dtype", std::string()));
  if (!dtype) return {};
  Result<TensorData> tensor =
      tensor_of_scalar(scalar, *dtype, attribute_or(step.attributes, "dims", std::vector<std::int64_t>{}));
  return tensor ? FoldedValue(std::make_shared<const TensorData>(std::move(*tensor))) : FoldedValue();
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
  if (family_of(step.op) == HostOpFamily::Scalar) return fold_scalars(graph, known, step);
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

}  // namespace dycl::optimize
