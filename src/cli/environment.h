// SPDX-License-Identifier: Apache-2.0
// Everything the command line takes from its surroundings; nothing below src/cli reads them.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "backend/discovery.h"

namespace dycl::cli {

struct Environment {
  SearchPaths search;
  std::filesystem::path cache;  // for whatever is remembered; empty: there is no home
  bool terminal = false;        // stderr is one: progress may redraw its line
  bool colour = false;
};

// Plugins: DYCL_BACKEND_PATH, then beside the binary (default_plugin_folders). Vendor libraries:
// DYCL_VENDOR_PATH, then the same folders and, for a binary in its build tree, the .venv of that source
// tree. Cache: XDG_CACHE_HOME or HOME/.cache. Colour: on a terminal, unless NO_COLOR is set.
Environment read_environment();

// Where compiled sub-DNNs are remembered.
std::filesystem::path compiled_folder(const Environment& environment);

// "a:b" → folders; empty parts are dropped.
std::vector<std::filesystem::path> split_path_list(std::string_view list);

// The site-packages of the .venv beside build/<preset>/, if `folder` is such a build folder.
std::vector<std::filesystem::path> site_packages_of_build_tree(const std::filesystem::path& folder);

}  // namespace dycl::cli
