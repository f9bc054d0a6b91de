// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hcfg/operator_versions.h"
#include "import_onnx/constant_value.h"
#include "import_onnx/from_onnx.h"
#include "import_onnx/importer.h"

namespace dycl::import_onnx {

Status Importer::import_constant(const Node& node, Scope& scope) {
  const onnx::AttributeProto* proto =
      node.attribute_size() == 1 ? attribute(node, node.attribute(0).name(), scope) : nullptr;
  if (proto == nullptr) return fail(Blame::Usage, "onnx.bad_constant", "a Constant needs exactly one value");
  onnx::AttributeProto named = *proto;
  named.set_name(node.attribute(0).name());  // a function's attribute goes by another name
  Result<TensorData> value = constant_value(named, &files_);
  if (!value) return failure_of(std::move(value));
  const std::string& name = node.output_size() > 0 ? node.output(0) : node.name();
  define(node, 0, graph_.add_constant(std::move(*value), name), scope);
  return {};
}

Result<Attributes> Importer::attributes_of(const Node& node, const Scope& scope) {
  Attributes attributes;
  for (const onnx::AttributeProto& own : node.attribute()) {
    const onnx::AttributeProto* proto = attribute(node, own.name(), scope);
    if (proto == nullptr) continue;  // the function's caller left it out
    Result<Attribute> value = from_onnx(*proto, &files_);
    if (!value) return failure_of(std::move(value));
    attributes.emplace(own.name(), std::move(*value));
  }
  return attributes;
}

Status Importer::import_tensor_op(const Node& node, Scope& scope) {
  OnnxOp op;
  op.domain = node.domain() == "ai.onnx" ? "" : node.domain();
  op.name = node.op_type();
  const std::optional<std::int64_t> since = since_version(op.domain, op.name, opset(node, scope));
  if (op.name.empty() || (!since && op.domain.empty()))
    return refuse("onnx.unknown_operator",
                  fmt::format("there is no operator '{}' in operator set {}", op.name, opset(node, scope)),
                  fmt::format("operator sets up to {} are known", newest_opset()));
  op.version = since.value_or(opset(node, scope));
  for (int index = 0; index < node.input_size(); ++index) {
    Result<std::optional<ValueId>> value = optional_input(node, index, scope);
    if (!value) return failure_of(std::move(value));
    if (!*value) {
      op.inputs.emplace_back();
      continue;
    }
    const bool passes_on = op.name == "Identity" && op.domain.empty();
    if (passes_on && graph_.type_of(**value).optional() != nullptr)  // unwrapping an empty one would raise
      return define(node, 0, **value, scope), Status();
    Result<ValueId> tensor = plain(**value);
    if (!tensor) return failure_of(std::move(tensor));
    if (graph_.type_of(*tensor).tensor() == nullptr) {
      if (passes_on) return define(node, 0, **value, scope), Status();
      return refuse("onnx.operator_on_sequence", fmt::format("{} cannot take a sequence", op.name),
                    "take its elements with SequenceAt first");
    }
    op.inputs.push_back(*tensor);
  }
  Result<Attributes> attributes = attributes_of(node, scope);
  if (!attributes) return failure_of(std::move(attributes));
  op.attributes = std::move(*attributes);
  for (const std::string& name : node.output()) {
    if (name.empty()) {
      op.outputs.emplace_back();
      continue;
    }
    op.outputs.push_back(graph_.add_value(TensorType{}, name));
    scope.names[name] = op.outputs.back();
  }
  builder_.tensor_op(std::move(op));
  ++pending_;
  return {};
}

}  // namespace dycl::import_onnx
