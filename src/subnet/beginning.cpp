// SPDX-License-Identifier: Apache-2.0
#include "subnet/beginning.h"

#include "base/result.h"
#include "subnet/to_onnx.h"

namespace dycl::subnet {

std::string graph_up_to(const std::string& onnx, std::size_t node) {
  onnx::ModelProto model;
  if (!model.ParseFromString(onnx)) internal_error("a stamped graph cannot be read back");
  onnx::GraphProto& graph = *model.mutable_graph();
  const int last = static_cast<int>(node);
  graph.mutable_node()->DeleteSubrange(last + 1, graph.node_size() - last - 1);
  graph.clear_output();
  for (const std::string& name : graph.node(last).output())
    if (!name.empty()) graph.add_output()->set_name(name);
  return bytes_of(model);
}

}  // namespace dycl::subnet
