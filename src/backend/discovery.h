// SPDX-License-Identifier: Apache-2.0
// Finds plugins and vendor libraries. Nothing here reads the environment: the command line and the Python
// module fill SearchPaths.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace dycl {

struct SearchPaths {
  std::vector<std::filesystem::path> plugins;  // folders with libdycl_backend_<name>.so
  // Folders with vendor libraries, flat or as site-packages; an entry may also be the library itself.
  std::vector<std::filesystem::path> vendors;
};

// Returns the folders beside the running binary or library (found by dladdr), for a relocatable install.
std::vector<std::filesystem::path> default_plugin_folders();

Result<std::filesystem::path> find_plugin(const std::string& backend, const SearchPaths& paths);

// Finds the backend's vendor library in each vendor folder, or below it in the layout of its wheel. If it is
// missing, the error is Blame::Backend, "backend.not_installed", with the install command as the hint.
Result<std::filesystem::path> find_vendor_library(const std::string& backend, const VendorLibrary& vendor,
                                                  const SearchPaths& paths);

// Returns the vendor library that the plugin asks for; empty if it needs none.
Result<std::filesystem::path> find_library(const std::string& backend, const std::filesystem::path& plugin,
                                           const SearchPaths& paths);

// Checks that the library which the user named for a backend exists (Blame::Usage,
// "backend.library_missing").
Status check_named_library(const std::string& backend, const std::filesystem::path& library);

// Reads BACKEND=PATH, as the user names vendor libraries on the command line.
using LibraryPaths = std::map<std::string, std::filesystem::path>;
Result<LibraryPaths> parse_libraries(const std::vector<std::string>& options, const SearchPaths& paths);

// Returns all plugins in the folders, by the backend's name; of two with one name it takes the first.
std::map<std::string, std::filesystem::path> find_plugins(const SearchPaths& paths);

struct KnownBackend {
  std::string name;
  BackendTraits traits;
};
// Returns the backends that may be taken without being named, the preferred one first. It leaves out a plugin
// that cannot be asked.
std::vector<KnownBackend> known_backends(const SearchPaths& paths);
std::vector<std::string> known_backend_names(const SearchPaths& paths);

}  // namespace dycl
