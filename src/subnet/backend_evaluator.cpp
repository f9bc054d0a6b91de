// SPDX-License-Identifier: Apache-2.0
#include "subnet/backend_evaluator.h"

#include "subnet/lone_operation.h"

namespace dycl::subnet {
namespace {

// The operation over values of exactly the inputs' types, in a graph of its own.
TensorOp isolate(Hcfg& graph, const TensorOp& op, std::span<const TensorPtr> inputs) {
  TensorOp alone = op;
  source_of(alone) = {};
  inputs_of(alone).clear();
  outputs_of(alone).clear();
  for (const TensorPtr& input : inputs) {
    if (input == nullptr) {
      inputs_of(alone).emplace_back();
      continue;
    }
    std::vector<Dim> dims(input->dims.begin(), input->dims.end());
    inputs_of(alone).push_back(graph.add_value(TensorType{input->dtype, std::move(dims), {}}, "x"));
  }
  for (const ValueId output : outputs_of(op))
    outputs_of(alone).push_back(output.valid() ? graph.add_value(TensorType{}, "y") : ValueId{});
  return alone;
}

}  // namespace

Result<std::shared_ptr<const BackendExecutable>> BackendEvaluator::load(const std::string& onnx) {
  const auto known = executables_.find(onnx);
  if (known != executables_.end()) return known->second;
  auto executable = backend_->load({onnx, {}}, {});
  if (executable) executables_.emplace(onnx, *executable);
  return executable;
}

Result<std::vector<TensorPtr>> BackendEvaluator::evaluate(const TensorOp& op,
                                                          std::span<const TensorPtr> inputs) {
  Hcfg graph;
  Result<LoneOperation> alone =
      LoneOperation::make(graph, isolate(graph, op, inputs), backend_->description(),
                          [this](const std::string& onnx) { return load(onnx); });
  if (!alone) return failure_of(std::move(alone));
  std::vector<DyclTensor> tensors;
  for (const TensorPtr& input : inputs) tensors.push_back(input == nullptr ? DyclTensor{} : view_of(*input));
  return alone->run(tensors);
}

}  // namespace dycl::subnet
