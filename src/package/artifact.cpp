// SPDX-License-Identifier: Apache-2.0
#include "package/artifact.h"

#include "package/graph_outline.h"

namespace dycl {

std::size_t weight_bytes(const Artifact& artifact) {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : artifact.weights)
    if (tensor != nullptr) bytes += tensor->bytes.size();
  for (const auto& [hash, subnet] : artifact.subnets)
    if (const auto outline = outline_graph(subnet.graph)) bytes += outline->inline_bytes;
  return bytes;
}

}  // namespace dycl
