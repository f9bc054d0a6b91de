// SPDX-License-Identifier: Apache-2.0
// The plugin's entry point: each function of the C interface, handed on to the class that does it.
#include <memory>

#include "backend.h"
#include "backend/plugin_abi.h"
#include "common/text.h"
#include "executable.h"
#include "infer_types.h"
#include "prepare.h"

// The types that plugin_abi.h leaves open.
struct DyclBackend {
  std::unique_ptr<dycl::openvino::OvBackend> backend;
};
struct DyclExecutable {
  std::unique_ptr<dycl::openvino::OvExecutable> executable;
};
struct DyclCall {
  std::unique_ptr<dycl::openvino::OvCall> call;
};

namespace dycl::openvino {
namespace {

template <class T>
void destroy(T* object) {
  if (!process_is_ending()) std::unique_ptr<T>(object).reset();
}

DyclText* open_backend(const char* options_json, DyclBackend** backend) {
  return plugin::guarded([&]() -> Status {
    Result<plugin::OpenOptions> options = plugin::parse_open_options(options_json);
    if (!options) return failure_of(std::move(options));
    Result<std::unique_ptr<OvBackend>> opened = OvBackend::open(*options);
    if (!opened) return failure_of(std::move(opened));
    *backend = std::make_unique<DyclBackend>(std::move(*opened)).release();
    return {};
  });
}

void close_backend(DyclBackend* backend) { destroy(backend); }

DyclText* describe(DyclBackend* backend, DyclText* json) {
  return plugin::guarded([&]() -> Status {
    plugin::set_text(json, plugin::to_json(backend->backend->describe()));
    return {};
  });
}

DyclText* check(DyclBackend* backend, const DyclGraph* graph, DyclText* reason) {
  return plugin::guarded([&]() -> Status {
    Result<PreparedGraph> prepared = prepare_graph(*graph);
    if (!prepared && prepared.error().code != "openvino.refused") return failure_of(std::move(prepared));
    std::string why = prepared ? "" : prepared.error().message;
    if (prepared)
      if (Status status = backend->backend->try_compile(prepared->onnx); !status)
        why = status.error().message;
    plugin::set_text(reason, why);
    return {};
  });
}

DyclText* infer_output_types(DyclBackend* backend, const DyclGraph* graph, DyclText* json) {
  return plugin::guarded([&]() -> Status {
    Result<PreparedGraph> prepared = prepare_graph(*graph);
    if (!prepared) return failure_of(std::move(prepared));
    Result<std::string> types = infer_types(*backend->backend, *prepared);
    if (!types) return failure_of(std::move(types));
    plugin::set_text(json, *types);
    return {};
  });
}

DyclText* compile(DyclBackend* backend, const DyclGraph* graph, DyclText* blob) {
  return plugin::guarded([&]() -> Status {
    Result<PreparedGraph> prepared = prepare_graph(*graph);
    if (!prepared) return failure_of(std::move(prepared));
    auto compiled = backend->backend->compile(prepared->onnx);
    if (!compiled) return failure_of(std::move(compiled));
    Result<std::string> bytes = backend->backend->export_blob(**compiled);
    if (!bytes) return failure_of(std::move(bytes));
    plugin::set_text(blob, *bytes);
    return {};
  });
}

DyclText* load(DyclBackend* backend, const DyclGraph* graph, DyclBytes blob, DyclExecutable** executable) {
  return plugin::guarded([&]() -> Status {
    Result<PreparedGraph> prepared = prepare_graph(*graph);
    if (!prepared) return failure_of(std::move(prepared));
    const std::string_view bytes(static_cast<const char*>(blob.data), blob.size);
    auto compiled =
        bytes.empty() ? backend->backend->compile(prepared->onnx) : backend->backend->import(bytes);
    if (!compiled) return failure_of(std::move(compiled));
    auto loaded = OvExecutable::create(*backend->backend, std::move(*prepared), std::move(*compiled));
    if (!loaded) return failure_of(std::move(loaded));
    *executable = std::make_unique<DyclExecutable>(std::move(*loaded)).release();
    return {};
  });
}

void unload(DyclExecutable* executable) { destroy(executable); }

DyclText* create_call(DyclExecutable* executable, DyclCall** call) {
  return plugin::guarded([&]() -> Status {
    Result<std::unique_ptr<OvCall>> created = OvCall::create(*executable->executable);
    if (!created) return failure_of(std::move(created));
    *call = std::make_unique<DyclCall>(std::move(*created)).release();
    return {};
  });
}

void destroy_call(DyclCall* call) { destroy(call); }

DyclText* run(DyclCall* call, const DyclTensor* inputs, std::size_t input_count, DyclOutput* outputs,
              std::size_t output_count) {
  return plugin::guarded([&] { return call->call->run({inputs, input_count}, {outputs, output_count}); });
}

constexpr DyclBackendApi kApi{DYCL_BACKEND_ABI,
                              sizeof(DyclBackendApi),
                              "openvino",
                              plugin::free_text,
                              open_backend,
                              close_backend,
                              describe,
                              check,
                              infer_output_types,
                              compile,
                              load,
                              unload,
                              create_call,
                              destroy_call,
                              run};

}  // namespace
}  // namespace dycl::openvino

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &dycl::openvino::kApi;
}
