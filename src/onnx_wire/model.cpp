// SPDX-License-Identifier: Apache-2.0
#include "onnx_wire/model.h"

#include <algorithm>

#include "onnx_wire/fields.h"
#include "onnx_wire/wire.h"

namespace dycl::onnx_wire {

Attribute int_valued(std::string name, std::int64_t value) {
  Attribute attribute;
  append_bytes(attribute.bytes, field::kAttributeName, name);
  append_number(attribute.bytes, field::kAttributeInt, static_cast<std::uint64_t>(value));
  append_number(attribute.bytes, field::kAttributeKind, kIntAttribute);
  attribute.name = std::move(name);
  attribute.i = value;
  return attribute;
}

Attribute ints_valued(std::string name, const std::vector<std::int64_t>& values) {
  Attribute attribute;
  append_bytes(attribute.bytes, field::kAttributeName, name);
  for (const std::int64_t value : values)
    append_number(attribute.bytes, field::kAttributeInts, static_cast<std::uint64_t>(value));
  append_number(attribute.bytes, field::kAttributeKind, kIntsAttribute);
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

const Tensor* find_initializer(const Model& model, std::string_view name) {
  const auto found = std::ranges::find(model.initializers, name, &Tensor::name);
  return found == model.initializers.end() ? nullptr : &*found;
}

std::int32_t declared_dtype(const Model& model, std::string_view name) {
  if (const Tensor* tensor = find_initializer(model, name)) return tensor->dtype;
  for (const auto* values : {&model.inputs, &model.values, &model.outputs})
    if (const auto found = std::ranges::find(*values, name, &ValueInfo::name); found != values->end())
      return found->dtype;
  return 0;
}

}  // namespace dycl::onnx_wire
