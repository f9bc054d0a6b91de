// SPDX-License-Identifier: Apache-2.0
#include "subnet/lone_operation.h"

#include <algorithm>
#include <limits>

#include "legalize/legalize.h"
#include "subnet/stamp.h"

namespace dycl::subnet {
namespace {

std::vector<ValueId> asked_outputs(const TensorOp& op) {
  std::vector<ValueId> asked;
  std::ranges::copy_if(outputs_of(op), std::back_inserter(asked), &ValueId::valid);
  return asked;
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

Result<LoneOperation> LoneOperation::make(Hcfg& graph, TensorOp op, const BackendDescription& backend,
                                          const LoadGraph& load) {
  Result<legalize::Legalizer> legalizer = legalize::Legalizer::make(graph, backend);
  if (!legalizer) return failure_of(std::move(legalizer));
  legalize::LegalSubnet legal = legalizer->run(std::span(&op, 1), asked_outputs(op));
  ConstantTable constants;
  constants.update(graph);
  constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();  // constants are part of the graph
  Result<StampedGraph> stamped =
      stamp(graph, constants, legal, {backend.opset, backend.ir_version, kWhole, false});
  if (!stamped) return failure_of(std::move(stamped));
  Result<Executable> executable = load(stamped->onnx);
  if (!executable) return failure_of(std::move(executable));
  LoneOperation made;
  const std::vector<ValueId>& operands = inputs_of(op);
  for (const ValueId input : stamped->inputs)
    made.inputs_.push_back(static_cast<std::size_t>(std::ranges::find(operands, input) - operands.begin()));
  made.op_ = std::move(op);
  made.executable_ = std::move(*executable);
  made.guards_ = std::move(legal.guards);
  return made;
}

Result<std::vector<TensorPtr>> LoneOperation::run(std::span<const DyclTensor> inputs) const {
  Result<BackendCall> call = executable_->create_call();
  if (!call) return failure_of(std::move(call));
  std::vector<DyclTensor> given;
  for (const std::size_t input : inputs_) given.push_back(inputs[input]);
  std::vector<DyclOutput> outputs(asked_outputs(op_).size() + guards_.size());
  if (Status status = call->run(given, outputs); !status) return failure_of(std::move(status));
  return results_of(outputs);
}

Result<std::vector<TensorPtr>> LoneOperation::results_of(std::span<const DyclOutput> outputs) const {
  std::vector<TensorPtr> taken;  // all of them: each releases its memory
  for (const DyclOutput& output : outputs) {
    Result<TensorPtr> result = tensor_of(output);
    if (!result) return failure_of(std::move(result));
    taken.push_back(std::move(*result));
  }
  const std::size_t asked = outputs.size() - guards_.size();
  for (std::size_t index = asked; index < taken.size(); ++index)
    if (!taken[index]->bytes.empty() && taken[index]->bytes[0] != std::byte{0})
      return guard_failure(guards_[index - asked].type, guards_[index - asked].message);
  std::vector<TensorPtr> results(outputs_of(op_).size());
  std::size_t next = 0;
  for (std::size_t index = 0; index < results.size(); ++index)
    if (outputs_of(op_)[index].valid()) results[index] = std::move(taken[next++]);
  return results;
}

}  // namespace dycl::subnet
