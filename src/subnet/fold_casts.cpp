// SPDX-License-Identifier: Apache-2.0
#include "subnet/fold_casts.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <variant>

namespace dycl {
namespace {

// Conversions to these are the same in C++ and in every backend.
template <class From, class To>
TensorData converted(const TensorData& tensor, DType dtype) {
  From from;
  std::memcpy(&from, tensor.bytes.data(), sizeof from);
  const To to = static_cast<To>(from);
  return make_tensor_of<To>(dtype, tensor.dims, std::span(&to, 1));
}

template <class From>
std::optional<TensorData> converted_from(const TensorData& tensor, DType dtype) {
  if (dtype == DType::F32) return converted<From, float>(tensor, dtype);
  if (dtype == DType::F64) return converted<From, double>(tensor, dtype);
  return std::nullopt;
}

std::optional<TensorData> cast(const TensorData& tensor, DType dtype) {
  if (tensor.dtype == DType::F64) return converted_from<double>(tensor, dtype);
  if (tensor.dtype == DType::I64) return converted_from<std::int64_t>(tensor, dtype);
  return std::nullopt;
}

bool is_cast(const TensorOp& op) {
  return op.domain.empty() && op.name == "Cast" && op.inputs.size() == 1 && op.outputs.size() == 1;
}

}  // namespace

ValueId CastFolder::folded(Hcfg& graph, const ConstantTable& constants, const TensorOp& op) {
  const TensorPtr* constant = constants.find(graph, op.inputs[0]);
  if (constant == nullptr || element_count((*constant)->dims) != 1) return {};
  const auto to = static_cast<DType>(attribute_or(op.attributes, "to", std::int64_t{0}));
  const auto known = done_.find({op.inputs[0], to});
  if (known != done_.end()) return known->second;
  std::optional<TensorData> made = cast(**constant, to);
  const ValueId value =
      made ? graph.add_constant(std::move(*made), graph.value(op.inputs[0]).name) : ValueId{};
  done_.emplace(std::pair(op.inputs[0], to), value);
  return value;
}

std::vector<TensorOp> CastFolder::fold(Hcfg& graph, const ConstantTable& constants, std::vector<TensorOp> ops,
                                       std::span<const ValueId> outputs) {
  std::unordered_map<ValueId, ValueId> replaced;
  std::vector<TensorOp> kept;
  for (TensorOp& op : ops) {
    for (ValueId& input : op.inputs)
      if (const auto found = replaced.find(input); found != replaced.end()) input = found->second;
    const bool is_wanted = std::ranges::find(outputs, op.outputs[0]) != outputs.end();
    const ValueId value = is_cast(op) && !is_wanted ? folded(graph, constants, op) : ValueId{};
    if (value.valid())
      replaced.emplace(op.outputs[0], value);
    else
      kept.push_back(std::move(op));
  }
  return kept;
}

}  // namespace dycl
