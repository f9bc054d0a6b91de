// SPDX-License-Identifier: Apache-2.0
// Finds the licence texts that belong to a library: those of the wheel or of the Debian package it came in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dycl::bundle {

struct LicenceText {
  std::filesystem::path file;
  std::filesystem::path name;  // under which it is kept: "LICENSE", "licensing/onetbb.txt"
};

struct Licence {
  std::string owner;  // "onnxruntime-1.31.1", "libc6"
  std::vector<LicenceText> texts;
};

// The owner is the library's own name, and there are no texts, if nobody claims the library.
Licence licence_of(const std::filesystem::path& library);

}  // namespace dycl::bundle
