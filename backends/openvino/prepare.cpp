// SPDX-License-Identifier: Apache-2.0
#include "prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "capabilities.h"
#include "common/inline_weights.h"
#include "common/onnx_model.h"
#include "half_precision.h"
#include "integer_range.h"
#include "rewrite.h"
#include "rewrite_linear.h"

namespace dycl::openvino {
namespace {

Failure refuse(const std::string& reason) {
  return fail(Blame::Backend, "openvino.refused", reason, {}, "use --backend onnxruntime");
}

// Older models list initializers among the inputs too; they are not inputs of a call.
void drop_defaults(Model& model) {
  std::erase_if(model.inputs,
                [&](const ValueInfo& input) { return find_initializer(model, input.name) != nullptr; });
}

Result<std::vector<BorderValue>> border(const std::vector<ValueInfo>& values, const GraphFacts& facts) {
  const auto table = dtype_table();
  std::vector<BorderValue> border;
  for (const ValueInfo& value : values) {
    const auto dtype = facts.dtype(value.name);
    if (!dtype) return refuse(fmt::format("the element type of '{}' is not known", value.name));
    const auto entry = table.find(std::string(name_of(*dtype)));
    const std::string answer = entry == table.end() ? "refused: not handed to openvino" : entry->second;
    if (answer != "yes") return refuse(fmt::format("'{}' on {}: {}", value.name, name_of(*dtype), answer));
    border.push_back({value.name, *dtype});
  }
  return border;
}

// A size that is 0 at compile time makes some kernels divide by it; as an unknown size it is handled.
void loosen_empty_dims(Model& model) {
  for (ValueInfo& input : model.inputs)
    for (onnx_wire::Size& size : *input.sizes)
      if (size.fixed == 0) size.fixed = -1;
}

void rewrite_node(const Node& original, const IntegerLimit& limit, const LinearChains& chains,
                  GraphEditor& editor, std::vector<Guard>& guards) {
  const Node separated = chains.with_larger_divisor(chains.separated(original, editor), editor);
  const Node node = guard_node(separated, limit, editor, guards);
  if (chains.divides_exactly(node, editor)) return;
  if (rewrite_forms(node, editor) || rewrite_nan(node, editor) || rewrite_near_zero(node, editor)) return;
  if (rewrite_integers(node, editor)) return;
  editor.append(node);
}

// All flags become one last output.
void add_guard_output(const std::vector<Guard>& guards, GraphEditor& editor, Model& model) {
  Node concat{"Concat", "", "", {}, {editor.fresh_name()}, {int_valued("axis", 0)}};
  for (const Guard& guard : guards)
    concat.inputs.push_back(editor.add("Reshape", {guard.flag, editor.list({1})}));
  const std::vector<onnx_wire::Size> sizes{{std::ssize(guards)}};
  model.outputs.push_back({concat.outputs[0], static_cast<std::int32_t>(DType::F32), sizes});
  editor.append(std::move(concat));
}

// Every output gets a node of its own, which OpenVINO folds away again: it returns stray memory for an
// output that is an input, also when an operator comes to nothing (Sum of one, Dropout).
void separate_outputs(GraphEditor& editor, Model& model) {
  for (ValueInfo& output : model.outputs) output.name = editor.add("Identity", {output.name});
}

// In place: the facts point at constants inside the model, whose addresses stay as they are.
void rewrite_graph(Model& model, const GraphFacts& facts, const IntegerLimit& limit,
                   PreparedGraph& prepared) {
  std::string prefix = "dycl.";
  while (facts.has_value_beginning_with(prefix)) prefix += '.';
  const std::vector<Node> nodes = std::move(model.nodes);
  model.nodes.clear();
  model.values.clear();
  GraphEditor editor(facts, model.opset, prefix, model);
  const LinearChains chains(nodes, model.outputs, facts);
  std::vector<Guard> guards;
  for (const Node& node : nodes) rewrite_node(node, limit, chains, editor, guards);
  separate_outputs(editor, model);
  if (!guards.empty()) add_guard_output(guards, editor, model);
  for (Guard& guard : guards) prepared.guards.push_back(std::move(guard.message));
  loosen_empty_dims(model);
  // The rewrites use Max with broadcasting, which opset 8 brought; nothing else that 7 has changed.
  model.opset = std::max<std::int64_t>(model.opset, 8);
}

}  // namespace

Result<PreparedGraph> prepare_graph(const DyclGraph& graph, std::optional<std::size_t>* refused) {
  Result<Model> read = plugin::read_model(graph);
  if (!read) return failure_of(std::move(read));
  Model model = std::move(*read);
  drop_defaults(model);
  if (!std::ranges::all_of(model.inputs, [](const ValueInfo& input) { return input.sizes.has_value(); }))
    return refuse("an input's rank is not known");
  // OpenVINO looks for external data in files, so every weight is put into the model.
  plugin::inline_weights(model, graph, std::numeric_limits<std::size_t>::max());

  const GraphFacts facts(model);
  if (const auto refusal = first_refusal(model, facts)) {
    if (refused != nullptr) *refused = refusal->node;
    return refuse(refusal->reason);
  }
  if (std::string reason = first_unrounded_use(model, facts); !reason.empty()) return refuse(reason);
  const IntegerLimit limit = find_integer_limit(model, facts);
  if (!limit.refusal.empty()) return refuse(limit.refusal);
  Result<std::vector<BorderValue>> inputs = border(model.inputs, facts);
  if (!inputs) return failure_of(std::move(inputs));
  Result<std::vector<BorderValue>> outputs = border(model.outputs, facts);
  if (!outputs) return failure_of(std::move(outputs));

  PreparedGraph prepared{{}, std::move(*inputs), std::move(*outputs), {}, limit.largest};
  rewrite_graph(model, facts, limit, prepared);
  prepared.model = std::move(model);
  return prepared;
}

}  // namespace dycl::openvino
