// SPDX-License-Identifier: Apache-2.0
// Finds the node of a sub-DNN that a backend means when it refuses the whole.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace dycl::compile_subnets {

// Returns the node that the refusal names. If it names none, as in a vendor's own message, it returns the
// last node of the shortest beginning of the graph that the backend also refuses. `count` is the number of
// nodes.
std::size_t refused_node(const Backend& backend, const BackendGraph& graph, std::size_t count,
                         const Refusal& refusal);

}  // namespace dycl::compile_subnets
