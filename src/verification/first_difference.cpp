// SPDX-License-Identifier: Apache-2.0
#include "verification/first_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hcfg/fragment.h"
#include "onnx_wire/read_model.h"
#include "onnx_wire/write_model.h"
#include "subnet/backend_inference.h"
#include "subnet/lone_operation.h"
#include "subnet/stamp_aten.h"
#include "verification/tensor_difference.h"

namespace dycl::verification {
namespace {

std::string shown(const Hcfg& graph, const std::string& name, SourceId source) {
  const std::string place = to_string(graph.source(source));
  return place.empty() ? name : fmt::format("{} at {}", name, place);
}

std::string shown(const Hcfg& graph, const TensorOp& op) {
  return shown(graph, operation_name(op), source_of(op));
}

// The names of initializers whose contents differ.
std::set<std::string> changed_constants(const onnx_wire::Model& stored, const onnx_wire::Model& expected) {
  std::set<std::string> contents;
  for (const onnx_wire::Tensor& tensor : stored.initializers) contents.insert(write_tensor(tensor));
  std::set<std::string> names;
  for (const onnx_wire::Tensor& tensor : expected.initializers)
    if (!contents.contains(write_tensor(tensor))) names.insert(tensor.name);
  return names;
}

// The first operation that the program holds otherwise than its control-flow graph says; empty: none.
std::string first_changed(const WrongSubnet& wrong) {
  const auto stored = onnx_wire::read_model(wrong.stored);
  const auto expected = onnx_wire::read_model(wrong.subnet.graph.onnx);
  if (!stored || !expected) return {};
  const std::set<std::string> constants = changed_constants(*stored, *expected);
  for (std::size_t index = 0; index < expected->nodes.size(); ++index) {
    const onnx_wire::Node& node = expected->nodes[index];
    const bool same =
        index < stored->nodes.size() && write_node(stored->nodes[index]) == write_node(node) &&
        std::ranges::none_of(node.inputs, [&](const std::string& name) { return constants.contains(name); });
    if (!same) return shown(wrong.graph, node.op, wrong.subnet.graph.sources[index]);
  }
  return {};
}

// The whole sub-DNN compiled afresh, with the results of all its operations as outputs.
Result<std::vector<TensorPtr>> all_results(const WrongSubnet& wrong, const SubnetStep& step,
                                           std::span<const ValueId> outputs,
                                           const InterpreterObserver::Tensors& tensors) {
  Hcfg graph = wrong.graph;
  const BackendDescription& backend = wrong.backend.description();
  Result<legalize::Legalizer> legalizer = legalize::Legalizer::make(graph, backend);
  if (!legalizer) return failure_of(std::move(legalizer));
  const legalize::LegalSubnet legal = legalizer->run(step.ops, {outputs.begin(), outputs.end()});
  ConstantTable constants;
  constants.update(graph);
  Result<subnet::StampedGraph> stamped =
      subnet::stamp(graph, constants, legal, {backend.opset, backend.ir_version, 1024, false});
  if (!stamped) return failure_of(std::move(stamped));
  const BackendGraph whole{stamped->onnx, subnet::weights_of(graph, constants, *stamped),
                           subnet::stamp_aten(graph, constants, step.ops, *stamped, legal.guards.size())};
  Result<std::string> blob = wrong.backend.compile(whole);
  if (!blob) return failure_of(std::move(blob));
  auto executable = wrong.backend.load(whole, *blob);
  if (!executable) return failure_of(std::move(executable));
  Result<BackendCall> call = (*executable)->create_call();
  if (!call) return failure_of(std::move(call));
  return run_on(*call, *stamped, tensors);
}

// Null: none differs when all are looked at, or this cannot be found out.
const TensorOp* first_wrong(const WrongSubnet& wrong, const SubnetStep& step,
                            const InterpreterObserver::Tensors& tensors) {
  std::vector<ValueId> outputs;
  std::vector<const TensorOp*> makers;
  for (const TensorOp& op : step.ops)
    for (const ValueId output : outputs_of(op))
      if (output.valid()) {
        outputs.push_back(output);
        makers.push_back(&op);
      }
  const Result<std::vector<TensorPtr>> results = all_results(wrong, step, outputs, tensors);
  if (!results) return nullptr;
  for (std::size_t index = 0; index < outputs.size(); ++index)
    if (tensor_difference(*(*results)[index], *tensors(outputs[index])) > wrong.tolerance)
      return makers[index];
  return nullptr;
}

}  // namespace

std::string first_difference(const WrongSubnet& wrong, const InterpreterObserver::Tensors& tensors) {
  const auto& step =
      std::get<SubnetStep>(wrong.graph.blocks[wrong.subnet.block.index()].steps[wrong.subnet.step]);
  if (const TensorOp* op = first_wrong(wrong, step, tensors))
    return fmt::format("first differing operation: {}", shown(wrong.graph, *op));
  if (const std::string changed = first_changed(wrong); !changed.empty())
    return fmt::format("first operation that is not as in the program's graph: {}", changed);
  const auto maker = std::ranges::find_if(step.ops, [&](const TensorOp& op) {
    return std::ranges::find(outputs_of(op), wrong.result) != outputs_of(op).end();
  });
  return fmt::format("it is made by {}; every operation is right when its result is looked at",
                     shown(wrong.graph, *maker));
}

Result<std::vector<TensorPtr>> run_on(BackendCall& call, const subnet::StampedGraph& graph,
                                      const InterpreterObserver::Tensors& tensors) {
  std::vector<TensorPtr> kept;
  std::vector<DyclTensor> inputs;
  for (const ValueId input : graph.inputs) {
    kept.push_back(tensors(input));
    inputs.push_back(view_of(*kept.back()));
  }
  std::vector<DyclOutput> outputs(graph.outputs.size());
  if (Status status = call.run(inputs, outputs); !status) return failure_of(std::move(status));
  std::vector<TensorPtr> results;
  for (const DyclOutput& output : outputs) {
    Result<TensorPtr> result = subnet::tensor_of(output);
    if (!result) return failure_of(std::move(result));
    results.push_back(std::move(*result));
  }
  return results;
}

}  // namespace dycl::verification
