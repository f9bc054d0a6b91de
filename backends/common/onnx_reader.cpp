// SPDX-License-Identifier: Apache-2.0
#include "common/onnx_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "common/tensors.h"

namespace dycl::plugin {
namespace {

constexpr std::array<std::string_view, 4> control_flow{"If", "Loop", "Scan", "SequenceMap"};

Status refuse_control_flow(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  for (const onnx::NodeProto& node : nodes)
    if (node.domain().empty() && std::ranges::count(control_flow, node.op_type()) > 0)
      return fail(Blame::Internal, "backend.control_flow",
                  fmt::format("a sub-DNN contains {}, which no backend may be given", node.op_type()));
  return {};
}

Status check_weights(const DyclGraph& graph) {
  for (std::size_t index = 0; index < graph.weight_count; ++index) {
    if (graph.weight_names[index] == nullptr)
      return fail(Blame::Usage, "backend.bad_tensor", fmt::format("weight {} has no name", index));
    const Status safe =
        check_tensor(graph.weights[index], fmt::format("weight '{}'", graph.weight_names[index]));
    if (!safe) return safe;
  }
  return {};
}

}  // namespace

Result<onnx::ModelProto> read_model(const DyclGraph& graph) {
  const auto bad = [](std::string_view what) {
    return fail(Blame::Usage, "backend.bad_graph", fmt::format("the graph {}", what));
  };
  onnx::ModelProto model;
  if (graph.onnx.size > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return bad("is larger than 2 GB; its weights must be passed beside it");
  if (!model.ParseFromArray(graph.onnx.data, static_cast<int>(graph.onnx.size)))
    return bad("is not an ONNX model");
  if (!model.has_graph()) return bad("is an ONNX model without a graph");
  if (Status safe = check_weights(graph); !safe) return failure_of(std::move(safe));
  if (Status plain = refuse_control_flow(model.graph().node()); !plain) return failure_of(std::move(plain));
  for (const onnx::FunctionProto& function : model.functions())
    if (Status plain = refuse_control_flow(function.node()); !plain) return failure_of(std::move(plain));
  return model;
}

std::int64_t opset_of(const onnx::ModelProto& model) {
  for (const onnx::OperatorSetIdProto& entry : model.opset_import())
    if (entry.domain().empty() || entry.domain() == "ai.onnx") return entry.version();
  return 0;
}

}  // namespace dycl::plugin
