// SPDX-License-Identifier: Apache-2.0
// Tensor work for the reference interpreter and constant folding, done by a backend.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"
#include "hcfg/evaluator.h"

namespace dycl::subnet {

// Runs one operation at a time as a graph of its own; graphs are kept, so a loop compiles each once.
class BackendEvaluator final : public TensorOpEvaluator {
 public:
  explicit BackendEvaluator(std::shared_ptr<const Backend> backend) : backend_(std::move(backend)) {}
  Result<std::vector<TensorPtr>> evaluate(const TensorOp& op, std::span<const TensorPtr> inputs) override;

 private:
  Result<std::shared_ptr<const BackendExecutable>> load(const std::string& onnx);

  std::shared_ptr<const Backend> backend_;
  std::unordered_map<std::string, std::shared_ptr<const BackendExecutable>> executables_;
};

}  // namespace dycl::subnet
