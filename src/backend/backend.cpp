// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>

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

Failure broken_plugin(const BackendOptions& options, std::string_view what) {
  return fail(Blame::Backend, "backend.plugin_broken",
              fmt::format("the plugin '{}' of {} {}", options.plugin.string(), options.name, what));
}

Status check_table(const DyclBackendApi& api, const BackendOptions& options) {
  if (api.abi_version != DYCL_BACKEND_ABI)
    return fail(Blame::Backend, "backend.plugin_version",
                fmt::format("the plugin of {} speaks version {} of the plugin interface, this DyCL speaks {}",
                            options.name, api.abi_version, static_cast<int>(DYCL_BACKEND_ABI)),
                {}, "install the plugin that came with this DyCL");
  if (api.struct_size < sizeof(DyclBackendApi)) return broken_plugin(options, "has too few functions");
  const bool complete = api.name != nullptr && api.free_text != nullptr && api.open != nullptr &&
                        api.close != nullptr && api.describe != nullptr && api.check != nullptr &&
                        api.infer_types != nullptr && api.compile != nullptr && api.load != nullptr &&
                        api.unload != nullptr && api.create_call != nullptr && api.destroy_call != nullptr &&
                        api.run != nullptr;
  if (!complete) return broken_plugin(options, "leaves a function out");
  if (options.name != api.name) return broken_plugin(options, fmt::format("calls itself '{}'", api.name));
  return {};
}

Result<DyclBackendEntry> entry_of(const BackendOptions& options) {
  void* handle = dlopen(options.plugin.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return broken_plugin(options, fmt::format("cannot be opened: {}", reason == nullptr ? "?" : reason));
  }
  void* symbol = dlsym(handle, "dycl_backend_entry");
  if (symbol == nullptr) return broken_plugin(options, "does not export dycl_backend_entry");
  return reinterpret_cast<DyclBackendEntry>(symbol);
}

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
  auto entry = entry_of(options);
  if (!entry) return failure_of(std::move(entry));
  const DyclBackendApi* api = (*entry)();
  if (api == nullptr) return broken_plugin(options, "gave no function table");
  return open(*api, options);
}

Result<std::shared_ptr<const Backend>> Backend::open(const DyclBackendApi& api,
                                                     const BackendOptions& options) {
  if (Status sound = check_table(api, options); !sound) return failure_of(std::move(sound));
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

Result<std::string> Backend::check(const BackendGraph& graph) const {
  const GraphView view(graph);
  PluginText reason(*api_);
  Status asked =
      status_of(*api_, api_->check(backend_.get(), view.get(), reason.get()), "backend.check_failed");
  if (!asked) return failure_of(std::move(asked));
  return std::string(reason.view());
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
