// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// A transposition is fused into the product behind it as if its right operand were a matrix: by a vector, the
// matrix is multiplied untransposed. So vectors become matrices of one column; where the rank is not known,
// the left operand is hidden behind an operator that nothing is fused with.
bool multiply_columns(const OnnxOp& op, Writer& writer);

// A transposition that moves the first axis away from the front is fused into the product behind it, and
// divides by the size of that axis: the process ends where the size is 0. So an operand that may be empty is
// hidden behind an operator that nothing is fused with.
bool keep_empty_apart(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
