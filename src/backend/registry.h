// SPDX-License-Identifier: Apache-2.0
// The backends of one process or program: found and opened when first asked for, then shared, so that
// every vendor library has one thread pool. A process should have one registry: it keeps the pools together
// within the cores (docs/decisions/0009).
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
  // What a backend is opened for. Questions (infer types, fold constants) take one thread and are content
  // with whatever pool is there: they never decide the size of a pool that programs run on.
  enum class Purpose { Run, Questions };

  BackendRegistry() : BackendRegistry(SearchPaths{}) {}
  // `libraries`: backend → vendor library, for those that the user named. `threads`: that all backends
  // together may compute with, the caller's own included; 0: as many as there are cores.
  explicit BackendRegistry(SearchPaths paths, std::map<std::string, std::filesystem::path> libraries = {},
                           int threads = 0);

  // A backend that is linked into the program; found before any plugin of that name.
  void add_linked(const DyclBackendApi& api);

  // Thread safe. Options that leave `plugin` or `library` empty have them searched. One name, library and
  // precision is one backend with one pool, shared by all that use it. A pool gets `options.threads` (0: all)
  // less those that other backends' pools have, and at least one, the caller's; Backend::threads() says how
  // many. A backend in use keeps its pool; an idle one is closed when its threads are needed elsewhere, or
  // when another number of them is asked for.
  [[nodiscard]] Result<std::shared_ptr<const Backend>> open(BackendOptions options,
                                                            Purpose purpose = Purpose::Run);

  // The backend that knows every operator, for questions: the one whose plugin says that it is the reference.
  [[nodiscard]] Result<std::shared_ptr<const Backend>> open_reference();

  [[nodiscard]] int threads() const { return threads_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  Status find_libraries(BackendOptions& options) const;
  [[nodiscard]] std::optional<std::string> name_of_reference();
  enum class IdlePools { Stay, Close };
  // Of `wanted` threads, those that the pools of other backends leave.
  [[nodiscard]] int share_of(const Key& key, int wanted, IdlePools idle) const;

  SearchPaths paths_;
  std::map<std::string, std::filesystem::path> libraries_;
  int threads_;
  std::mutex mutex_;
  std::map<std::string, const DyclBackendApi*> linked_;
  std::map<Key, std::shared_ptr<const Backend>> opened_;
};

}  // namespace dycl
