// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/dtype.h"
#include "common/inline_weights.h"
#include "onnx_wire/write_model.h"

namespace dycl::onnxruntime {
namespace {

constexpr std::size_t small_weight = 1024;  // bytes
constexpr auto f32_type = static_cast<std::int32_t>(DType::F32);
constexpr auto i64_type = static_cast<std::int32_t>(DType::I64);
constexpr auto u64_type = static_cast<std::int32_t>(DType::U64);

// Computed in f64 or f32 whatever the dtype, so that large 64-bit integers lose their low digits.
constexpr std::array<std::string_view, 6> computed_in_floating_point{
    "ReduceMean", "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"};

bool suspicious(const onnx_wire::Node& node) {
  return node.domain.empty() && std::ranges::count(computed_in_floating_point, node.op) > 0;
}

// Which node would be computed wrongly, and why; nullopt when none would.
std::optional<plugin::Refusal> wrong_operator(const onnx_wire::Model& model) {
  for (std::size_t index = 0; index < model.nodes.size(); ++index) {
    const onnx_wire::Node& node = model.nodes[index];
    if (!suspicious(node) || node.inputs.empty()) continue;
    const std::int32_t dtype = declared_dtype(model, node.inputs[0]);
    if (dtype == 0)
      return plugin::Refusal{
          fmt::format("{}: the element type of '{}' is not declared", node.op, node.inputs[0]), index};
    if (dtype == i64_type || dtype == u64_type)
      return plugin::Refusal{fmt::format("{} on {}: onnxruntime computes it in floating point", node.op,
                                         name_of(static_cast<DType>(dtype))),
                             index};
  }
  return std::nullopt;
}

// A model with one Add on f32.
std::string tiny_model(std::int64_t opset, std::int64_t ir_version) {
  onnx_wire::Model model;
  model.ir_version = ir_version;
  model.opset = opset;
  model.graph_name = "tiny";
  model.nodes = {{"Add", "", "", {"x", "x"}, {"y"}, {}}};
  model.inputs = {{"x", f32_type}};
  model.outputs = {{"y"}};
  return write_model(model);
}

}  // namespace

PreparedGraph prepare(onnx_wire::Model& model, const DyclGraph& graph) {
  plugin::inline_weights(model, graph, small_weight);
  PreparedGraph prepared{write_model(model), {}};
  for (std::size_t index = 0; index < graph.weight_count; ++index) {
    const onnx_wire::Tensor* declared = find_initializer(model, graph.weight_names[index]);
    if (declared != nullptr && declared->is_external)
      prepared.weights.push_back({graph.weight_names[index], &graph.weights[index]});
  }
  return prepared;
}

Result<std::vector<PortType>> infer_output_types(const Environment& environment, const DyclGraph& graph) {
  auto model = plugin::read_model(graph);
  if (!model) return failure_of(std::move(model));
  const PreparedGraph prepared = prepare(*model, graph);
  auto session = environment.make_session(prepared.onnx, prepared.weights, Optimize::No);
  if (!session) return failure_of(std::move(session));
  return output_types(environment.api(), session->session.get());
}

Result<std::optional<plugin::Refusal>> find_refusal(const Environment& environment, const DyclGraph& graph) {
  auto model = plugin::read_model(graph);
  if (!model) return failure_of(std::move(model));
  const PreparedGraph prepared = prepare(*model, graph);
  auto session = environment.make_session(prepared.onnx, prepared.weights, Optimize::No);
  if (!session) return plugin::Refusal{session.error().message};
  return wrong_operator(*model);
}

std::int64_t newest_opset(const Environment& environment) {
  std::int64_t opset = 40;
  while (opset > 1 && !environment.make_session(tiny_model(opset, 8), {}, Optimize::No)) --opset;
  return opset;
}

std::int64_t newest_ir_version(const Environment& environment) {
  std::int64_t version = 20;
  while (version > 3 && !environment.make_session(tiny_model(13, version), {}, Optimize::No)) --version;
  return version;
}

}  // namespace dycl::onnxruntime
