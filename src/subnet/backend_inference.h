// SPDX-License-Identifier: Apache-2.0
// Type inference through a backend.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"
#include "hcfg/type_inference.h"
#include "subnet/stamp.h"

namespace dycl::subnet {

// Answers are kept by graph, so a body that is imported twice is inferred once.
class BackendTypeInference final : public TypeInference {
 public:
  explicit BackendTypeInference(std::shared_ptr<const Backend> backend) : backend_(std::move(backend)) {}
  Result<std::map<ValueId, TensorType>> infer(Hcfg& graph, std::span<const OnnxOp> ops) override;

 private:
  Result<std::vector<InferredType>> ask(const Hcfg& graph, std::span<const OnnxOp> ops,
                                        std::span<const ValueId> outputs, StampedGraph& stamped);
  Result<std::map<ValueId, TensorType>> infer_one_by_one(Hcfg& graph, std::span<const OnnxOp> ops);

  std::shared_ptr<const Backend> backend_;
  ConstantTable constants_;
  std::unordered_map<std::string, std::vector<InferredType>> answers_;
};

// Contents of a graph's weights, by their names in it.
std::vector<std::pair<std::string, TensorPtr>> weights_of(const Hcfg& graph, const ConstantTable& constants,
                                                          const StampedGraph& stamped);

}  // namespace dycl::subnet
