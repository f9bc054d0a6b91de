// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

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

// The dtypes of what suspicious nodes read. ONNX Runtime itself infers them: they are made outputs.
Result<std::map<std::string_view, std::int32_t>> dtypes_read(const Environment& environment,
                                                             const onnx_wire::Model& model,
                                                             const PreparedGraph& prepared) {
  std::map<std::string_view, std::int32_t> dtypes;
  for (const onnx_wire::ValueInfo& input : model.inputs) dtypes[input.name] = input.dtype;
  for (const onnx_wire::Tensor& weight : model.initializers) dtypes[weight.name] = weight.dtype;
  std::vector<std::string_view> asked;
  for (const onnx_wire::Node& node : model.nodes)
    if (suspicious(node) && !node.inputs.empty() && dtypes.emplace(node.inputs[0], 0).second)
      asked.push_back(node.inputs[0]);
  for (const onnx_wire::ValueInfo& output : model.outputs) std::erase(asked, output.name);
  if (asked.empty()) return dtypes;
  onnx_wire::Model with_outputs = model;
  for (const std::string_view name : asked) with_outputs.outputs.push_back({std::string(name)});
  auto session = environment.make_session(write_model(with_outputs), prepared.weights, Optimize::No);
  if (!session) return failure_of(std::move(session));
  auto types = output_types(environment.api(), session->session.get());
  if (!types) return failure_of(std::move(types));
  for (std::size_t index = 0; index < asked.size(); ++index)
    dtypes[asked[index]] = types->at(types->size() - asked.size() + index).dtype;
  return dtypes;
}

Result<std::string> wrong_operator(const Environment& environment, const onnx_wire::Model& model,
                                   const PreparedGraph& prepared) {
  if (std::ranges::none_of(model.nodes, suspicious)) return std::string();
  auto dtypes = dtypes_read(environment, model, prepared);
  if (!dtypes) return failure_of(std::move(dtypes));
  for (const onnx_wire::Node& node : model.nodes) {
    if (!suspicious(node) || node.inputs.empty()) continue;
    const std::int32_t dtype = (*dtypes)[node.inputs[0]];
    if (dtype == i64_type || dtype == u64_type)
      return fmt::format("{} on {}: onnxruntime computes it in floating point", node.op,
                         name_of(static_cast<DType>(dtype)));
  }
  return std::string();
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

Result<std::string> find_refusal(const Environment& environment, const DyclGraph& graph) {
  auto model = plugin::read_model(graph);
  if (!model) return failure_of(std::move(model));
  const PreparedGraph prepared = prepare(*model, graph);
  auto session = environment.make_session(prepared.onnx, prepared.weights, Optimize::No);
  if (!session) return session.error().message;
  return wrong_operator(environment, *model, prepared);
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
