// SPDX-License-Identifier: Apache-2.0
// Runs many pieces of work at once, for work that waits for other processes.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"

namespace dycl::compile_subnets {

// Calls `work` with 0 … count-1 from up to `threads` threads of its own. `finished` is called from the
// calling thread with the number of pieces done, at the start with 0. After a failure no new piece is begun;
// the failure of the lowest number is returned.
Status in_parallel(std::size_t count, std::size_t threads, const std::function<Status(std::size_t)>& work,
                   const std::function<void(std::size_t)>& finished);

}  // namespace dycl::compile_subnets
