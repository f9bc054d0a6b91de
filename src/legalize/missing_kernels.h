// SPDX-License-Identifier: Apache-2.0
// Operators that a backend has, but not for some element types: the same is said with types that it has.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// Where on bools becomes logic: it is (condition and a) or (not condition and b).
bool choose_by_logic(const OnnxOp& op, Writer& writer);

// Clip on i16 is done on i32, which holds the operand, both bounds and the result.
bool clip_wider(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
