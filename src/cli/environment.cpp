// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/disk_cache.h"

namespace dycl::cli {
namespace {

namespace fs = std::filesystem;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

void append(std::vector<fs::path>& list, const std::vector<fs::path>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

std::vector<fs::path> split_path_list(std::string_view list) {
  std::vector<fs::path> folders;
  while (!list.empty()) {
    const std::size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0) folders.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return folders;
}

std::vector<fs::path> site_packages_of_build_tree(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  if (!fs::exists(folder / "CMakeCache.txt", error)) return found;
  const fs::path libraries = folder.parent_path().parent_path() / ".venv" / "lib";
  for (fs::directory_iterator entry(libraries, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with("python3"))
      found.push_back(entry->path() / "site-packages");
  std::ranges::sort(found);
  return found;
}

fs::path compiled_folder(const Environment& environment) { return environment.cache / "compiled"; }

Environment read_environment() {
  const std::vector<fs::path> beside = default_plugin_folders();
  Environment environment;
  environment.search.plugins = split_path_list(variable("DYCL_BACKEND_PATH"));
  append(environment.search.plugins, beside);
  environment.search.vendors = split_path_list(variable("DYCL_VENDOR_PATH"));
  append(environment.search.vendors, beside);
  if (!beside.empty()) append(environment.search.vendors, site_packages_of_build_tree(beside.front()));
  environment.cache = user_cache_folder();
  environment.terminal = isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb";
  environment.colour = environment.terminal && variable("NO_COLOR").empty();
  return environment;
}

}  // namespace dycl::cli
