// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/remove_unused.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace dycl::export_onnx {
namespace {

using Needed = std::unordered_set<std::string>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

void sweep(onnx::GraphProto& graph, Needed& needed);

void keep_outputs(onnx::GraphProto& graph, const std::vector<bool>& kept) {
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> outputs;
  for (int index = 0; index < graph.output_size(); ++index)
    if (kept[static_cast<std::size_t>(index)]) *outputs.Add() = std::move(*graph.mutable_output(index));
  graph.mutable_output()->Swap(&outputs);
}

// What nobody reads need not come out of the branches.
void narrow_if(onnx::NodeProto& node, const Needed& needed) {
  std::vector<bool> kept;
  google::protobuf::RepeatedPtrField<std::string> outputs;
  for (std::string& name : *node.mutable_output()) {
    kept.push_back(needed.contains(name));
    if (kept.back()) *outputs.Add() = std::move(name);
  }
  node.mutable_output()->Swap(&outputs);
  for (onnx::AttributeProto& attribute : *node.mutable_attribute())
    keep_outputs(*attribute.mutable_g(), kept);
}

void sweep_nodes(Nodes& nodes, Needed& needed) {
  std::vector<onnx::NodeProto> kept;
  for (int index = nodes.size() - 1; index >= 0; --index) {
    onnx::NodeProto& node = nodes[index];
    if (std::ranges::none_of(node.output(), [&](const std::string& name) { return needed.contains(name); }))
      continue;
    if (node.op_type() == "If") narrow_if(node, needed);
    for (const std::string& name : node.input()) needed.insert(name);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) sweep(*attribute.mutable_g(), needed);
    kept.push_back(std::move(node));
  }
  nodes.Clear();
  for (auto node = kept.rbegin(); node != kept.rend(); ++node) *nodes.Add() = std::move(*node);
}

void sweep(onnx::GraphProto& graph, Needed& needed) {
  for (const onnx::ValueInfoProto& output : graph.output()) needed.insert(output.name());
  sweep_nodes(*graph.mutable_node(), needed);
}

}  // namespace

void remove_unused(onnx::GraphProto& graph) {
  Needed needed;
  sweep(graph, needed);
  google::protobuf::RepeatedPtrField<onnx::TensorProto> initializers;
  for (onnx::TensorProto& tensor : *graph.mutable_initializer())
    if (needed.contains(tensor.name())) *initializers.Add() = std::move(tensor);
  graph.mutable_initializer()->Swap(&initializers);
}

}  // namespace dycl::export_onnx
