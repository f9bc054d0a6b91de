// SPDX-License-Identifier: Apache-2.0
// The order of 64-bit integers, on a backend that gets it wrong.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// ONNX Runtime takes the smaller of two i64 for the larger one if their upper halves are equal and their
// lower halves differ in the highest bit (5 and 2^31): vector instructions compare the lower halves as if
// they had a sign. Comparisons (Less, Greater) are right, so a choice by a comparison does what Max, Min,
// Clip, Relu and Sign do. ReduceMax and ReduceMin are done on the upper halves first, then on the lower ones
// of those that are largest, both as numbers of 32 bits, where the order is right.
bool order_by_comparison(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
