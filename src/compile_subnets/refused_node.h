// SPDX-License-Identifier: Apache-2.0
// Which node of a sub-DNN a backend means when it refuses the whole.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace dycl::compile_subnets {

// The node that the refusal names. Where it names none, as a vendor's own sentence does not: the last one of
// the shortest beginning of the graph that the backend refuses, too. `count` is the number of nodes.
std::size_t refused_node(const Backend& backend, const BackendGraph& graph, std::size_t count,
                         const Refusal& refusal);

}  // namespace dycl::compile_subnets
