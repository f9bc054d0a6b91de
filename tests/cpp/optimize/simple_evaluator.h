// SPDX-License-Identifier: Apache-2.0
// Tensor work for tests: a handful of element-wise ONNX operators on f32 and i64.
#pragma once

#include "hcfg/evaluator.h"

namespace dycl::testing {

// Add, Sub, Mul, Div (integer division by zero fails), Neg, Relu, Identity and ConstantOfShape; operands of
// one element are broadcast. Anything else fails. Counts what it is asked.
class SimpleEvaluator : public TensorOpEvaluator {
 public:
  Result<std::vector<TensorPtr>> evaluate(const TensorOp& op, std::span<const TensorPtr> inputs) override;

  int calls = 0;
};

}  // namespace dycl::testing
