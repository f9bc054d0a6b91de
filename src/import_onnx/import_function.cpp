// SPDX-License-Identifier: Apache-2.0
// Model-local functions are expanded where they are called.
#include <fmt/format.h>

#include <algorithm>

#include "import_onnx/importer.h"

namespace dycl::import_onnx {

const onnx::FunctionProto* Importer::function_of(const Node& node) const {
  const auto found =
      functions_.find(fmt::format("{}::{}:{}", node.domain(), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

Status Importer::import_function(const Node& node, const onnx::FunctionProto& function, Scope& scope) {
  if (std::ranges::find(expanding_, &function) != expanding_.end())
    return refuse("onnx.recursive_function", fmt::format("function '{}' calls itself", function.name()),
                  "ONNX allows no recursion; use a Loop");
  if (Status status = check_depth(scope); !status) return status;
  Frame frame;
  for (const onnx::OperatorSetIdProto& import : function.opset_import())
    frame.opsets[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
  for (const onnx::AttributeProto& fallback : function.attribute_proto())
    frame.attributes[fallback.name()] = &fallback;
  for (const onnx::AttributeProto& given : node.attribute())
    if (const onnx::AttributeProto* proto = attribute(node, given.name(), scope))
      frame.attributes[given.name()] = proto;
  Scope inner{nullptr, &frame, inner_path(scope, function.name()), scope.depth + 1};
  for (int index = 0; index < function.input_size(); ++index) {
    Result<std::optional<ValueId>> value = optional_input(node, index, scope);
    if (!value) return failure_of(std::move(value));
    if (*value)
      inner.names[function.input(index)] = **value;
    else
      inner.omitted.insert(function.input(index));
  }
  expanding_.push_back(&function);
  Status status = import_nodes(function.node(), inner);
  expanding_.pop_back();
  if (!status) return status;
  for (int index = 0; index < std::min(function.output_size(), node.output_size()); ++index) {
    Result<ValueId> value = lookup(function.output(index), inner);
    if (!value) return failure_of(std::move(value));
    define(node, index, *value, scope);
  }
  return {};
}

}  // namespace dycl::import_onnx
