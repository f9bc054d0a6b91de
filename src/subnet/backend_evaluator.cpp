// SPDX-License-Identifier: Apache-2.0
#include "subnet/backend_evaluator.h"

#include <algorithm>
#include <limits>

#include "legalize/legalize.h"
#include "subnet/stamp.h"

namespace dycl::subnet {
namespace {

// The operation over values of exactly the inputs' types, in a graph of its own.
TensorOp isolate(Hcfg& graph, const TensorOp& op, std::span<const TensorPtr> inputs) {
  TensorOp alone{op.domain, op.name, op.version, op.attributes, {}, {}, {}, op.fragment};
  for (const TensorPtr& input : inputs) {
    if (input == nullptr) {
      alone.inputs.emplace_back();
      continue;
    }
    std::vector<Dim> dims(input->dims.begin(), input->dims.end());
    alone.inputs.push_back(graph.add_value(TensorType{input->dtype, std::move(dims), {}}, "x"));
  }
  for (const ValueId output : op.outputs)
    alone.outputs.push_back(output.valid() ? graph.add_value(TensorType{}, "y") : ValueId{});
  return alone;
}

}  // namespace

Result<TensorPtr> tensor_of(const DyclOutput& output) {
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

// The operation is legalized, so that what would raise, or kill the process, is a failure here.
Result<BackendEvaluator::Prepared> BackendEvaluator::prepare(Hcfg& graph, const TensorOp& op) {
  Prepared prepared;
  std::vector<ValueId> outputs;
  for (const ValueId output : op.outputs)
    if (output.valid()) outputs.push_back(output);
  const BackendDescription& backend = backend_->description();
  Result<legalize::Legalizer> legalizer = legalize::Legalizer::make(graph, backend);
  if (!legalizer) return failure_of(std::move(legalizer));
  legalize::LegalSubnet legal = legalizer->run(std::span(&op, 1), std::move(outputs));
  ConstantTable constants;
  constants.update(graph);
  constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();  // constants are part of the key
  Result<StampedGraph> stamped =
      stamp(graph, constants, legal, {backend.opset, backend.ir_version, kWhole, false});
  if (!stamped) return failure_of(std::move(stamped));
  prepared.inputs = std::move(stamped->inputs);
  prepared.guards = std::move(legal.guards);
  const auto known = executables_.find(stamped->onnx);
  if (known != executables_.end()) {
    prepared.executable = known->second;
    return prepared;
  }
  auto executable = backend_->load({stamped->onnx, {}}, {});
  if (!executable) return failure_of(std::move(executable));
  executables_.emplace(stamped->onnx, *executable);
  prepared.executable = *executable;
  return prepared;
}

Result<std::vector<TensorPtr>> BackendEvaluator::evaluate(const TensorOp& op,
                                                          std::span<const TensorPtr> inputs) {
  Hcfg graph;
  const TensorOp alone = isolate(graph, op, inputs);
  Result<Prepared> prepared = prepare(graph, alone);
  if (!prepared) return failure_of(std::move(prepared));
  Result<BackendCall> call = prepared->executable->create_call();
  if (!call) return failure_of(std::move(call));
  std::vector<DyclTensor> tensors;
  for (const ValueId value : prepared->inputs) {
    const auto place = std::ranges::find(alone.inputs, value) - alone.inputs.begin();
    tensors.push_back(view_of(*inputs[static_cast<std::size_t>(place)]));
  }
  const auto asked = static_cast<std::size_t>(std::ranges::count_if(op.outputs, &ValueId::valid));
  std::vector<DyclOutput> outputs(asked + prepared->guards.size());
  if (Status status = call->run(tensors, outputs); !status) return failure_of(std::move(status));
  return results_of(op, *prepared, outputs);
}

Result<std::vector<TensorPtr>> BackendEvaluator::results_of(const TensorOp& op, const Prepared& prepared,
                                                            std::span<const DyclOutput> outputs) {
  std::vector<TensorPtr> taken;  // all of them: each releases its memory
  for (const DyclOutput& output : outputs) {
    Result<TensorPtr> result = tensor_of(output);
    if (!result) return failure_of(std::move(result));
    taken.push_back(std::move(*result));
  }
  const std::size_t asked = outputs.size() - prepared.guards.size();
  for (std::size_t index = asked; index < taken.size(); ++index)
    if (!taken[index]->bytes.empty() && taken[index]->bytes[0] != std::byte{0})
      return raised(prepared.guards[index - asked].type, prepared.guards[index - asked].message);
  std::vector<TensorPtr> results(op.outputs.size());
  std::size_t next = 0;
  for (std::size_t index = 0; index < results.size(); ++index)
    if (op.outputs[index].valid()) results[index] = std::move(taken[next++]);
  return results;
}

}  // namespace dycl::subnet
