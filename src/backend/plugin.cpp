// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "backend/plugin_json.h"

namespace dycl {
namespace {

namespace fs = std::filesystem;

Failure broken_plugin(const std::string& backend, const fs::path& plugin, std::string_view what) {
  return fail(Blame::Backend, "backend.plugin_broken",
              fmt::format("the plugin '{}' of {} {}", plugin.string(), backend, what));
}

bool is_complete(const DyclBackendApi& api) {
  return api.name != nullptr && api.traits != nullptr && api.free_text != nullptr && api.open != nullptr &&
         api.close != nullptr && api.describe != nullptr && api.check != nullptr &&
         api.infer_types != nullptr && api.compile != nullptr && api.load != nullptr &&
         api.unload != nullptr && api.create_call != nullptr && api.destroy_call != nullptr &&
         api.run != nullptr;
}

Result<DyclBackendEntry> entry_of(const std::string& backend, const fs::path& plugin) {
  void* handle = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return broken_plugin(backend, plugin,
                         fmt::format("cannot be opened: {}", reason == nullptr ? "?" : reason));
  }
  void* symbol = dlsym(handle, "dycl_backend_entry");
  if (symbol == nullptr) return broken_plugin(backend, plugin, "does not export dycl_backend_entry");
  return reinterpret_cast<DyclBackendEntry>(symbol);
}

}  // namespace

Status check_plugin(const DyclBackendApi& api, const std::string& backend, const fs::path& plugin) {
  if (api.abi_version != DYCL_BACKEND_ABI)
    return fail(Blame::Backend, "backend.plugin_version",
                fmt::format("the plugin of {} has version {} of the plugin interface, this DyCL needs {}",
                            backend, api.abi_version, static_cast<int>(DYCL_BACKEND_ABI)),
                {}, "install the plugin that came with this DyCL");
  if (api.struct_size < sizeof(DyclBackendApi))
    return broken_plugin(backend, plugin, "has too few functions");
  if (!is_complete(api)) return broken_plugin(backend, plugin, "leaves a function out");
  if (backend != api.name) return broken_plugin(backend, plugin, fmt::format("calls itself '{}'", api.name));
  return {};
}

Result<const DyclBackendApi*> load_plugin(const std::string& backend, const fs::path& plugin) {
  auto entry = entry_of(backend, plugin);
  if (!entry) return failure_of(std::move(entry));
  const DyclBackendApi* api = (*entry)();
  if (api == nullptr) return broken_plugin(backend, plugin, "gave no function table");
  if (Status sound = check_plugin(*api, backend, plugin); !sound) return failure_of(std::move(sound));
  return api;
}

Result<BackendTraits> traits_of(const DyclBackendApi& api) { return parse_traits(api.traits); }

Result<BackendTraits> read_traits(const std::string& backend, const fs::path& plugin) {
  auto api = load_plugin(backend, plugin);
  if (!api) return failure_of(std::move(api));
  return traits_of(**api);
}

}  // namespace dycl
