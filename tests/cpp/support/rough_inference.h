// SPDX-License-Identifier: Apache-2.0
// Type inference without a backend, for tests and fuzzing of the frontend: results have the element
// type of the first input (comparisons give bool, Shape and Size int64) and unknown rank, except for
// element-wise operations of one shape, which keep it.
#pragma once

#include "hcfg/type_inference.h"

namespace dycl::test {

class RoughInference final : public TypeInference {
 public:
  Result<std::map<ValueId, TensorType>> infer(Hcfg& graph, std::span<const OnnxOp> ops) override;
};

}  // namespace dycl::test
