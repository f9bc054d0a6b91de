// SPDX-License-Identifier: Apache-2.0
#include "common/vendor_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <fstream>

namespace dycl::plugin {
namespace {

std::string last_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown reason" : text;
}

}  // namespace

Result<VendorLibrary> VendorLibrary::open(const std::string& path) {
  if (path.empty()) return fail(Blame::Usage, "backend.no_library", "no vendor library was named");
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr)
    return fail(Blame::Backend, "backend.library_broken",
                fmt::format("'{}' cannot be opened: {}", path, last_error()));
  return VendorLibrary(handle, path);
}

Result<void*> VendorLibrary::symbol(const char* name) const {
  void* address = dlsym(handle_, name);
  if (address == nullptr)
    return fail(Blame::Backend, "backend.library_too_old",
                fmt::format("'{}' has no function {}", path_, name));
  return address;
}

std::optional<std::string> bundled_version(const std::filesystem::path& library) {
  std::ifstream file(library.parent_path() / ("version-of-" + library.filename().string()));
  std::string version;
  return std::getline(file, version) ? std::optional(version) : std::nullopt;
}

}  // namespace dycl::plugin
