// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/dtype.h"
#include "common/inline_weights.h"
#include "common/wire.h"

namespace dycl::onnxruntime {
namespace {

constexpr std::size_t small_weight = 1024;  // bytes
constexpr auto i64_type = static_cast<std::int32_t>(DType::I64);
constexpr auto u64_type = static_cast<std::int32_t>(DType::U64);

// Computed in f64 or f32 whatever the dtype, so that large 64-bit integers lose their low digits.
constexpr std::array<std::string_view, 6> computed_in_floating_point{
    "ReduceMean", "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"};

bool suspicious(const plugin::OnnxNode& node) {
  return node.domain.empty() && std::ranges::count(computed_in_floating_point, node.op) > 0;
}

// Protobuf merges repeated messages, so outputs can be added by appending a second `graph` field.
std::string with_outputs(std::string_view onnx, const std::vector<std::string_view>& names) {
  std::string graph;
  for (const std::string_view name : names) {
    std::string port;
    plugin::append_bytes(port, 1, name);
    plugin::append_bytes(graph, 12, port);
  }
  std::string model(onnx);
  plugin::append_bytes(model, 7, graph);
  return model;
}

// The dtypes of what suspicious nodes read. ONNX Runtime itself infers them: they are made outputs.
Result<std::map<std::string_view, std::int32_t>> dtypes_read(const Environment& environment,
                                                             const plugin::OnnxModel& model,
                                                             const PreparedGraph& prepared) {
  std::map<std::string_view, std::int32_t> dtypes;
  for (const plugin::OnnxPort& input : model.inputs) dtypes[input.name] = input.dtype;
  for (const plugin::OnnxInitializer& weight : model.initializers) dtypes[weight.name] = weight.dtype;
  std::vector<std::string_view> asked;
  for (const plugin::OnnxNode& node : model.nodes)
    if (suspicious(node) && !node.inputs.empty() && dtypes.emplace(node.inputs[0], 0).second)
      asked.push_back(node.inputs[0]);
  for (const plugin::OnnxPort& output : model.outputs) std::erase(asked, output.name);
  if (asked.empty()) return dtypes;
  auto session = environment.make_session(with_outputs(prepared.onnx, asked), prepared.weights, Optimize::No);
  if (!session) return failure_of(std::move(session));
  auto types = output_types(environment.api(), session->session.get());
  if (!types) return failure_of(std::move(types));
  for (std::size_t index = 0; index < asked.size(); ++index)
    dtypes[asked[index]] = types->at(types->size() - asked.size() + index).dtype;
  return dtypes;
}

Result<std::optional<plugin::Refusal>> wrong_operator(const Environment& environment,
                                                      const plugin::OnnxModel& model,
                                                      const PreparedGraph& prepared) {
  if (std::ranges::none_of(model.nodes, suspicious)) return std::nullopt;
  auto dtypes = dtypes_read(environment, model, prepared);
  if (!dtypes) return failure_of(std::move(dtypes));
  for (std::size_t index = 0; index < model.nodes.size(); ++index) {
    const plugin::OnnxNode& node = model.nodes[index];
    if (!suspicious(node) || node.inputs.empty()) continue;
    const std::int32_t dtype = (*dtypes)[node.inputs[0]];
    if (dtype == i64_type || dtype == u64_type)
      return plugin::Refusal{fmt::format("{} on {}: onnxruntime computes it in floating point", node.op,
                                         name_of(static_cast<DType>(dtype))),
                             index};
  }
  return std::nullopt;
}

// A model with one Add on f32.
std::string tiny_model(std::int64_t opset, std::int64_t ir_version) {
  std::string node;
  plugin::append_bytes(node, 1, "x");
  plugin::append_bytes(node, 1, "x");
  plugin::append_bytes(node, 2, "y");
  plugin::append_bytes(node, 4, "Add");
  std::string tensor;
  plugin::append_number(tensor, 1, 1);
  std::string type;
  plugin::append_bytes(type, 1, tensor);
  std::string input;
  plugin::append_bytes(input, 1, "x");
  plugin::append_bytes(input, 2, type);
  std::string output;
  plugin::append_bytes(output, 1, "y");
  std::string graph;
  plugin::append_bytes(graph, 1, node);
  plugin::append_bytes(graph, 2, "tiny");
  plugin::append_bytes(graph, 11, input);
  plugin::append_bytes(graph, 12, output);
  std::string imported;
  plugin::append_number(imported, 2, static_cast<std::uint64_t>(opset));
  std::string model;
  plugin::append_number(model, 1, static_cast<std::uint64_t>(ir_version));
  plugin::append_bytes(model, 7, graph);
  plugin::append_bytes(model, 8, imported);
  return model;
}

}  // namespace

PreparedGraph prepare(const plugin::OnnxModel& model, const DyclGraph& graph) {
  PreparedGraph prepared{plugin::inline_weights(graph, small_weight), {}};
  for (std::size_t index = 0; index < graph.weight_count; ++index) {
    const std::string_view name = graph.weight_names[index];
    const auto declared = std::ranges::find(model.initializers, name, &plugin::OnnxInitializer::name);
    if (declared != model.initializers.end() && declared->external &&
        !plugin::is_small(graph.weights[index], small_weight))
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
