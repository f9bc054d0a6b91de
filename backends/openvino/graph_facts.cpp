// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/operator_traits.h"
#include "graph_editor.h"

namespace dycl::openvino {
namespace {

// Sub-DNNs declare the element types of all results. For graphs that do not (the conformance suite's, and
// those whose types are asked for), types follow here from operators that capabilities.cpp trusts.
// The element type is that of the second input.
const std::set<std::string, std::less<>> kLikeSecond = {"Where", "CastLike"};

std::optional<DType> attribute_dtype(const Node& node, std::string_view name, DType fallback) {
  const auto* attribute = node.find(name);
  return attribute == nullptr ? std::optional(fallback) : dtype_from_number(attribute->i);
}

std::optional<DType> constant_dtype(const Node& node) {
  if (const auto* value = node.find("value"); value != nullptr && value->tensor)
    return dtype_from_number(value->tensor->dtype);
  if (node.find("value_int") != nullptr || node.find("value_ints") != nullptr) return DType::I64;
  if (node.find("value_float") != nullptr || node.find("value_floats") != nullptr) return DType::F32;
  if (node.op == "ConstantOfShape") return DType::F32;
  return std::nullopt;
}

std::optional<DType> special_dtype(const Node& node, const GraphFacts& facts) {
  const std::string& op = node.op;
  if (op == "Constant" || op == "ConstantOfShape") return constant_dtype(node);
  if (op == "Cast") return attribute_dtype(node, "to", DType::F32);
  if (op == "EyeLike" && node.find("dtype") != nullptr) return attribute_dtype(node, "dtype", DType::F32);
  if (op == "OneHot" && node.inputs.size() > 2) return facts.dtype(node.inputs[2]);
  if (op == "DequantizeLinear" && node.inputs.size() > 1) return facts.dtype(node.inputs[1]);
  return std::nullopt;
}

std::optional<DType> first_output_dtype(const Node& node, const GraphFacts& facts) {
  if (has_trait(node.op, Trait::GivesBool)) return DType::Bool;
  if (has_trait(node.op, Trait::GivesPlaces)) return DType::I64;
  if (auto dtype = special_dtype(node, facts)) return dtype;
  const std::size_t source = kLikeSecond.contains(node.op) ? 1 : 0;
  if (node.inputs.size() > source) return facts.dtype(node.inputs[source]);
  return std::nullopt;
}

std::optional<DType> later_output_dtype(const Node& node, std::optional<DType> first) {
  if (node.op == "TopK" || node.op == "MaxPool") return DType::I64;
  return node.op == "Dropout" ? DType::Bool : first;
}

}  // namespace

bool is_surely_not_empty(const ValueFacts& facts) {
  return facts.dims && std::ranges::all_of(*facts.dims, [](std::int64_t dim) { return dim > 0; });
}

GraphFacts::GraphFacts(const Model& model) {
  for (const auto* declared : {&model.values, &model.inputs, &model.outputs})
    for (const ValueInfo& value : *declared) add_declared(value);
  for (const Tensor& tensor : model.initializers) {
    ValueFacts& facts = facts_[tensor.name];
    facts.dtype = dtype_from_number(tensor.dtype);
    facts.dims = tensor.dims;
    facts.constant = &tensor;
  }
  for (const Node& node : model.nodes) add_node(node);
}

const ValueFacts& GraphFacts::of(const std::string& value) const {
  const auto found = facts_.find(value);
  return found == facts_.end() ? unknown_ : found->second;
}

bool GraphFacts::has_value_beginning_with(const std::string& prefix) const {
  const auto next = facts_.lower_bound(prefix);
  return next != facts_.end() && next->first.starts_with(prefix);
}

void GraphFacts::add_declared(const ValueInfo& value) {
  ValueFacts& facts = facts_[value.name];
  if (value.dtype != 0) facts.dtype = dtype_from_number(value.dtype);
  if (!value.sizes) return;
  facts.dims.emplace();
  for (const onnx_wire::Size& size : *value.sizes) facts.dims->push_back(size.fixed);
}

void GraphFacts::add_node(const Node& node) {
  const std::optional<DType> first = first_output_dtype(node, *this);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    ValueFacts& facts = facts_[node.outputs[i]];
    facts.producer = node.op;
    if (!facts.dtype) facts.dtype = i == 0 ? first : later_output_dtype(node, first);
  }
  const Tensor* constant = node.op == "Constant" && node.has_output(0) ? constant_of(node) : nullptr;
  if (constant == nullptr) return;
  ValueFacts& facts = facts_[node.outputs[0]];
  facts.constant = constant;
  facts.dims = constant->dims;
}

const Tensor* GraphFacts::constant_of(const Node& node) {
  if (const Attribute* value = node.find("value")) return value->tensor.get();
  auto tensor = std::make_unique<Tensor>();
  if (const Attribute* value = node.find("value_int")) {
    tensor->dtype = static_cast<std::int32_t>(DType::I64);
    tensor->integers = {value->i};
  } else if (const Attribute* values = node.find("value_ints")) {
    tensor->dtype = static_cast<std::int32_t>(DType::I64);
    tensor->dims = {std::ssize(values->ints)};
    tensor->integers = values->ints;
  } else if (const Attribute* number = node.find("value_float")) {
    tensor->dtype = static_cast<std::int32_t>(DType::F32);
    tensor->floats = {number->f};
  } else {
    return nullptr;
  }
  return made_.emplace_back(std::move(tensor)).get();
}

}  // namespace dycl::openvino
