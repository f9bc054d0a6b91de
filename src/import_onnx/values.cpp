// SPDX-License-Identifier: Apache-2.0
// Small steps that every operator's import is made of.
#include <fmt/format.h>

#include "base/host_op_signature.h"
#include "base/utf8.h"
#include "hcfg/operator_versions.h"
#include "import_onnx/from_onnx.h"
#include "import_onnx/importer.h"

namespace dycl::import_onnx {

Failure Importer::refuse(std::string code, std::string message, std::string hint) const {
  return fail(Blame::Unsupported, std::move(code), std::move(message), {}, std::move(hint));
}

Failure Importer::bad_operand() const {
  return fail(Blame::Usage, "onnx.bad_operand", *problem_, {}, "check the model with onnx.checker");
}

SourceSpan Importer::span_of(const Node& node, const Scope& scope) const {
  const std::string& label = !node.name().empty()     ? node.name()
                             : node.output_size() > 0 ? node.output(0)
                                                      : node.op_type();
  return {options_.file, 0, 0, as_utf8(fmt::format("{}/{} ({})", scope.path, label, node.op_type()))};
}

std::int64_t Importer::opset(const Node& node, const Scope& scope) const {
  const std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
  const auto found = scope.frame->opsets.find(domain);
  return found == scope.frame->opsets.end() ? 1 : found->second;
}

Result<ValueId> Importer::lookup(const std::string& name, const Scope& scope) const {
  for (const Scope* place = &scope; place != nullptr; place = place->parent)
    if (const auto found = place->names.find(name); found != place->names.end()) return found->second;
  return fail(Blame::Usage, "onnx.undefined_value",
              as_utf8(fmt::format("value '{}' is used but nothing before defines it", name)), {},
              "check the model with onnx.checker; nodes must be in topological order");
}

Result<ValueId> Importer::input(const Node& node, int index, const Scope& scope) const {
  Result<std::optional<ValueId>> value = optional_input(node, index, scope);
  if (!value) return failure_of(std::move(value));
  if (!*value)
    return fail(Blame::Usage, "onnx.missing_input",
                fmt::format("{} lacks its input {}", node.op_type(), index), {},
                "check the model with onnx.checker");
  return **value;
}

Result<std::optional<ValueId>> Importer::optional_input(const Node& node, int index,
                                                        const Scope& scope) const {
  if (index >= node.input_size() || node.input(index).empty()) return std::optional<ValueId>();
  for (const Scope* place = &scope; place != nullptr; place = place->parent)
    if (place->omitted.contains(node.input(index))) return std::optional<ValueId>();
  Result<ValueId> value = lookup(node.input(index), scope);
  if (!value) return failure_of(std::move(value));
  return std::optional(*value);
}

// Inside a function, an attribute may stand for one that the call gave.
const onnx::AttributeProto* Importer::attribute(const Node& node, const std::string& name,
                                                const Scope& scope) const {
  for (const onnx::AttributeProto& proto : node.attribute()) {
    if (proto.name() != name) continue;
    if (proto.ref_attr_name().empty()) return &proto;
    const auto given = scope.frame->attributes.find(proto.ref_attr_name());
    return given == scope.frame->attributes.end() ? nullptr : given->second;
  }
  return nullptr;
}

std::int64_t Importer::int_attribute(const Node& node, const std::string& name, std::int64_t fallback,
                                     const Scope& scope) const {
  const onnx::AttributeProto* proto = attribute(node, name, scope);
  return proto == nullptr ? fallback : proto->i();
}

std::vector<std::int64_t> Importer::ints_attribute(const Node& node, const std::string& name,
                                                   const Scope& scope) const {
  const onnx::AttributeProto* proto = attribute(node, name, scope);
  if (proto == nullptr) return {};
  return {proto->ints().begin(), proto->ints().end()};
}

Result<const onnx::GraphProto*> Importer::graph_attribute(const Node& node, const std::string& name,
                                                          const Scope& scope) const {
  const onnx::AttributeProto* proto = attribute(node, name, scope);
  if (proto == nullptr || !proto->has_g())
    return fail(Blame::Usage, "onnx.bad_subgraph",
                fmt::format("{} lacks its subgraph '{}'", node.op_type(), name), {},
                "check the model with onnx.checker");
  return &proto->g();
}

void Importer::define(const Node& node, int output, ValueId value, Scope& scope) {
  if (output < node.output_size() && !node.output(output).empty()) scope.names[node.output(output)] = value;
}

Status Importer::define_results(const Node& node, const std::vector<ValueId>& values, Scope& scope) {
  if (static_cast<std::size_t>(node.output_size()) > values.size())
    return fail(Blame::Usage, "onnx.bad_subgraph",
                fmt::format("{} has {} outputs but its subgraph gives {}", node.op_type(), node.output_size(),
                            values.size()),
                {}, "check the model with onnx.checker");
  for (std::size_t index = 0; index < values.size(); ++index)
    define(node, static_cast<int>(index), values[index], scope);
  return {};
}

Status Importer::settle() {
  if (pending_ == 0) return {};
  const Block& block = graph_.blocks[builder_.block().index()];
  const std::vector<TensorOp>& ops = std::get<SubnetStep>(block.steps.back()).ops;
  const std::vector<OnnxOp> open = onnx_ops_of(std::span(ops).last(pending_));
  pending_ = 0;
  Result<std::map<ValueId, TensorType>> types = inference_.infer(graph_, open);
  if (!types) return failure_of(std::move(types));
  for (const auto& [value, type] : *types) graph_.values[value.index()].type = type;
  return {};
}

Result<Type> Importer::type_of(ValueId value) {
  if (Status status = settle(); !status) return failure_of(std::move(status));
  return graph_.type_of(value);
}

// Callers settle first: a host operation ends the group of tensor operations before it. Operands that a
// malformed model made wrong are remembered; import_nodes refuses the node for it.
ValueId Importer::host(HostOp op, std::vector<ValueId> inputs, Type result, std::string name,
                       Attributes attributes) {
  if (pending_ != 0) internal_error("a host operation would separate operations from their inference");
  std::vector<const Type*> operands;
  for (const ValueId input : inputs) operands.push_back(&graph_.type_of(input));
  const Type* const output = &result;
  if (!problem_) problem_ = check_host_op(op, attributes, operands, std::span(&output, 1));
  return builder_.host(op, std::move(inputs), std::move(result), std::move(name), std::move(attributes));
}

Result<ValueId> Importer::plain(ValueId value) {
  if (graph_.type_of(value).optional() == nullptr) return value;
  if (Status status = settle(); !status) return failure_of(std::move(status));
  const Type element = refresh_symbols(*graph_.type_of(value).optional()->element, fresh_symbols(graph_));
  return host(HostOp::Unwrap, {value}, element, graph_.value(value).name);
}

Result<ValueId> Importer::coerce(ValueId value, const Type& type) {
  if (Status status = settle(); !status) return failure_of(std::move(status));
  const bool is_optional = graph_.type_of(value).optional() != nullptr;
  if (is_optional && type.optional() == nullptr) return plain(value);
  if (!is_optional && type.optional() != nullptr)
    return host(HostOp::Some, {value}, optional_of(graph_.type_of(value)), graph_.value(value).name);
  return value;
}

Result<ValueId> Importer::to_scalar(ValueId tensor, ScalarKind kind) {
  Result<ValueId> value = plain(tensor);
  if (!value) return value;
  Result<Type> type = type_of(*value);
  if (!type) return failure_of(std::move(type));
  if (type->tensor() == nullptr)
    return fail(Blame::Usage, "onnx.not_a_tensor", "a tensor with one element is needed here", {},
                "check the model with onnx.checker");
  const ValueId scalar = host(HostOp::Item, {*value}, ScalarType{kind}, graph_.value(*value).name);
  if (problem_) return bad_operand();
  return scalar;
}

ValueId Importer::to_tensor(ValueId scalar, DType dtype, std::vector<std::int64_t> dims) {
  std::vector<Dim> sizes(dims.begin(), dims.end());
  return host(HostOp::ToTensor, {scalar}, TensorType{dtype, std::move(sizes), {}}, graph_.value(scalar).name,
              {{"dtype", std::string(name_of(dtype))}, {"dims", std::move(dims)}});
}

Result<ValueId> Importer::to_seq(ValueId value) {
  Result<ValueId> sequence = plain(value);
  if (!sequence) return sequence;
  Result<Type> type = type_of(*sequence);
  if (!type) return failure_of(std::move(type));
  if (type->seq() == nullptr)
    return fail(Blame::Usage, "onnx.not_a_sequence", "a sequence is needed here", {},
                "check the model with onnx.checker");
  return sequence;
}

}  // namespace dycl::import_onnx
