// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.h"

#include <utility>

namespace dycl {

BackendRegistry::BackendRegistry(SearchPaths paths, std::map<std::string, std::filesystem::path> libraries)
    : paths_(std::move(paths)), libraries_(std::move(libraries)) {}

void BackendRegistry::add_linked(const DyclBackendApi& api) {
  const std::lock_guard lock(mutex_);
  linked_[api.name] = &api;
}

Status BackendRegistry::find_libraries(BackendOptions& options) const {
  if (options.plugin.empty()) {
    auto plugin = find_plugin(options.name, paths_);
    if (!plugin) return failure_of(std::move(plugin));
    options.plugin = std::move(*plugin);
  }
  const auto named = libraries_.find(options.name);
  if (options.library.empty() && named != libraries_.end()) options.library = named->second;
  if (options.library.empty()) {
    auto library = find_vendor_library(options.name, paths_);
    if (!library) return failure_of(std::move(library));
    options.library = std::move(*library);
  }
  std::error_code error;
  if (!options.library.empty() && !std::filesystem::exists(options.library, error))
    return fail(
        Blame::Usage, "backend.library_missing",
        "the library '" + options.library.string() + "' named for " + options.name + " does not exist");
  return {};
}

Result<std::shared_ptr<const Backend>> BackendRegistry::open(BackendOptions options) {
  // Held while a backend opens, so that two threads cannot open the same one twice.
  const std::lock_guard lock(mutex_);
  const auto linked = linked_.find(options.name);
  if (linked == linked_.end())
    if (Status found = find_libraries(options); !found) return failure_of(std::move(found));
  const Key key{options.name, options.library.string(), options.threads, options.precision};
  if (const auto known = opened_.find(key); known != opened_.end()) return known->second;
  auto backend = linked == linked_.end() ? Backend::open(options) : Backend::open(*linked->second, options);
  if (backend) opened_[key] = *backend;
  return backend;
}

}  // namespace dycl
