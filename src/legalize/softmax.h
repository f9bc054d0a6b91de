// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm, written out.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// Some kernels give 0 where a share is below the smallest normal f32, so that its logarithm is -inf. The
// share is written out, as powers of what is left below the largest and their sum; not where only products
// with matrices read it, as in attention: a share that small changes no sum in which the largest one stands.
bool write_out_softmax(const OnnxOp& op, Writer& writer);

// LogSoftmax of f64 loses the NaN that an infinity makes of its row. It is written out: what is left of each
// element below the largest, less the logarithm of the sum of their powers.
bool write_out_log_softmax(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
