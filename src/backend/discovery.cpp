// SPDX-License-Identifier: Apache-2.0
#include "backend/discovery.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <system_error>

namespace dycl {
namespace {

namespace fs = std::filesystem;

struct Vendor {
  std::string_view backend;
  std::string_view library;       // the file name up to its version
  std::string_view wheel_folder;  // below site-packages
  std::string_view install;
};
constexpr std::array vendors{
    Vendor{"onnxruntime", "libonnxruntime.so", "onnxruntime/capi", "pip install onnxruntime"},
    Vendor{"openvino", "libopenvino_c.so", "openvino/libs", "pip install openvino"},
    Vendor{"tvm", "libtvm_runtime.so", "tvm/lib", "pip install dycl[tvm]"},
    Vendor{"aot_inductor", "libtorch_cpu.so", "torch/lib", "pip install dycl[aot_inductor]"},
};

const Vendor* vendor_of(std::string_view backend) {
  const auto* found = std::ranges::find(vendors, backend, &Vendor::backend);
  return found == vendors.end() ? nullptr : found;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// "libonnxruntime.so" itself, else the highest "libonnxruntime.so.<version>" in the folder.
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
  const std::string file = "libdycl_backend_" + backend + ".so";
  const bool plain = !backend.empty() && std::ranges::all_of(backend, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!plain)
    return fail(Blame::Usage, "backend.unknown", fmt::format("'{}' is not a backend's name", backend));
  for (const fs::path& folder : paths.plugins)
    if (is_file(folder / file)) return folder / file;
  return not_found(fmt::format("DyCL has no plugin for '{}': {} was not found", backend, file), paths.plugins,
                   fmt::format("known backends: {}; DYCL_BACKEND_PATH names the folder of their plugins",
                               fmt::join(known_backends(), ", ")));
}

Result<fs::path> find_vendor_library(const std::string& backend, const SearchPaths& paths) {
  const Vendor* vendor = vendor_of(backend);
  if (vendor == nullptr) return fs::path();
  std::vector<fs::path> places;
  for (const fs::path& folder : paths.vendors) {
    if (is_file(folder)) {  // a library named by the user
      if (folder.filename().string().starts_with(vendor->library)) return folder;
      continue;
    }
    for (const fs::path& place : {folder, folder / vendor->wheel_folder}) {
      if (auto found = newest_in(place, vendor->library)) return std::move(*found);
      places.push_back(place);
    }
  }
  return not_found(fmt::format("{} is not installed: {} was not found", backend, vendor->library), places,
                   fmt::format("{}, or name its library (--library {}=FILE) or its folder (DYCL_VENDOR_PATH; "
                               "vendor_folders in C and C++)",
                               vendor->install, backend));
}

Status check_named_library(const std::string& backend, const fs::path& library) {
  std::error_code error;
  if (fs::exists(library, error)) return {};
  return fail(Blame::Usage, "backend.library_missing",
              fmt::format("the library '{}' named for {} does not exist", library.string(), backend));
}

std::vector<std::string> known_backends() {
  std::vector<std::string> names;
  for (const Vendor& vendor : vendors) names.emplace_back(vendor.backend);
  return names;
}

}  // namespace dycl
