// SPDX-License-Identifier: Apache-2.0
// Functions that compiled code calls, because TVM has them in Python only, or not for sizes that are known at
// run time only. The worker (backends/tvm/dycl_tvm/formulas.py) writes the calls.
#pragma once

#include "tvm/ffi.h"

namespace dycl::tvm {

// dycl.nonzero(x): the indices of what is not zero, i64[rank, count]
// dycl.shape_to_tensor(shape): i64[rank]
// dycl.broadcast_shape(shape, shape): the shape that both have in common; fails when there is none
// dycl.reshape_shape(shape, target, allowzero): ONNX's Reshape, with 0 and -1
// dycl.slice(x, starts, ends, axes, steps): ONNX's Slice; the four are i64 tensors of one length
Status register_functions(const FfiFunctions& ffi);

// Implemented beside the others, in slice.cpp.
int slice(void* self, const Any* arguments, std::int32_t count, Any* result);

}  // namespace dycl::tvm
