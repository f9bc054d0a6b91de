// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/onnx_file.h"

#include <fmt/format.h>

#include "export_onnx/export_onnx.h"
#include "export_onnx/stored_graph.h"
#include "package/atomic_file.h"
#include "subnet/to_onnx.h"

namespace dycl::export_onnx {
namespace {

std::size_t weight_bytes(const onnx::ModelProto& model) {
  std::size_t bytes = 0;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) bytes += tensor.raw_data().size();
  return bytes;
}

Result<std::unique_ptr<onnx::ModelProto>> model_of(const Artifact& artifact) {
  Result<Hcfg> graph = graph_of(artifact);
  if (!graph) return failure_of(std::move(graph));
  return export_onnx(*graph);
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

}  // namespace dycl::export_onnx
