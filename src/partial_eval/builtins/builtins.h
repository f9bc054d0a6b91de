// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partial_eval/builtins/native_methods.h"
#include "partial_eval/builtins/natives.h"

namespace dycl::partial_eval {

// What the machine is given of this room.
inline constexpr Builtins kBuiltins{
    .call = call_native, .call_method = call_native_method, .has_method = has_native_method};

}  // namespace dycl::partial_eval
