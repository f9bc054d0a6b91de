// SPDX-License-Identifier: Apache-2.0
// Tensor work for the reference interpreter and constant folding, done by a backend.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"
#include "hcfg/evaluator.h"
#include "legalize/guard.h"

namespace dycl::subnet {

// What a backend gave, with its memory.
Result<TensorPtr> tensor_of(const DyclOutput& output);

// Runs one operation at a time as a graph of its own; graphs are kept, so a loop compiles each once.
class BackendEvaluator final : public TensorOpEvaluator {
 public:
  explicit BackendEvaluator(std::shared_ptr<const Backend> backend) : backend_(std::move(backend)) {}
  Result<std::vector<TensorPtr>> evaluate(const TensorOp& op, std::span<const TensorPtr> inputs) override;

 private:
  struct Prepared {
    std::shared_ptr<const BackendExecutable> executable;
    std::vector<ValueId> inputs;          // in the executable's order
    std::vector<legalize::Guard> guards;  // its last outputs
  };
  Result<Prepared> prepare(Hcfg& graph, const TensorOp& op);
  static Result<std::vector<TensorPtr>> results_of(const TensorOp& op, const Prepared& prepared,
                                                   std::span<const DyclOutput> outputs);

  std::shared_ptr<const Backend> backend_;
  std::unordered_map<std::string, std::shared_ptr<const BackendExecutable>> executables_;
};

}  // namespace dycl::subnet
