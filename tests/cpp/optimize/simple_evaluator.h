// SPDX-License-Identifier: Apache-2.0
// Tensor work for tests: a handful of element-wise ONNX operators on f32 and i64.
#pragma once

#include "hcfg/evaluator.h"

namespace dycl::testing {

// Add, Sub, Mul, Div (integer division by zero fails), Neg, Relu, Identity, operands of one element being
// broadcast; ConstantOfShape, Shape, Reshape to plain sizes and Concat of vectors. Anything else fails.
class SimpleEvaluator : public TensorOpEvaluator {
 public:
  Result<std::vector<TensorPtr>> evaluate(const TensorOp& op, std::span<const TensorPtr> inputs) override;
};

}  // namespace dycl::testing
