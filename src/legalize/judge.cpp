// SPDX-License-Identifier: Apache-2.0
#include "legalize/judge.h"

#include <algorithm>

namespace dycl::legalize {

Judge judge_of(std::span<const TensorOp> ops) {
  const auto is_leaf_call = [](const TensorOp& op) { return std::holds_alternative<FragmentCall>(op); };
  return std::ranges::any_of(ops, is_leaf_call) ? Judge::Eager : Judge::Onnx;
}

}  // namespace dycl::legalize
