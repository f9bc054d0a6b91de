// SPDX-License-Identifier: Apache-2.0
// Sigmoid of a backend that gives 0 where the result is small: the entropy of a small probability, p log p,
// would be NaN, and a branch on it would go the wrong way.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// 1 / (1 + exp(-x)), in f32 or f64, and x / (1 + exp(-x)) for x * sigmoid(x): what PyTorch computes.
bool write_out_sigmoid(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
