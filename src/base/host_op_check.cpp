// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/host_op_signature.h"
#include "base/scalar_math.h"

namespace dycl {
namespace {

using Problem = std::optional<std::string>;
using Types = std::span<const Type* const>;

bool is_scalar(const Type& type, ScalarKind kind) { return type == Type(ScalarType{kind}); }

bool is_of(const Type& type, OperandKind kind) {
  switch (kind) {
    case OperandKind::Tensor: return type.tensor() != nullptr;
    case OperandKind::Bool: return is_scalar(type, ScalarKind::Bool);
    case OperandKind::Int: return is_scalar(type, ScalarKind::I64);
    case OperandKind::Float: return is_scalar(type, ScalarKind::F64);
    case OperandKind::Number: return is_scalar(type, ScalarKind::I64) || is_scalar(type, ScalarKind::F64);
    case OperandKind::Scalar: return type.scalar() != nullptr;
    case OperandKind::Seq: return type.seq() != nullptr;
    case OperandKind::Optional: return type.optional() != nullptr;
    case OperandKind::Any: return true;
    case OperandKind::Nothing: return false;
  }
  return false;
}

std::string_view words_for(OperandKind kind) {
  switch (kind) {
    case OperandKind::Tensor: return "a tensor";
    case OperandKind::Bool: return "a bool";
    case OperandKind::Int: return "an int";
    case OperandKind::Float: return "a float";
    case OperandKind::Number: return "an int or a float";
    case OperandKind::Scalar: return "a scalar";
    case OperandKind::Seq: return "a sequence";
    case OperandKind::Optional: return "an optional";
    case OperandKind::Any: return "a value";
    case OperandKind::Nothing: return "nothing";
  }
  return "a value";
}

bool is_of(const Attribute& attribute, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Int: return std::holds_alternative<std::int64_t>(attribute);
    case AttributeKind::Ints: return std::holds_alternative<std::vector<std::int64_t>>(attribute);
    case AttributeKind::Text: return std::holds_alternative<std::string>(attribute);
    case AttributeKind::IntOrFloat:
      return std::holds_alternative<std::int64_t>(attribute) || std::holds_alternative<double>(attribute);
  }
  return false;
}

Problem check_counts(const HostOpSignature& signature, Types inputs, Types outputs) {
  const bool too_many = !signature.variadic && inputs.size() > signature.inputs.size();
  if (inputs.size() < signature.required_inputs || too_many)
    return fmt::format("it has {} inputs", inputs.size());
  const std::size_t wanted = signature.output == OperandKind::Nothing ? 0 : 1;
  if (outputs.size() != wanted) return fmt::format("it has {} outputs, not {}", outputs.size(), wanted);
  return std::nullopt;
}

Problem check_kinds(const HostOpSignature& signature, Types inputs, Types outputs) {
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const OperandKind wanted = signature.inputs[std::min(index, signature.inputs.size() - 1)];
    if (!is_of(*inputs[index], wanted)) return fmt::format("input {} must be {}", index, words_for(wanted));
  }
  if (!outputs.empty() && !is_of(*outputs[0], signature.output))
    return fmt::format("the output must be {}", words_for(signature.output));
  return std::nullopt;
}

Problem check_attributes(const HostOpSignature& signature, const Attributes& attributes) {
  for (const AttributeRule& rule : signature.attributes)
    if (rule.required && !attributes.contains(std::string(rule.name)))
      return fmt::format("the attribute '{}' is missing", rule.name);
  for (const auto& [name, attribute] : attributes) {
    const auto rule = std::ranges::find(signature.attributes, std::string_view(name), &AttributeRule::name);
    if (rule == signature.attributes.end()) return fmt::format("the attribute '{}' is not known", name);
    if (!is_of(attribute, rule->kind)) return fmt::format("the attribute '{}' is of the wrong kind", name);
  }
  return std::nullopt;
}

Problem unless(bool good, std::string_view complaint) {
  return good ? std::nullopt : Problem(std::string(complaint));
}

Problem check_const(const Attributes& attributes, const Type& output) {
  const Attribute& value = attributes.at("value");
  const bool is_float = is_scalar(output, ScalarKind::F64);
  if (is_float != std::holds_alternative<double>(value)) return "the value is not of the output's kind";
  if (!is_scalar(output, ScalarKind::Bool)) return std::nullopt;
  const std::int64_t number = std::get<std::int64_t>(value);
  return unless(number == 0 || number == 1, "a bool must be 0 or 1");
}

