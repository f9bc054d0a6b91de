// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "backend/plugin.h"
#include "backend/plugin_json.h"
#include "base/machine.h"
#include "base/type.h"

namespace dycl {
namespace {

// Takes over the error of a plugin's call.
Status status_of(const DyclBackendApi& api, DyclText* error, std::string_view code) {
  if (error == nullptr) return {};
  PluginError told =
      parse_error(error->data == nullptr ? "out of memory" : std::string_view(error->data, error->size));
  api.free_text(error);
  Failure failure = fail(Blame::Backend, std::string(code), fmt::format("{}: {}", api.name, told.message), {},
                         std::move(told.hint));
  if (!told.code.empty()) failure.value().notes.push_back("the plugin calls it " + told.code);
  return failure;
}

// A text that a plugin fills for us.
class PluginText {
 public:
  explicit PluginText(const DyclBackendApi& api) : api_(&api) {}
  PluginText(const PluginText&) = delete;
  PluginText& operator=(const PluginText&) = delete;
  ~PluginText() {
    if (text_.data != nullptr) api_->free_text(&text_);
  }
  DyclText* get() { return &text_; }
  [[nodiscard]] std::string_view view() const {
    return text_.data == nullptr ? std::string_view() : std::string_view(text_.data, text_.size);
  }

 private:
  const DyclBackendApi* api_;
  DyclText text_{nullptr, 0};
};

// The C form of a graph; valid as long as the BackendGraph.
class GraphView {
 public:
  explicit GraphView(const BackendGraph& graph) {
    for (const auto& [name, tensor] : graph.weights) {
      names_.push_back(name.c_str());
      tensors_.push_back(view_of(*tensor));
    }
    view_ = DyclGraph{{graph.onnx.data(), graph.onnx.size()},
                      names_.data(),
                      tensors_.data(),
                      names_.size(),
                      {graph.aten.data(), graph.aten.size()},
                      graph.compile_options.empty() ? nullptr : graph.compile_options.c_str()};
  }
  GraphView(const GraphView&) = delete;
  GraphView& operator=(const GraphView&) = delete;
  [[nodiscard]] const DyclGraph* get() const { return &view_; }

 private:
  std::vector<const char*> names_;
  std::vector<DyclTensor> tensors_;
  DyclGraph view_{};
};

}  // namespace

DyclTensor view_of(const TensorData& tensor) {
  return DyclTensor{static_cast<std::int32_t>(tensor.dtype),
                    static_cast<std::int32_t>(tensor.dims.size()),
                    tensor.dims.data(),
                    tensor.bytes.data(),
                    tensor.bytes.size(),
                    static_cast<std::int32_t>(DeviceKind::Cpu),
                    0};
}

BackendCall::BackendCall(const DyclBackendApi& api, DyclCall* call)
    : api_(&api), call_(call, api.destroy_call) {}

Status BackendCall::run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs) {
  DyclText* error = api_->run(call_.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size());
  if (error == nullptr) return {};
  return failure_of_run(error);
}

Status BackendCall::failure_of_run(DyclText* error) const {
  return status_of(*api_, error, "backend.run_failed");
}

BackendExecutable::BackendExecutable(std::shared_ptr<const Backend> backend, const DyclBackendApi& api,
                                     DyclExecutable* executable,
                                     std::vector<std::pair<std::string, TensorPtr>> weights)
    : backend_(std::move(backend)),
      api_(&api),
      weights_(std::move(weights)),
      executable_(executable, api.unload) {}

Result<BackendCall> BackendExecutable::create_call() const {
  DyclCall* call = nullptr;
  Status made = status_of(*api_, api_->create_call(executable_.get(), &call), "backend.call_failed");
  if (!made) return failure_of(std::move(made));
  return BackendCall(*api_, call);
}

Backend::Backend(OnlyOpen, const DyclBackendApi& api, DyclBackend* backend, int threads, std::string identity)
    : api_(&api), backend_(backend, api.close), threads_(threads), identity_(std::move(identity)) {}

