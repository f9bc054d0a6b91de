// SPDX-License-Identifier: Apache-2.0
// Functions that compiled programs call and that TVM itself has in Python only. The compile side
// (python/dycl_tvm/build.py) makes programs call ours.
#pragma once

#include "tvm/ffi.h"

namespace dycl::tvm {

// dycl.nonzero: the indices of what is not zero, i64[rank, count]; dycl.shape_to_tensor: a shape as
// i64[rank].
Status register_functions(const FfiFunctions& ffi);

}  // namespace dycl::tvm
