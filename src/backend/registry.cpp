// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "backend/plugin.h"

namespace dycl {
namespace {

// Nobody but the registry has it, and nobody gets it while the registry is locked.
bool is_idle(const std::shared_ptr<const Backend>& backend) { return backend.use_count() == 1; }

}  // namespace

BackendRegistry::BackendRegistry(SearchPaths paths, std::map<std::string, std::filesystem::path> libraries,
                                 int threads)
    : paths_(std::move(paths)),
      libraries_(std::move(libraries)),
      threads_(threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))) {}

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
    auto library = find_library(options.name, options.plugin, paths_);
    if (!library) return failure_of(std::move(library));
    options.library = std::move(*library);
  }
  return options.library.empty() ? Status() : check_named_library(options.name, options.library);
}

int BackendRegistry::share_of(const Key& key, int wanted, IdlePools idle) const {
  int left = std::max(threads_, wanted);
  for (const auto& [other, backend] : opened_)
    if (other != key && (idle == IdlePools::Stay || !is_idle(backend))) left -= backend->threads() - 1;
  return std::clamp(left, 1, wanted);
}

Result<std::shared_ptr<const Backend>> BackendRegistry::open(BackendOptions options, Purpose purpose) {
  // Held while a backend opens, so that two threads cannot open the same one twice.
  const std::lock_guard lock(mutex_);
  const auto linked = linked_.find(options.name);
  if (linked == linked_.end())
    if (Status found = find_libraries(options); !found) return failure_of(std::move(found));
  const Key key{options.name, options.library.string(), options.precision};
  const bool runs = purpose == Purpose::Run;
  const int wanted = !runs ? 1 : options.threads > 0 ? options.threads : threads_;
  options.threads = share_of(key, wanted, IdlePools::Close);
  if (const auto known = opened_.find(key); known != opened_.end()) {
    if (!runs || !is_idle(known->second) || known->second->threads() == options.threads) return known->second;
    opened_.erase(known);
  }
  if (share_of(key, wanted, IdlePools::Stay) < options.threads)
    std::erase_if(opened_, [](const auto& entry) { return is_idle(entry.second); });
  auto backend = linked == linked_.end() ? Backend::open(options) : Backend::open(*linked->second, options);
  if (backend) opened_[key] = *backend;
  return backend;
}

std::optional<std::string> BackendRegistry::name_of_reference() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, api] : linked_)
      if (auto traits = traits_of(*api); traits && traits->is_reference) return name;
  }
  for (KnownBackend& backend : known_backends(paths_))
    if (backend.traits.is_reference) return std::move(backend.name);
  return std::nullopt;
}

Result<std::shared_ptr<const Backend>> BackendRegistry::open_reference() {
  std::optional<std::string> name = name_of_reference();
  if (!name)
    return fail(Blame::Backend, "backend.not_installed",
                "there is no plugin of the backend that DyCL needs to infer types", {},
                "set DYCL_BACKEND_PATH to the folder of the plugins");
  return open({std::move(*name), {}, {}, 1, "f32"}, Purpose::Questions);
}

}  // namespace dycl
