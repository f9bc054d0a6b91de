// SPDX-License-Identifier: Apache-2.0
#include "backend/discovery.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <system_error>

#include "backend/plugin.h"

namespace dycl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libdycl_backend_";
constexpr std::string_view kSuffix = ".so";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// "libvendor.so" itself, else the highest "libvendor.so.<version>" in the folder.
std::optional<fs::path> newest_in(const fs::path& folder, std::string_view library) {
  if (is_file(folder / library)) return folder / library;
  const std::string versioned = std::string(library) + ".";
  std::optional<fs::path> best;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(versioned) || !is_file(entry->path())) continue;
    if (!best || strverscmp(name.c_str(), best->filename().c_str()) > 0) best = entry->path();
  }
  return best;
}

std::string list_of(const std::vector<fs::path>& places) {
  std::string text;
  for (const fs::path& place : places) text += (text.empty() ? "" : ", ") + place.string();
  return text.empty() ? "no folder was given" : "looked in " + text;
}

Failure not_found(std::string message, const std::vector<fs::path>& places, std::string hint) {
  Failure failure = fail(Blame::Backend, "backend.not_installed", std::move(message), {}, std::move(hint));
  failure.value().notes.push_back(list_of(places));
  return failure;
}

// Names become parts of paths.
bool is_plain(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// An address inside this binary or library, for dladdr.
void anchor() {}

}  // namespace

std::vector<fs::path> default_plugin_folders() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&anchor), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  // An executable started through PATH reports the bare name it was started with.
  fs::path self = fs::canonical(info.dli_fname, error);
  if (error) self = fs::canonical("/proc/self/exe", error);
  if (error) return {};
  const fs::path folder = self.parent_path();
  return {folder, folder / "backends", folder.parent_path() / "lib" / "dycl", folder / "dycl"};
}

Result<fs::path> find_plugin(const std::string& backend, const SearchPaths& paths) {
  const std::string file = fmt::format("{}{}{}", kPrefix, backend, kSuffix);
  if (!is_plain(backend))
    return fail(Blame::Usage, "backend.unknown", fmt::format("'{}' is not the name of a backend", backend));
  for (const fs::path& folder : paths.plugins)
    if (is_file(folder / file)) return folder / file;
  std::vector<std::string> found;
  for (const auto& [name, plugin] : find_plugins(paths)) found.push_back(name);
  return not_found(fmt::format("DyCL has no plugin for '{}': {} was not found", backend, file), paths.plugins,
                   fmt::format("{}DYCL_BACKEND_PATH names the folder of plugins",
                               found.empty() ? "" : fmt::format("there are {}; ", fmt::join(found, ", "))));
}

std::map<std::string, fs::path> find_plugins(const SearchPaths& paths) {
  std::map<std::string, fs::path> plugins;
  for (const fs::path& folder : paths.plugins) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const std::string file = entry->path().filename().string();
      if (!file.starts_with(kPrefix) || !file.ends_with(kSuffix) || !is_file(entry->path())) continue;
      const std::string name = file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
      if (is_plain(name)) plugins.emplace(name, entry->path());
    }
  }
  return plugins;
}

Result<fs::path> find_vendor_library(const std::string& backend, const VendorLibrary& vendor,
                                     const SearchPaths& paths) {
  std::vector<fs::path> places;
  for (const fs::path& folder : paths.vendors) {
    if (is_file(folder)) {  // a library named by the user
      if (folder.filename().string().starts_with(vendor.file)) return folder;
      continue;
    }
    for (const fs::path& place : {folder, folder / vendor.folder}) {
      if (auto found = newest_in(place, vendor.file)) return std::move(*found);
      places.push_back(place);
    }
  }
  return not_found(fmt::format("{} is not installed: {} was not found", backend, vendor.file), places,
                   fmt::format("{}, or name its library (--library {}=FILE) or its folder (DYCL_VENDOR_PATH; "
                               "vendor_folders in C and C++)",
                               vendor.install, backend));
}

Result<fs::path> find_library(const std::string& backend, const fs::path& plugin, const SearchPaths& paths) {
  auto traits = read_traits(backend, plugin);
  if (!traits) return failure_of(std::move(traits));
  return traits->vendor ? find_vendor_library(backend, *traits->vendor, paths) : fs::path();
}

Status check_named_library(const std::string& backend, const fs::path& library) {
  std::error_code error;
  if (fs::exists(library, error)) return {};
  return fail(Blame::Usage, "backend.library_missing",
              fmt::format("the library '{}' named for {} does not exist", library.string(), backend));
}

Result<LibraryPaths> parse_libraries(const std::vector<std::string>& options, const SearchPaths& paths) {
  LibraryPaths libraries;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
      return fail(Blame::Usage, "argument.malformed",
                  fmt::format("--library takes BACKEND=PATH, not '{}'", option));
    const std::string backend = option.substr(0, equals);
    if (!find_plugin(backend, paths))
      return fail(Blame::Usage, "backend.unknown",
                  fmt::format("--library names '{}', which is not a backend", backend), {},
                  fmt::format("backends: {}", fmt::join(known_backend_names(paths), ", ")));
    libraries[backend] = option.substr(equals + 1);
  }
  return libraries;
}

std::vector<KnownBackend> known_backends(const SearchPaths& paths) {
  std::vector<KnownBackend> known;
  for (const auto& [name, plugin] : find_plugins(paths))
    if (auto traits = read_traits(name, plugin); traits && traits->preference)
      known.push_back({name, std::move(*traits)});
  std::ranges::stable_sort(known, {}, [](const KnownBackend& backend) { return *backend.traits.preference; });
  return known;
}

std::vector<std::string> known_backend_names(const SearchPaths& paths) {
  std::vector<std::string> names;
  for (KnownBackend& backend : known_backends(paths)) names.push_back(std::move(backend.name));
  return names;
}

}  // namespace dycl