Problem check_to_tensor(const Attributes& attributes, const TensorType& output) {
  const auto dtype = dtype_from_name(std::get<std::string>(attributes.at("dtype")));
  if (!dtype || *dtype != output.dtype) return "the attribute 'dtype' is not the output's element type";
  const auto dims = attribute_or(attributes, "dims", std::vector<std::int64_t>{});
  return unless(dims.empty() || dims == std::vector<std::int64_t>{1},
                "the attribute 'dims' must be [] or [1]");
}

Problem check_dim(const Attributes& attributes, const TensorType& input) {
  const std::int64_t axis = std::get<std::int64_t>(attributes.at("axis"));
  if (!input.dims) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(input.dims->size());
  return unless(axis >= -rank && axis < rank, "the attribute 'axis' is out of range");
}

Problem check_view(const Attributes& attributes, const TensorType& input, const TensorType& output) {
  const auto& dims = std::get<std::vector<std::int64_t>>(attributes.at("dims"));
  if (std::ranges::any_of(dims, [](std::int64_t size) { return size < -1; }) ||
      std::ranges::count(dims, -1) > 1)
    return "the attribute 'dims' must hold sizes, with at most one -1";
  return unless(input.dtype == output.dtype && input.device == output.device,
                "input and output differ in element type");
}

// The element type of the sequence or optional; the kind has been checked.
const Type& element_of(const Type& type) {
  return type.seq() != nullptr ? *type.seq()->element : *type.optional()->element;
}

Problem check_elements(const Type& container, Types values) {
  for (const Type* value : values)
    if (!same_up_to_sizes(element_of(container), *value)) return "a value is not of the element's type";
  return std::nullopt;
}

Problem check_seq_concat(const Attributes& attributes, const Type& seq, const TensorType& output) {
  const std::int64_t new_axis = attribute_or<std::int64_t>(attributes, "new_axis", 0);
  if (new_axis != 0 && new_axis != 1) return "the attribute 'new_axis' must be 0 or 1";
  const Type& element = element_of(seq);
  if (element.tensor() == nullptr || element.tensor()->dtype != output.dtype)
    return "the output is not of the elements' type";
  const auto empty = attribute_or<std::vector<std::int64_t>>(attributes, "dims", {0});
  const bool is_empty = std::ranges::find(empty, 0) != empty.end();
  return unless(is_empty && std::ranges::min(empty) >= 0,
                "the attribute 'dims' must be the sizes of an empty tensor");
}

Problem check_seq_split(const Attributes& attributes, Types inputs, const Type& output) {
  const std::int64_t keepdims = attribute_or<std::int64_t>(attributes, "keepdims", 1);
  if (keepdims != 0 && keepdims != 1) return "the attribute 'keepdims' must be 0 or 1";
  if (inputs.size() == 2) {
    const DType sizes = inputs[1]->tensor()->dtype;
    if (sizes != DType::I64 && sizes != DType::I32) return "the sizes must be integers";
  }
  return check_elements(output, inputs.first(1));
}

Problem check_item(const Attributes& attributes, const TensorType& input) {
  constexpr std::array<std::string_view, 6> kDecisions{"bool", "int", "float", "item", "tolist", "inner"};
  const bool readable = input.dtype == DType::Bool || is_integer(input.dtype) || is_float(input.dtype);
  if (!readable) return "its element type has no scalar";
  const auto decision = attribute_or(attributes, "decision", std::string("item"));
  return unless(std::ranges::find(kDecisions, decision) != kDecisions.end(),
                "the attribute 'decision' must be bool, int, float, item, tolist or inner");
}

// One element is the runtime's business: a size may be known only then.
Problem check_check(const Attributes& attributes, const Type& input) {
  if (std::get<std::string>(attributes.at("type")).empty()) return "the attribute 'type' is empty";
  const bool is_bool_tensor = input.tensor() != nullptr && input.tensor()->dtype == DType::Bool;
  return unless(is_bool_tensor || is_scalar(input, ScalarKind::Bool), "input 0 must be a bool or bools");
}

Problem check_pow(Types inputs, const Type& output) {
  if (*inputs[0] != *inputs[1]) return "the inputs differ in kind";
  return unless(is_scalar(*inputs[0], ScalarKind::I64) || *inputs[0] == output,
                "inputs and output differ in kind");
}

