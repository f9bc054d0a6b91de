// SPDX-License-Identifier: Apache-2.0
#include "subnet/backend_evaluator.h"

#include "subnet/stamp.h"

namespace dycl {
namespace {

// The operation over values of exactly the inputs' types, in a graph of its own.
TensorOp isolate(Hcfg& graph, const TensorOp& op, std::span<const TensorPtr> inputs) {
  TensorOp alone{op.domain, op.name, op.version, op.attributes, {}, {}, {}};
  for (const TensorPtr& input : inputs) {
    if (input == nullptr) {
      alone.inputs.emplace_back();
      continue;
    }
    std::vector<Dim> dims(input->dims.begin(), input->dims.end());
    alone.inputs.push_back(graph.add_value(TensorType{input->dtype, std::move(dims), {}, {}}, "x"));
  }
  for (const ValueId output : op.outputs)
    alone.outputs.push_back(output.valid() ? graph.add_value(TensorType{}, "y") : ValueId{});
  return alone;
}

Result<TensorPtr> take(const DyclOutput& output) {
  const std::optional<DType> dtype = dtype_from_number(output.dtype);
  if (!dtype)
    return fail(Blame::Backend, "backend.bad_answer", "the backend returned an unknown element type");
  TensorData tensor;
  tensor.dtype = *dtype;
  tensor.dims.assign(output.dims, output.dims + output.rank);
  tensor.bytes = {static_cast<const std::byte*>(output.data), output.byte_size};
  if (output.owner != nullptr) tensor.owner = std::shared_ptr<void>(output.owner, output.release);
  return std::make_shared<const TensorData>(std::move(tensor));
}

}  // namespace

Result<std::shared_ptr<const BackendExecutable>> BackendEvaluator::executable_of(const Hcfg& graph,
                                                                                 const TensorOp& op) {
  std::vector<ValueId> outputs;
  for (const ValueId output : op.outputs)
    if (output.valid()) outputs.push_back(output);
  const BackendDescription& backend = backend_->description();
  Result<StampedGraph> stamped = stamp(graph, ConstantTable{}, std::span(&op, 1), outputs,
                                       {backend.opset, backend.ir_version, 1024, false});
  if (!stamped) return failure_of(std::move(stamped));
  const auto known = executables_.find(stamped->onnx);
  if (known != executables_.end()) return known->second;
  auto executable = backend_->load({stamped->onnx, {}}, {});
  if (executable) executables_.emplace(stamped->onnx, *executable);
  return executable;
}

Result<std::vector<TensorPtr>> BackendEvaluator::evaluate(const TensorOp& op,
                                                          std::span<const TensorPtr> inputs) {
  Hcfg graph;
  const TensorOp alone = isolate(graph, op, inputs);
  auto executable = executable_of(graph, alone);
  if (!executable) return failure_of(std::move(executable));
  Result<BackendCall> call = (*executable)->create_call();
  if (!call) return failure_of(std::move(call));
  std::vector<DyclTensor> tensors;
  for (const TensorPtr& input : inputs)
    if (input != nullptr) tensors.push_back(view_of(*input));
  std::vector<TensorPtr> results(op.outputs.size());
  std::vector<DyclOutput> outputs;
  for (const ValueId output : op.outputs)
    if (output.valid()) outputs.emplace_back();
  if (Status status = call->run(tensors, outputs); !status) return failure_of(std::move(status));
  std::size_t next = 0;
  for (std::size_t index = 0; index < results.size(); ++index) {
    if (!op.outputs[index].valid()) continue;
    Result<TensorPtr> result = take(outputs[next++]);
    if (!result) return failure_of(std::move(result));
    results[index] = std::move(*result);
  }
  return results;
}

}  // namespace dycl
