// SPDX-License-Identifier: Apache-2.0
// Logarithms of sums of powers, which forget a NaN.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// ReduceLogSumExp loses a NaN that stands beside an infinity: it is put back where any element is one.
bool put_back_nan(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