Problem check_bits(Types inputs, const Type& output) {
  return unless(*inputs[0] == *inputs[1] && *inputs[0] == output && !is_scalar(output, ScalarKind::F64),
                "inputs and output must be ints, or bools");
}

Problem check_math(const Attributes& attributes, Types inputs, const Type& output) {
  const auto function = math_function_from_name(std::get<std::string>(attributes.at("function")));
  if (!function) return "the attribute 'function' is not a known function of math";
  if (!takes(*function, inputs.size()))
    return fmt::format("the function does not take {} inputs", inputs.size());
  return unless(is_scalar(output, result_of(*function)), "the output is not of the function's kind");
}

Problem check_round(Types inputs, const Type& output) {
  if (inputs.size() == 1) return unless(is_scalar(output, ScalarKind::I64), "the output must be an int");
  return unless(*inputs[0] == output, "input and output differ in kind");
}

Problem check_insertion(Types inputs, const Type& output) {
  if (auto problem = check_elements(*inputs[0], inputs.subspan(1, 1))) return problem;
  return unless(same_up_to_sizes(*inputs[0], output), "the output is another kind of sequence");
}

Problem check_one_kind(Types inputs, const Type& output) {
  const bool is_one = std::ranges::all_of(inputs, [&](const Type* input) { return *input == output; });
  return unless(is_one,
                inputs.size() == 1 ? "input and output differ in kind" : "inputs and output differ in kind");
}

// Counts, kinds and attribute kinds are right.
Problem check_relation(Relation relation, const Attributes& attributes, Types inputs, Types outputs) {
  switch (relation) {
    case Relation::None: return std::nullopt;
    case Relation::StatedValue: return check_const(attributes, *outputs[0]);
    case Relation::OneKind: return check_one_kind(inputs, *outputs[0]);
    case Relation::OneKindOfInputs: return unless(*inputs[0] == *inputs[1], "the inputs differ in kind");
    case Relation::Power: return check_pow(inputs, *outputs[0]);
    case Relation::Bits: return check_bits(inputs, *outputs[0]);
    case Relation::Choice: return check_one_kind(inputs.subspan(1), *outputs[0]);
    case Relation::Rounding: return check_round(inputs, *outputs[0]);
    case Relation::MathFunction: return check_math(attributes, inputs, *outputs[0]);
    case Relation::ReadElement: return check_item(attributes, *inputs[0]->tensor());
    case Relation::StatedDType: return check_to_tensor(attributes, *outputs[0]->tensor());
    case Relation::Axis: return check_dim(attributes, *inputs[0]->tensor());
    case Relation::ViewedSizes: return check_view(attributes, *inputs[0]->tensor(), *outputs[0]->tensor());
    case Relation::RowOfInput:
      return unless(same_up_to_sizes(*inputs[0], *outputs[0]), "input and output differ in element type");
    case Relation::HeldValues: return check_elements(*outputs[0], inputs);
    case Relation::InsertedValue: return check_insertion(inputs, *outputs[0]);
    case Relation::SameSequence:
      return unless(same_up_to_sizes(*inputs[0], *outputs[0]), "the output is another kind of sequence");
    case Relation::ElementOfInput:
      return unless(same_up_to_sizes(element_of(*inputs[0]), *outputs[0]),
                    "the output is not of the element's type");
    case Relation::JoinedElements: return check_seq_concat(attributes, *inputs[0], *outputs[0]->tensor());
    case Relation::SplitInput: return check_seq_split(attributes, inputs, *outputs[0]);
    case Relation::CheckedBool: return check_check(attributes, *inputs[0]);
  }
  internal_error("a relation of host operations that is not in the list");
}

}  // namespace

bool same_up_to_sizes(const Type& left, const Type& right) {
  if (left.index() != right.index()) return false;
  if (const TensorType* tensor = left.tensor())
    return tensor->dtype == right.tensor()->dtype && tensor->device == right.tensor()->device;
  if (left.seq() != nullptr || left.optional() != nullptr)
    return same_up_to_sizes(element_of(left), element_of(right));
  return left == right;
}

std::optional<std::string> check_host_op(HostOp op, const Attributes& attributes, Types inputs,
                                         Types outputs) {
  const HostOpSignature& signature = signature_of(op);
  if (auto problem = check_counts(signature, inputs, outputs)) return problem;
  if (auto problem = check_kinds(signature, inputs, outputs)) return problem;
  if (auto problem = check_attributes(signature, attributes)) return problem;
  return check_relation(signature.relation, attributes, inputs, outputs);
}

}  // namespace dycl
