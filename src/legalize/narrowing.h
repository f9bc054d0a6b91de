// SPDX-License-Identifier: Apache-2.0
// Casts that follow each other, on a backend that makes one of them.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// A number that is cast to i64 and then to a narrower integer keeps its low bits. ONNX Runtime drops the cast
// to i64, also without optimizations, and a float that the narrow type cannot hold becomes something else. So
// a maximum that changes nothing keeps the two casts apart.
bool keep_narrowing_apart(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
