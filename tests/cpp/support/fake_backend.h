// SPDX-License-Identifier: Apache-2.0
// A backend in a few C++ functions, for tests of the runtime: instrumented by sanitizers, able to
// misbehave on request, and free of allocation when memory is offered.
//
// A graph is the name of a kernel:
//   identity        any → the same
//   add, less       f32 or i64, equal shapes
//   add_one         f32 or i64
//   add_weight      adds the graph's first weight (equal shape, f32)
//   twice           [n, …] → [2n, …], the input after itself
//   sum             [n] i64 → 0-d i64
//   negative_guard  f32 → the same and a bool guard: some element is negative
//   fail            always fails
//   wrong_size      f32 [n] → [n+1], whatever was promised
//   wrong_dtype     any → i8 of the same sizes
//   wrong_bytes     any → the same sizes in one byte
#pragma once

#include <cstdint>

#include "backend/plugin_abi.h"

namespace dycl::fake {

// The function table; its name is "fake".
const DyclBackendApi& api();

// Over the whole process: results in backend memory that are not released yet, executables loaded so
// far, and calls alive.
std::int64_t live_results();
std::int64_t loads();
std::int64_t live_calls();

}  // namespace dycl::fake
