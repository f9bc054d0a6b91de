// SPDX-License-Identifier: Apache-2.0
// The backends of one process or program: found and opened when first asked for, then shared, so that
// every vendor library has one thread pool.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "backend/backend.h"
#include "backend/discovery.h"

namespace dycl {

class BackendRegistry {
 public:
  BackendRegistry() = default;
  // `libraries`: backend → vendor library, for those that the user named.
  explicit BackendRegistry(SearchPaths paths, std::map<std::string, std::filesystem::path> libraries = {});

  // A backend that is linked into the program; found before any plugin of that name.
  void add_linked(const DyclBackendApi& api);

  // Thread safe. Options that leave `plugin` or `library` empty have them searched. The same name,
  // library, threads and precision give the same backend for as long as the registry lives.
  [[nodiscard]] Result<std::shared_ptr<const Backend>> open(BackendOptions options);

 private:
  using Key = std::tuple<std::string, std::string, int, std::string>;

  Status find_libraries(BackendOptions& options) const;

  SearchPaths paths_;
  std::map<std::string, std::filesystem::path> libraries_;
  std::mutex mutex_;
  std::map<std::string, const DyclBackendApi*> linked_;
  std::map<Key, std::shared_ptr<const Backend>> opened_;
};

}  // namespace dycl
