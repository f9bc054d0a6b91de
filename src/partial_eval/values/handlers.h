// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

// A handler of the program may catch what is raised here.
bool may_be_caught(const State& state);

}  // namespace dycl::partial_eval
