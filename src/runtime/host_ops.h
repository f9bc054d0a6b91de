// SPDX-License-Identifier: Apache-2.0
// The host operations at run time (base/host_op.h says what each means).
#pragma once

#include "runtime/host_op_frame.h"

namespace dycl::runtime {

// Runs one host operation. If the user's values make it fail, it raises what Python would (Blame::Model).
Status run_host_op(const HostCall& call);

// These run the operations of one family each.
Status run_scalar_op(const HostCall& call);
Status run_sequence_op(const HostCall& call);
Status run_tensor_op(const HostCall& call);  // item, to_tensor, dim, numel, view, row
Status concat_sequence(const HostCall& call);
Status split_tensor(const HostCall& call);

}  // namespace dycl::runtime
