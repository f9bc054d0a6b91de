// SPDX-License-Identifier: Apache-2.0
// Everything that the command line takes from its surroundings. Below src/cli only user_cache_folder reads
// environment variables.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "backend/discovery.h"

namespace dycl::cli {

struct Environment {
  SearchPaths search;
  std::filesystem::path cache;  // the folder of all caches; empty if there is no home folder
  bool terminal = false;        // whether stderr is a terminal, so that progress may redraw its line
  bool colour = false;
};

// Plugins are searched in DYCL_BACKEND_PATH, then beside the binary (default_plugin_folders); vendor
// libraries in DYCL_VENDOR_PATH, then in the same folders and, for a binary in its build tree, in the .venv
// of that source tree. The cache lies in XDG_CACHE_HOME or HOME/.cache. Colours appear on a terminal, unless
// NO_COLOR is set.
Environment read_environment();

// Returns the folder of the compile cache.
std::filesystem::path compiled_folder(const Environment& environment);

// Splits "a:b" into folders, and drops empty parts.
std::vector<std::filesystem::path> split_path_list(std::string_view list);

// Returns the site-packages of the .venv beside build/<preset>/, if `folder` is such a build folder.
std::vector<std::filesystem::path> site_packages_of_build_tree(const std::filesystem::path& folder);

}  // namespace dycl::cli
