// SPDX-License-Identifier: Apache-2.0
// Recurrent layers.
#pragma once

#include "legalize/rule.h"

namespace dycl::legalize {

// A recurrent layer over an empty batch ends the process: where the batch may be empty, it gets one sample
// of zeros more, whose results are cut off.
bool add_a_sample(const OnnxOp& op, Writer& writer);

}  // namespace dycl::legalize
