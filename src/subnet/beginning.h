// SPDX-License-Identifier: Apache-2.0
// Beginnings of a stamped graph, to find the node that a backend cannot take.
#pragma once

#include <cstddef>
#include <string>

namespace dycl::subnet {

// The graph up to that node, whose results become its outputs.
std::string graph_up_to(const std::string& onnx, std::size_t node);

}  // namespace dycl::subnet
