// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partial_eval/builtins/native_call.h"

namespace dycl::partial_eval {

void add_library_natives(NativeTable& table);

}  // namespace dycl::partial_eval
