// SPDX-License-Identifier: Apache-2.0
// A vendor's shared library, opened by path and kept until the process ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace dycl::plugin {

class VendorLibrary {
 public:
  // Opens a library and never unloads it, because ONNX Runtime and OpenVINO crash at exit if they are
  // unloaded. Symbols stay local, so that two vendors' private copies of one dependency do not mix.
  static Result<VendorLibrary> open(const std::string& path);

  // Returns the address of a function, or an error that names it.
  [[nodiscard]] Result<void*> symbol(const char* name) const;
  template <class Function>
  [[nodiscard]] Result<Function> function(const char* name) const {
    return symbol(name).map([](void* address) { return reinterpret_cast<Function>(address); });
  }

 private:
  VendorLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::string path_;
};

// Returns the version that a bundle keeps beside a library whose wheel stayed behind
// ("version-of-libtvm_runtime.so"); nothing anywhere else.
std::optional<std::string> bundled_version(const std::filesystem::path& library);

}  // namespace dycl::plugin
