// SPDX-License-Identifier: Apache-2.0
#include "prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "capabilities.h"
#include "common/onnx_model.h"
#include "common/tensors.h"
#include "half_precision.h"
#include "integer_range.h"
#include "rewrite.h"
#include "rewrite_linear.h"

namespace dycl::openvino {
namespace {

Failure refuse(const std::string& reason) {
  return fail(Blame::Backend, "openvino.refused", reason, {}, "use --backend onnxruntime");
}

// OpenVINO looks for external data in files, so every weight is put into the model.
Status inline_weights(const DyclGraph& graph, Model& model) {
  std::map<std::string_view, const DyclTensor*> weights;
  for (std::size_t i = 0; i < graph.weight_count; ++i) weights[graph.weight_names[i]] = &graph.weights[i];
  for (const auto& tensor : model.initializers) {
    const auto found = weights.find(tensor->name);
    if (found == weights.end()) {
      if (!tensor->is_external) continue;
      return fail(Blame::Internal, "openvino.missing_weight",
                  fmt::format("weight '{}' is not passed", tensor->name));
    }
    const DyclTensor& weight = *found->second;
    if (Status status = plugin::check_tensor(weight, fmt::format("weight '{}'", tensor->name)); !status)
      return status;
    const auto dims = plugin::dims_of(weight);
    *tensor = Tensor{tensor->name, weight.dtype, {dims.begin(), dims.end()}, {}, {}, {}, {}, false};
    tensor->raw.assign(static_cast<const char*>(weight.data), weight.byte_size);
  }
  return {};
}

Result<std::vector<BorderValue>> border(const std::vector<Port>& ports, const GraphFacts& facts) {
  const auto table = dtype_table();
  std::vector<BorderValue> border;
  for (const Port& port : ports) {
    const auto dtype = facts.dtype(port.name);
    if (!dtype) return refuse(fmt::format("the element type of '{}' is not known", port.name));
    const auto entry = table.find(std::string(name_of(*dtype)));
    const std::string answer = entry == table.end() ? "refused: not handed to openvino" : entry->second;
    if (answer != "yes") return refuse(fmt::format("'{}' on {}: {}", port.name, name_of(*dtype), answer));
    border.push_back({port.name, *dtype});
  }
  return border;
}

// A size that is 0 at compile time makes some kernels divide by it; as an unknown size it is handled.
void loosen_empty_dims(Model& model) {
  for (Port& input : model.inputs)
    if (input.dims) std::ranges::replace(*input.dims, 0, -1);
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
  const Dims dims{std::ssize(guards)};
  model.outputs.push_back({concat.outputs[0], static_cast<std::int32_t>(DType::F32), dims, {}});
  editor.append(std::move(concat));
}

// Every output gets a node of its own, which OpenVINO folds away again: it returns stray memory for an
// output that is an input, also when an operator comes to nothing (Sum of one, Dropout).
void separate_outputs(GraphEditor& editor, Model& model) {
  for (Port& output : model.outputs) output.name = editor.add("Identity", {output.name});
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
  if (Result<plugin::OnnxModel> valid = plugin::read_model(graph); !valid)
    return failure_of(std::move(valid));
  Result<Model> parsed = parse_model({static_cast<const char*>(graph.onnx.data), graph.onnx.size});
  if (!parsed) return failure_of(std::move(parsed));
  Model model = std::move(*parsed);
  if (!std::ranges::all_of(model.inputs, [](const Port& input) { return input.dims.has_value(); }))
    return refuse("an input's rank is not known");
  if (Status status = inline_weights(graph, model); !status) return failure_of(std::move(status));

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
  prepared.onnx = write_model(model);
  return prepared;
}

}  // namespace dycl::openvino
