// SPDX-License-Identifier: Apache-2.0
#include "compile_subnets/refused_node.h"

#include "subnet/beginning.h"

namespace dycl::compile_subnets {
namespace {

bool takes_up_to(const Backend& backend, const BackendGraph& graph, std::size_t node) {
  BackendGraph beginning = graph;
  beginning.onnx = subnet::graph_up_to(graph.onnx, node);
  const Result<std::optional<Refusal>> refusal = backend.check(beginning);
  return refusal && !*refusal;
}

}  // namespace

std::size_t refused_node(const Backend& backend, const BackendGraph& graph, std::size_t count,
                         const Refusal& refusal) {
  if (refusal.node && *refusal.node < count) return *refusal.node;
  std::size_t first = 0;  // the node lies between these two
  std::size_t last = count - 1;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (takes_up_to(backend, graph, middle))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

}  // namespace dycl::compile_subnets
