// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/whole_file.h"

#include "backend/registry.h"
#include "export_onnx/export_onnx.h"

namespace dycl::test {

std::shared_ptr<const Backend> onnxruntime() {
  static const std::shared_ptr<const Backend> backend = [] {
    BackendRegistry registry(SearchPaths{{DYCL_TEST_PLUGINS}, {DYCL_TEST_VENDORS}});
    BackendOptions options;
    options.name = "onnxruntime";
    options.threads = 1;
    return registry.open(options).value();
  }();
  return backend;
}

namespace {

TensorData take(DyclOutput& output) {
  const auto* bytes = static_cast<const std::byte*>(output.data);
  std::vector<std::byte> copy;
  if (output.byte_size > 0) copy.assign(bytes, bytes + output.byte_size);
  TensorData tensor = make_tensor(dtype_from_number(output.dtype).value(),
                                  {output.dims, output.dims + output.rank}, std::move(copy));
  if (output.owner != nullptr) output.release(output.owner);
  return tensor;
}

}  // namespace

Result<WholeFile> WholeFile::make(const Hcfg& graph) {
  Result<std::unique_ptr<onnx::ModelProto>> model = export_onnx::export_onnx(graph);
  if (!model) return failure_of(std::move(model));
  auto loaded = onnxruntime()->load({(*model)->SerializeAsString(), {}}, "");
  if (!loaded) return failure_of(std::move(loaded));
  WholeFile file;
  file.executable_ = std::move(*loaded);
  file.outputs_ = static_cast<std::size_t>((*model)->graph().output_size());
  return file;
}

Result<std::vector<TensorData>> WholeFile::run(std::span<const TensorData> inputs) const {
  Result<BackendCall> call = executable_->create_call();
  if (!call) return failure_of(std::move(call));
  std::vector<DyclTensor> views;
  for (const TensorData& input : inputs) views.push_back(view_of(input));
  std::vector<DyclOutput> outputs(outputs_, DyclOutput{});
  if (Status ran = call->run(views, outputs); !ran) return failure_of(std::move(ran));
  std::vector<TensorData> results;
  for (DyclOutput& output : outputs) results.push_back(take(output));
  return results;
}

}  // namespace dycl::test
