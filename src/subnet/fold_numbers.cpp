// SPDX-License-Identifier: Apache-2.0
#include "subnet/fold_numbers.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <unordered_map>

namespace dycl {
namespace {

using Dims = std::vector<std::int64_t>;
using Operands = std::vector<const TensorData*>;

template <class T>
T number_in(const TensorData& tensor) {
  T value;
  std::memcpy(&value, tensor.bytes.data(), sizeof value);
  return value;
}

template <class T>
TensorData tensor_of(DType dtype, Dims dims, T value) {
  return make_tensor_of<T>(dtype, std::move(dims), std::span<const T>(&value, 1));
}

bool is_true(const TensorData& tensor) { return tensor.bytes[0] != std::byte{0}; }

bool is_single(const TensorData& tensor) { return element_count(tensor.dims) == 1; }

bool are(const Operands& operands, std::size_t count, DType dtype) {
  return operands.size() == count &&
         std::ranges::all_of(operands, [&](const TensorData* operand) { return operand->dtype == dtype; });
}

// Of single elements: ones, as many as the highest rank.
Dims broadcast(const Operands& operands) {
  std::size_t rank = 0;
  for (const TensorData* operand : operands) rank = std::max(rank, operand->dims.size());
  return Dims(rank, 1);
}

// Conversions to these are the same in C++ and in every backend.
template <class From>
std::optional<TensorData> converted_from(const TensorData& tensor, DType dtype) {
  const From from = number_in<From>(tensor);
  if (dtype == DType::F32) return tensor_of(dtype, tensor.dims, static_cast<float>(from));
  if (dtype == DType::F64) return tensor_of(dtype, tensor.dims, static_cast<double>(from));
  return std::nullopt;
}

std::optional<TensorData> cast(const TensorData& tensor, DType dtype) {
  if (tensor.dtype == DType::F64) return converted_from<double>(tensor, dtype);
  if (tensor.dtype == DType::I64) return converted_from<std::int64_t>(tensor, dtype);
  return std::nullopt;
}

template <class Compare>
std::optional<TensorData> compared(const Operands& operands, Compare compare) {
  if (!are(operands, 2, DType::I64)) return std::nullopt;
  const bool answer = compare(number_in<std::int64_t>(*operands[0]), number_in<std::int64_t>(*operands[1]));
  return tensor_of(DType::Bool, broadcast(operands), answer);
}

template <class Combine>
std::optional<TensorData> combined(const Operands& operands, Combine combine) {
  if (!are(operands, 2, DType::Bool)) return std::nullopt;
  const bool answer = combine(is_true(*operands[0]), is_true(*operands[1]));
  return tensor_of(DType::Bool, broadcast(operands), answer);
}

std::optional<TensorData> negated(const Operands& operands) {
  if (!are(operands, 1, DType::Bool)) return std::nullopt;
  return tensor_of(DType::Bool, operands[0]->dims, !is_true(*operands[0]));
}

std::optional<TensorData> chosen(const Operands& operands) {
  if (operands.size() != 3 || operands[0]->dtype != DType::Bool) return std::nullopt;
  TensorData made = *operands[is_true(*operands[0]) ? 1 : 2];
  made.dims = broadcast(operands);
  return made;
}

std::optional<TensorData> reshaped(const TensorData& tensor, const TensorData& shape) {
  if (shape.dtype != DType::I64 || shape.dims.size() != 1) return std::nullopt;
  TensorData made = tensor;
  made.dims = Dims(static_cast<std::size_t>(shape.dims[0]), 1);
  return made;
}

using Rule = std::function<std::optional<TensorData>(const Operands&)>;

const std::map<std::string, Rule, std::less<>>& rules() {
  static const std::map<std::string, Rule, std::less<>> kRules{
      {"And", [](const Operands& o) { return combined(o, std::logical_and<>()); }},
      {"Equal", [](const Operands& o) { return compared(o, std::equal_to<>()); }},
      {"Greater", [](const Operands& o) { return compared(o, std::greater<>()); }},
      {"GreaterOrEqual", [](const Operands& o) { return compared(o, std::greater_equal<>()); }},
      {"Less", [](const Operands& o) { return compared(o, std::less<>()); }},
      {"LessOrEqual", [](const Operands& o) { return compared(o, std::less_equal<>()); }},
      {"Not", negated},
      {"Or", [](const Operands& o) { return combined(o, std::logical_or<>()); }},
      {"Where", chosen},
  };
  return kRules;
}

DType target_of(const TensorOp& op) {
  return static_cast<DType>(attribute_or(op.attributes, "to", std::int64_t{0}));
}

std::optional<TensorData> evaluate(const TensorOp& op, const Operands& operands) {
  if (!is_single(*operands[0])) return std::nullopt;
  if (op.name == "Cast" && operands.size() == 1) return cast(*operands[0], target_of(op));
  if (op.name == "Reshape" && operands.size() == 2) return reshaped(*operands[0], *operands[1]);
  const auto rule = rules().find(op.name);
  if (rule == rules().end()) return std::nullopt;
  const bool all_single = std::ranges::all_of(operands, [](const TensorData* o) { return is_single(*o); });
  return all_single ? rule->second(operands) : std::nullopt;
}

}  // namespace

ValueId NumberFolder::folded(Hcfg& graph, ConstantTable& constants, const TensorOp& op) {
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

std::vector<TensorOp> NumberFolder::fold(Hcfg& graph, ConstantTable& constants, std::vector<TensorOp> ops,
                                         std::span<const ValueId> outputs) {
  std::unordered_map<ValueId, ValueId> replaced;
  std::vector<TensorOp> kept;
  for (TensorOp& op : ops) {
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

}  // namespace dycl
