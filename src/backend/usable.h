// SPDX-License-Identifier: Apache-2.0
// Asks a backend for a first inference in a process of its own, before this process relies on it: an
// illegal instruction must end neither a compilation nor the doctor.
#pragma once

#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "backend/discovery.h"
#include "base/result.h"

namespace dycl {

// Plugin and vendor library of a backend; `library` (may be empty) is taken before any search.
Result<BackendOptions> find_backend(const std::string& name, const SearchPaths& search,
                                    const std::filesystem::path& library = {});

// Fails with what happened when the backend does not survive. `cache` is a folder for answers; empty: ask
// every time.
Status require_usable(const BackendOptions& backend, const SearchPaths& search,
                      const std::filesystem::path& cache);

}  // namespace dycl
