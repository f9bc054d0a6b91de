// SPDX-License-Identifier: Apache-2.0
// Which operation of a sub-DNN a backend means when it refuses the whole.
#pragma once

#include <string_view>

#include "hcfg/hcfg.h"

namespace dycl::pipeline {

// The operation that the reason names ("ReduceMean on i64: …", or the operator's name anywhere in a vendor's
// sentence), of that element type where it says one; the first operation when it names none.
const TensorOp& refused_operation(const Hcfg& graph, const SubnetStep& step, std::string_view reason);

}  // namespace dycl::pipeline
