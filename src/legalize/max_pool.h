// SPDX-License-Identifier: Apache-2.0
// MaxPool and GlobalMaxPool of a backend that skips NaN and begins with the lowest finite number.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// Raises where NaN is pooled. A sum shows NaN (and infinities of both signs, which are rare enough) at the
// price of one pass over the data.
bool check_pooled_nan(const OnnxOp& op, Writer& writer);

// Raises where the place of a maximum over -inf alone is asked for: the backend has not met it.
bool check_pooled_places(const OnnxOp& op, Writer& writer);

// Halves what is pooled and doubles the result, which is exact and turns the lowest finite number to -inf.
bool pool_halves(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
