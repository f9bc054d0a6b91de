// SPDX-License-Identifier: Apache-2.0
// Operators that are given indices, on a backend that does not look whether they are in range.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// Gather, GatherElements and GatherND raise where an index is out of range.
bool check_gathered_indices(const OnnxOp& op, Writer& writer);

// ScatterElements, ScatterND and Scatter raise where an index is out of range.
bool check_scattered_indices(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
