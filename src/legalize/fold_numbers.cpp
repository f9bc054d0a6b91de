// SPDX-License-Identifier: Apache-2.0
#include "legalize/fold_numbers.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "hcfg/known_result.h"

namespace dycl::legalize {
namespace {

using Operands = std::vector<const TensorData*>;

template <class From>
From number_in(const TensorData& tensor) {
  From value;
  std::memcpy(&value, tensor.bytes.data(), sizeof value);
  return value;
}

template <class To>
TensorData tensor_of(DType dtype, const std::vector<std::int64_t>& dims, To value) {
  return make_tensor_of<To>(dtype, dims, std::span<const To>(&value, 1));
}

// Conversions to these are the same in C++ and in every backend.
template <class From>
std::optional<TensorData> converted_from(const TensorData& tensor, DType dtype) {
  const From from = number_in<From>(tensor);
  if (dtype == DType::F32) return tensor_of(dtype, tensor.dims, static_cast<float>(from));
  if (dtype == DType::F64) return tensor_of(dtype, tensor.dims, static_cast<double>(from));
  return std::nullopt;
}

std::optional<TensorData> as_float(const TensorData& tensor, DType dtype) {
  if (element_count(tensor.dims) != 1) return std::nullopt;
  if (tensor.dtype == DType::F64) return converted_from<double>(tensor, dtype);
  if (tensor.dtype == DType::I64) return converted_from<std::int64_t>(tensor, dtype);
  return std::nullopt;
}

DType target_of(const OnnxOp& op) {
  return static_cast<DType>(attribute_or(op.attributes, "to", std::int64_t{0}));
}

std::optional<TensorData> evaluate(const OnnxOp& op, const Operands& operands) {
  if (op.name == "Cast")
    if (std::optional<TensorData> made = as_float(*operands[0], target_of(op))) return made;
  return known_result(op, operands);
}

}  // namespace

ValueId NumberFolder::folded(Hcfg& graph, ConstantTable& constants, const OnnxOp& op) {
  Operands operands;
  for (const ValueId input : op.inputs) {
    const TensorPtr* constant = input.valid() ? constants.find(graph, input) : nullptr;
    if (constant == nullptr) return {};
    operands.push_back(constant->get());
  }
  if (operands.empty()) return {};
  const auto [known, is_new] = done_.try_emplace(Key(op.name, op.inputs, target_of(op)));
  if (!is_new) return known->second;
  if (std::optional<TensorData> made = evaluate(op, operands)) {
    known->second = graph.add_constant(std::move(*made), graph.value(op.inputs[0]).name);
    constants.update(graph);
  }
  return known->second;
}

std::vector<OnnxOp> NumberFolder::fold(Hcfg& graph, ConstantTable& constants, std::vector<OnnxOp> ops,
                                       std::span<const ValueId> outputs) {
  std::unordered_map<ValueId, ValueId> replaced;
  std::vector<OnnxOp> kept;
  for (OnnxOp& op : ops) {
    for (ValueId& input : op.inputs)
      if (const auto found = replaced.find(input); found != replaced.end()) input = found->second;
    const bool may_go = op.domain.empty() && op.outputs.size() == 1 &&
                        std::ranges::find(outputs, op.outputs[0]) == outputs.end();
    const ValueId value = may_go ? folded(graph, constants, op) : ValueId{};
    if (value.valid())
      replaced.emplace(op.outputs[0], value);
    else
      kept.push_back(std::move(op));
  }
  return kept;
}

}  // namespace dycl::legalize
