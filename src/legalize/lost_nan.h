// SPDX-License-Identifier: Apache-2.0
// Logarithms of sums that forget a NaN.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// LogSoftmax of f64 loses the NaN that an infinity makes of its row. It is written out: what is left of each
// element below the largest, less the logarithm of the sum of their powers.
bool write_out_log_softmax(const OnnxOp& op, Writer& writer);

// ReduceLogSumExp loses a NaN that stands beside an infinity: it is put back where any element is one.
bool put_back_nan(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
