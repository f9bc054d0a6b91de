// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/importer.h"

namespace dycl::import_onnx {

// A loop over the first sequence; further inputs are sequences of the same length, or plain values.
Status Importer::import_sequence_map(const Node& node, Scope& scope) {
  Result<const onnx::GraphProto*> body = graph_attribute(node, "body", scope);
  if (!body) return failure_of(std::move(body));
  std::vector<ValueId> inputs;
  for (int index = 0; index < node.input_size(); ++index) {
    Result<ValueId> value = input(node, index, scope);
    if (value) value = plain(*value);
    if (!value) return failure_of(std::move(value));
    inputs.push_back(*value);
  }
  if (inputs.empty()) return fail(Blame::Usage, "onnx.missing_input", "SequenceMap needs a sequence");
  Result<ValueId> first = to_seq(inputs.front());
  if (!first) return failure_of(std::move(first));
  if (Status status = settle(); !status) return status;
  LoopSpec spec;
  spec.key = loop_key(node, scope);
  spec.trip_count = host(HostOp::SeqLen, {*first}, ScalarType{ScalarKind::I64}, "n");
  spec.collect_in_front.assign(static_cast<std::size_t>((*body)->output_size()), false);
  spec.body = [&](const LoopSpec::Iteration& iteration) -> Result<LoopSpec::Outcome> {
    std::vector<ValueId> elements = inputs;
    for (ValueId& value : elements) {
      const Type type = graph_.type_of(value);
      if (type.seq() == nullptr) continue;
      const Type element = refresh_symbols(*type.seq()->element, fresh_symbols(graph_));
      value = host(HostOp::SeqAt, {value, iteration.index}, element, graph_.value(value).name);
    }
    Result<std::vector<ValueId>> results = import_subgraph(**body, scope, elements);
    if (!results) return failure_of(std::move(results));
    return LoopSpec::Outcome{std::nullopt, {}, std::move(*results)};
  };
  Result<LoopResult> loop = build_loop(spec);
  if (!loop) return failure_of(std::move(loop));
  return define_results(node, loop->collected, scope);
}

}  // namespace dycl::import_onnx
