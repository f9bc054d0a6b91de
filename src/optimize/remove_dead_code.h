// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "optimize/pass.h"

namespace dycl::optimize {

// Drops blocks that the entry does not reach, and operations, block parameters and constants whose value
// no branch, return or raise depends on, through loops too.
//
// A check, and scalar work that raises in Python (a division by zero, see effects.h), stays although nobody
// uses its result. Other operations that could have failed (seq_at out of range) are dropped: ONNX lets an
// implementation skip what nobody asks for, and a frontend whose language must raise says so with a check
// or a `raise` terminator. Loops are never dropped, even endless ones. A value that binds a symbol stays as
// long as a type that is in use mentions the symbol.
Result<Hcfg> remove_dead_code(Hcfg graph, const PassContext& context);

}  // namespace dycl::optimize
