// SPDX-License-Identifier: Apache-2.0
// Tries a first inference of a backend in a separate process, before this process uses the backend, because
// an illegal instruction must not end a compilation or `dycl doctor`.
#pragma once

#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "backend/discovery.h"
#include "base/result.h"

namespace dycl {

// Finds plugin and vendor library of a backend. If `library` is not empty, it is taken without a search.
Result<BackendOptions> find_backend(const std::string& name, const SearchPaths& search,
                                    const std::filesystem::path& library = {});

// Fails if the backend does not survive, and says what happened. `cache` is a folder for answers; if it is
// empty, each call tries again.
Status require_usable(const BackendOptions& backend, const SearchPaths& search,
                      const std::filesystem::path& cache);

}  // namespace dycl