Result<std::shared_ptr<const Backend>> Backend::open(const BackendOptions& options) {
  if (options.plugin.empty())
    return fail(Blame::Usage, "backend.no_plugin", "no plugin was named for " + options.name);
  auto api = load_plugin(options.name, options.plugin);
  if (!api) return failure_of(std::move(api));
  return open(**api, options);
}

Result<std::shared_ptr<const Backend>> Backend::open(const DyclBackendApi& api,
                                                     const BackendOptions& options) {
  if (Status sound = check_plugin(api, options.name, options.plugin); !sound)
    return failure_of(std::move(sound));
  auto traits = traits_of(api);
  if (!traits) return failure_of(std::move(traits));
  DyclBackend* handle = nullptr;
  BackendOptions sized = options;
  if (sized.threads <= 0) sized.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Status opened = status_of(api, api.open(to_json(sized).c_str(), &handle), "backend.open_failed");
  if (!opened) return failure_of(std::move(opened));
  auto backend = std::make_shared<Backend>(
      OnlyOpen{}, api, handle, sized.threads,
      fmt::format("{}\n{}\n{}\n{} threads, {}", options.name, identity_of(options.plugin),
                  identity_of(options.library), sized.threads, options.precision));
  if (Status described = backend->read_description(); !described) return failure_of(std::move(described));
  backend->identity_ += "\n" + backend->description_.version;
  backend->traits_ = std::move(*traits);
  return backend;
}

Status Backend::read_description() {
  PluginText json(*api_);
  Status asked = status_of(*api_, api_->describe(backend_.get(), json.get()), "backend.describe_failed");
  if (!asked) return asked;
  auto description = parse_description(json.view());
  if (!description) return failure_of(std::move(description));
  description_ = std::move(*description);
  return {};
}

Result<std::optional<Refusal>> Backend::check(const BackendGraph& graph) const {
  const GraphView view(graph);
  PluginText reason(*api_);
  DyclRefusal refusal{-1, {nullptr, 0}};
  DyclText* error = api_->check(backend_.get(), view.get(), &refusal);
  *reason.get() = refusal.reason;
  if (Status asked = status_of(*api_, error, "backend.check_failed"); !asked)
    return failure_of(std::move(asked));
  if (reason.view().empty()) return std::optional<Refusal>();
  Refusal found{std::string(reason.view()), std::nullopt};
  if (refusal.node >= 0) found.node = static_cast<std::size_t>(refusal.node);
  return std::optional(std::move(found));
}

Result<std::vector<InferredType>> Backend::infer_types(const BackendGraph& graph) const {
  const GraphView view(graph);
  PluginText json(*api_);
  Status asked =
      status_of(*api_, api_->infer_types(backend_.get(), view.get(), json.get()), "backend.infer_failed");
  if (!asked) return failure_of(std::move(asked));
  return parse_inferred_types(json.view());
}

Result<std::string> Backend::compile(const BackendGraph& graph) const {
  const GraphView view(graph);
  PluginText blob(*api_);
  Status made =
      status_of(*api_, api_->compile(backend_.get(), view.get(), blob.get()), "backend.compile_failed");
  if (!made) return failure_of(std::move(made));
  return std::string(blob.view());
}

Result<std::shared_ptr<const BackendExecutable>> Backend::load(const BackendGraph& graph,
                                                               std::string_view blob) const {
  const GraphView view(graph);
  DyclExecutable* executable = nullptr;
  Status loaded = status_of(
      *api_, api_->load(backend_.get(), view.get(), DyclBytes{blob.data(), blob.size()}, &executable),
      "backend.load_failed");
  if (!loaded) return failure_of(std::move(loaded));
  return std::make_shared<const BackendExecutable>(shared_from_this(), *api_, executable, graph.weights);
}

}  // namespace dycl
