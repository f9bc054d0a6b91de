// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "program/function.h"

namespace dycl::program {

// What every frontend promises: ids in range, operand counts as instruction.h says, cells touched by cell
// instructions only, one handler per block. A failure is a bug in the frontend (Blame::Internal).
Status verify(const Function& function);

}  // namespace dycl::program
