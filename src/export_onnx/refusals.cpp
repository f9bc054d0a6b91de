// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/refusals.h"

#include <fmt/format.h>

#include "export_onnx/host_nodes.h"
#include "hcfg/uses.h"

namespace dycl::export_onnx {

Failure refused(const Hcfg& graph, SourceId source, std::string code, std::string message, std::string hint) {
  Failure failure = fail(Blame::Unsupported, std::move(code), std::move(message), {}, std::move(hint));
  locate(failure.value(), graph.source_stack(source));
  return failure;
}

namespace {

bool holds_string(const Type& type) {
  if (const SeqType* seq = type.seq()) return holds_string(*seq->element);
  if (const OptionalType* optional = type.optional()) return holds_string(*optional->element);
  return std::holds_alternative<StringType>(type);
}

bool is_nested(const Type& type) {
  const SeqType* seq = type.seq();
  return seq != nullptr && seq->element->tensor() == nullptr && seq->element->scalar() == nullptr;
}

Status check_value(const Hcfg& graph, ValueId value, SourceId source) {
  const Type& type = graph.type_of(value);
  if (holds_string(type))
    return refused(graph, source, "export.string",
                   "a string is computed here, and ONNX has none outside tensors",
                   "keep strings in the code around the model");
  if (is_nested(type) || (type.optional() != nullptr && is_nested(*type.optional()->element)))
    return refused(graph, source, "export.nested_sequence",
                   "a sequence of sequences is made here, and ONNX runtimes have none",
                   "keep one sequence for each, or concatenate the inner ones");
  return {};
}

Status check_step(const Hcfg& graph, const HostStep& step) {
  for (const ValueId value : step.outputs)
    if (Status good = check_value(graph, value, step.source); !good) return good;
  if (step.op == HostOp::Check) return {};  // the file fails there
  const std::optional<std::string> obstacle = host_op_obstacle(graph, step);
  if (!obstacle) return {};
  return refused(graph, step.source, "export.host_operation",
                 fmt::format("ONNX has no exact form of this: {}", *obstacle),
                 "compute it in tensors, or outside the model");
}

Status check_block(const Hcfg& graph, const Block& block) {
  for (const ValueId parameter : block.parameters)
    if (Status good = check_value(graph, parameter, block.source); !good) return good;
  for (const Step& step : block.steps)
    if (const auto* host = std::get_if<HostStep>(&step))
      if (Status good = check_step(graph, *host); !good) return good;
  if (const auto* raise = std::get_if<Raise>(&block.terminator))
    return refused(graph, block.source, "export.raise",
                   fmt::format("the model may raise {} here, and ONNX has no exceptions", raise->type),
                   "check the inputs before the model is called, and leave the raise out");
  const auto* done = std::get_if<Return>(&block.terminator);
  if (done != nullptr && done->tree != nullptr && holds_argument(*done->tree))
    return refused(graph, block.source, "export.written_input",
                   "the model changes a list, dict or object of its caller's, and an ONNX file cannot",
                   "change a copy of it, and return that");
  if (done != nullptr && !done->writes.empty())
    return refused(graph, block.source, "export.written_input",
                   fmt::format("the model writes to its input '{}', and an ONNX file cannot",
                               graph.inputs[done->writes.front()].name),
                   "copy the tensor before writing to it, and return the copy");
  return {};
}

}  // namespace

Failure refuse_hidden_failure(const Hcfg& graph, SourceId raises) {
  return refused(graph, raises, "export.raise",
                 "the model may raise here, and ONNX lacks exceptions; only a file that gives a tensor or a "
                 "number can fail instead",
                 "return a tensor or a number beside the lists");
}

Status refuse_inexpressible(const Hcfg& graph, const ControlFlow& flow) {
  for (const Port& input : graph.inputs) {
    if (input.is_state())
      return refused(
          graph, {}, "export.state",
          fmt::format("'{}' is kept from call to call, and an ONNX file keeps nothing", input.name),
          "compile without state=True, and pass it in and out");
    if (Status good = check_value(graph, input.value, {}); !good) return good;
  }
  for (const BlockId block : flow.order)
    if (Status good = check_block(graph, graph.blocks[block.index()]); !good) return good;
  return {};
}

}  // namespace dycl::export_onnx
