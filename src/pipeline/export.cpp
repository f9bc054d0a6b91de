// SPDX-License-Identifier: Apache-2.0
#include "pipeline/export.h"

#include <fmt/format.h>

#include <unordered_map>

#include "export_onnx/export_onnx.h"
#include "hcfg/text.h"
#include "import_onnx/from_onnx.h"
#include "import_onnx/read_model.h"
#include "package/atomic_file.h"
#include "subnet/to_onnx.h"

namespace dycl::pipeline {
namespace {

// Tensors known at compile time by the key that the graph's text names them with: they lie among the
// weights, and the small ones inside the sub-DNNs' graphs.
class ConstantsByKey {
 public:
  Status add(const Artifact& artifact) {
    for (const auto& [name, tensor] : artifact.weights) tensors_.emplace(constant_key(*tensor), tensor);
    for (const auto& [hash, subnet] : artifact.subnets) {
      Result<std::unique_ptr<onnx::ModelProto>> model = import_onnx::read_model_bytes(subnet.graph, hash);
      if (!model) return failure_of(std::move(model));
      for (const onnx::TensorProto& tensor : (*model)->graph().initializer())
        if (tensor.data_location() != onnx::TensorProto::EXTERNAL) add(tensor);
      for (const onnx::NodeProto& node : (*model)->graph().node())
        for (const onnx::AttributeProto& attribute : node.attribute())
          if (attribute.has_t()) add(attribute.t());
    }
    return {};
  }

  [[nodiscard]] TensorPtr find(std::string_view key) const {
    const auto found = tensors_.find(std::string(key));
    return found == tensors_.end() ? nullptr : found->second;
  }

 private:
  void add(const onnx::TensorProto& proto) {
    if (Result<TensorData> tensor = import_onnx::from_onnx(proto, {}))
      tensors_.emplace(constant_key(*tensor), std::make_shared<const TensorData>(std::move(*tensor)));
  }

  std::unordered_map<std::string, TensorPtr> tensors_;
};

SourceId add_stack(Hcfg& graph, const PlanInstruction& instruction) {
  if (!instruction.source.known()) return {};
  SourceId caller;
  for (auto span = instruction.callers.rbegin(); span != instruction.callers.rend(); ++span)
    caller = graph.add_source(*span, caller);
  return graph.add_source(instruction.source, caller);
}

// Graphs are stored with their positions. For a text that has none, the plan knows those of each host step
// and of each block's end.
void restore_sources(const HostPlan& plan, Hcfg& graph) {
  if (!graph.sources.empty()) return;
  for (std::size_t index = 0; index < plan.blocks.size(); ++index) {
    const std::size_t end = index + 1 < plan.blocks.size() ? plan.blocks[index + 1].start : plan.code.size();
    if (plan.blocks[index].number >= graph.blocks.size() || end == 0) continue;
    Block& block = graph.blocks[plan.blocks[index].number];
    std::size_t next = plan.blocks[index].start;
    for (Step& step : block.steps) {
      auto* host = std::get_if<HostStep>(&step);
      if (host == nullptr) continue;
      while (next < end && !std::holds_alternative<PlanHost>(plan.code[next].operation)) ++next;
      if (next < end) host->source = add_stack(graph, plan.code[next++]);
    }
    block.source = add_stack(graph, plan.code[end - 1]);
  }
}

std::size_t weight_bytes(const onnx::ModelProto& model) {
  std::size_t bytes = 0;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) bytes += tensor.raw_data().size();
  return bytes;
}

Result<std::unique_ptr<onnx::ModelProto>> model_of(const Artifact& artifact) {
  Result<Hcfg> graph = graph_of(artifact);
  if (!graph) return failure_of(std::move(graph));
  return export_onnx::export_onnx(*graph);
}

// The same model gives the same bytes.
void point_to(onnx::TensorProto& tensor, const std::string& file, std::size_t offset) {
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const std::pair<const char*, std::string> entries[] = {
      {"location", file},
      {"offset", std::to_string(offset)},
      {"length", std::to_string(tensor.raw_data().size())}};
  for (const auto& [key, value] : entries) {
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  tensor.clear_raw_data();
}

// Weights go to the file beside the model; each begins at a multiple of 64 bytes.
Status write_weights(onnx::ModelProto& model, const std::filesystem::path& path) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kSmallest = 1024;  // what stays in the model
  const std::vector<std::byte> zeros(kAlignment);
  return write_atomically(path, [&](const ByteSink& sink) -> Status {
    std::size_t offset = 0;
    for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
      if (tensor.raw_data().size() < kSmallest) continue;
      const std::size_t gap = (kAlignment - offset % kAlignment) % kAlignment;
      if (Status written = sink(std::span(zeros).first(gap)); !written) return written;
      if (Status written = sink(std::as_bytes(std::span(tensor.raw_data()))); !written) return written;
      const std::size_t size = tensor.raw_data().size();
      point_to(tensor, path.filename().string(), offset + gap);
      offset += gap + size;
    }
    return {};
  });
}

}  // namespace

Result<Hcfg> graph_of(const Artifact& artifact) {
  ConstantsByKey constants;
  if (Status added = constants.add(artifact); !added) return failure_of(std::move(added));
  Result<Hcfg> graph = parse_hcfg(artifact.hcfg, [&](std::string_view key) { return constants.find(key); });
  if (!graph)
    return fail(Blame::Unsupported, "export.no_graph",
                fmt::format("the program's graph cannot be read back: {}", graph.error().message), {},
                "compile the model again");
  restore_sources(artifact.plan, *graph);
  return graph;
}

Result<std::string> export_onnx_bytes(const Artifact& artifact, const OnnxFileOptions& options) {
  Result<std::unique_ptr<onnx::ModelProto>> model = model_of(artifact);
  if (!model) return failure_of(std::move(model));
  if (weight_bytes(**model) > options.inline_limit)
    return fail(Blame::Usage, "export.too_large", "the model does not fit into the 2 GiB of one ONNX message",
                {}, "give a path: the weights are then written beside it");
  return subnet::bytes_of(**model);
}

Status export_onnx_file(const Artifact& artifact, const std::filesystem::path& path,
                        const OnnxFileOptions& options) {
  Result<std::unique_ptr<onnx::ModelProto>> model = model_of(artifact);
  if (!model) return failure_of(std::move(model));
  if (weight_bytes(**model) > options.inline_limit) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
      return fail(Blame::Usage, "export.too_large",
                  fmt::format("the weights do not fit into one ONNX message, and cannot lie beside '{}'",
                              path.string()),
                  {}, "give the path of a regular file: the weights are then written beside it");
    const std::filesystem::path beside = path.string() + ".data";
    if (Status written = write_weights(**model, beside); !written) return written;
  }
  const std::string bytes = subnet::bytes_of(**model);
  return write_atomically(path, [&](const ByteSink& sink) { return sink(std::as_bytes(std::span(bytes))); });
}

}  // namespace dycl::pipeline
