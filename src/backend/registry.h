// SPDX-License-Identifier: Apache-2.0
// Finds and opens backends when they are first needed, and shares them, so that every vendor library has one
// thread pool. A process should have one registry, which keeps all pools together within the cores
// (docs/decisions/0009).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "backend/backend.h"
#include "backend/discovery.h"

namespace dycl {

class BackendRegistry {
 public:
  // What a backend is opened for. Questions (infer types, fold constants) take one thread and use any pool
  // that exists: they never decide the size of a pool that programs run on.
  enum class Purpose { Run, Questions };

  BackendRegistry() : BackendRegistry(SearchPaths{}) {}
  // `libraries` maps backends to the vendor libraries that the user named. `threads` is how many threads all
  // backends share, the caller's own included; 0: as many as there are cores.
  explicit BackendRegistry(SearchPaths paths, std::map<std::string, std::filesystem::path> libraries = {},
                           int threads = 0);

  // Adds a backend that is linked into the process; it comes before any plugin of that name.
  void add_linked(const DyclBackendApi& api);

  // Opens a backend, or returns the one that is open; it is thread safe. If the options leave `plugin` or
  // `library` empty, it searches them. All who ask for the same name, library and precision share one backend
  // with one pool. A pool gets `options.threads` (0: all) minus those of other backends' pools, and at least
  // one, the caller's; Backend::threads() says how many. A backend in use keeps its pool; an idle one is
  // closed if its threads are needed elsewhere, or if another number of threads is asked for.
  [[nodiscard]] Result<std::shared_ptr<const Backend>> open(BackendOptions options,
                                                            Purpose purpose = Purpose::Run);

  // Opens the backend whose plugin says that it is the reference, to infer types and fold constants.
  [[nodiscard]] Result<std::shared_ptr<const Backend>> open_reference();

  [[nodiscard]] int threads() const { return threads_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  Status find_libraries(BackendOptions& options) const;
  [[nodiscard]] std::optional<std::string> name_of_reference();
  enum class IdlePools { Stay, Close };
  // Returns how many of the `wanted` threads the pools of other backends leave.
  [[nodiscard]] int share_of(const Key& key, int wanted, IdlePools idle) const;

  SearchPaths paths_;
  std::map<std::string, std::filesystem::path> libraries_;
  int threads_;
  std::mutex mutex_;
  std::map<std::string, const DyclBackendApi*> linked_;
  std::map<Key, std::shared_ptr<const Backend>> opened_;
};

}  // namespace dycl
