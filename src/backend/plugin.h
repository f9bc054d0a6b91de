// SPDX-License-Identifier: Apache-2.0
// The shared object of a plugin, before its backend is opened.
#pragma once

#include <filesystem>
#include <string>

#include "backend/plugin_abi.h"
#include "backend/traits.h"
#include "base/result.h"

namespace dycl {

// Loads the plugin, which is never unloaded, and checks its function table. The vendor library stays closed.
Result<const DyclBackendApi*> load_plugin(const std::string& backend, const std::filesystem::path& plugin);

// Checks that this DyCL can call the table: it has the right version and name, and no function is missing.
Status check_plugin(const DyclBackendApi& api, const std::string& backend,
                    const std::filesystem::path& plugin);

Result<BackendTraits> traits_of(const DyclBackendApi& api);

// Returns the traits of the plugin in that file.
Result<BackendTraits> read_traits(const std::string& backend, const std::filesystem::path& plugin);

}  // namespace dycl
