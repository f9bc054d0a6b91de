// SPDX-License-Identifier: Apache-2.0
// The plugin's entry point: what the C interface asks, handed on to the class that does it.
#include <memory>

#include "backend.h"
#include "common/plugin_glue.h"
#include "executable.h"
#include "infer_types.h"
#include "onnx_wire/write_model.h"
#include "prepare.h"

namespace dycl::openvino {
namespace {

class PluginExecutable {
 public:
  explicit PluginExecutable(std::unique_ptr<OvExecutable> executable) : executable_(std::move(executable)) {}
  [[nodiscard]] Result<std::unique_ptr<OvCall>> create_call() const { return OvCall::create(*executable_); }

 private:
  std::unique_ptr<OvExecutable> executable_;
};

class PluginBackend {
 public:
  static Result<std::unique_ptr<PluginBackend>> open(const plugin::OpenOptions& options) {
    Result<std::unique_ptr<OvBackend>> opened = OvBackend::open(options);
    if (!opened) return failure_of(std::move(opened));
    return std::make_unique<PluginBackend>(std::move(*opened));
  }
  explicit PluginBackend(std::unique_ptr<OvBackend> backend) : backend_(std::move(backend)) {}

  [[nodiscard]] plugin::Description describe() const { return backend_->describe(); }

  [[nodiscard]] Result<std::optional<plugin::Refusal>> check(const DyclGraph& graph) const {
    std::optional<std::size_t> node;
    Result<PreparedGraph> prepared = prepare_graph(graph, &node);
    if (!prepared && prepared.error().code == "openvino.refused")
      return plugin::Refusal{prepared.error().message, node};
    if (!prepared) return failure_of(std::move(prepared));
    const Status compiled = backend_->try_compile(write_model(prepared->model));
    if (compiled) return std::nullopt;
    return plugin::Refusal{compiled.error().message};
  }

  [[nodiscard]] Result<std::string> infer_types(const DyclGraph& graph) const {
    Result<PreparedGraph> prepared = prepare_graph(graph);
    if (!prepared) return failure_of(std::move(prepared));
    return openvino::infer_types(*backend_, *prepared);
  }

  [[nodiscard]] Result<std::string> compile(const DyclGraph& graph) const {
    Result<PreparedGraph> prepared = prepare_graph(graph);
    if (!prepared) return failure_of(std::move(prepared));
    auto compiled = backend_->compile(write_model(prepared->model));
    if (!compiled) return failure_of(std::move(compiled));
    return backend_->export_blob(**compiled);
  }

  [[nodiscard]] Result<std::unique_ptr<PluginExecutable>> load(const DyclGraph& graph,
                                                               std::string_view blob) const {
    Result<PreparedGraph> prepared = prepare_graph(graph);
    if (!prepared) return failure_of(std::move(prepared));
    auto compiled = blob.empty() ? backend_->compile(write_model(prepared->model)) : backend_->import(blob);
    if (!compiled) return failure_of(std::move(compiled));
    auto loaded = OvExecutable::create(*backend_, std::move(*prepared), std::move(*compiled));
    if (!loaded) return failure_of(std::move(loaded));
    return std::make_unique<PluginExecutable>(std::move(*loaded));
  }

 private:
  std::unique_ptr<OvBackend> backend_;
};

struct Plugin {
  using Backend = PluginBackend;
  using Executable = PluginExecutable;
  using Call = OvCall;
  static bool may_free() { return !process_is_ending(); }
};

constexpr const char* kTraits = R"({
  "vendor": {"library": "libopenvino_c.so", "folder": "openvino/libs", "install": "pip install openvino"},
  "blob": "data", "preference": 2})";
constexpr DyclBackendApi kApi = plugin::api_of<Plugin>("openvino", kTraits);

}  // namespace
}  // namespace dycl::openvino

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &dycl::openvino::kApi;
}
