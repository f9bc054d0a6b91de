// SPDX-License-Identifier: Apache-2.0
// Integers that a backend computes in f64, which holds them up to 2^53: what does not fit comes out beyond.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// Pow with an i64 or u64 base raises where the result is beyond 2^53.
bool check_integer_power(const OnnxOp& op, Writer& writer);

// ReduceSum and ReduceProd raise beyond 2^53 on i64, and beyond 2^31 on i32.
bool check_integer_reduction(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
