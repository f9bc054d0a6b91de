// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "program/function.h"

namespace dycl::program {

// Checks what every frontend promises: ids are in range, operand counts are those of instruction.h, only cell
// instructions use cells, and a block has one handler. A failure is a bug in the frontend (Blame::Internal).
Status verify(const Function& function);

}  // namespace dycl::program
