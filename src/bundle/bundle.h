// SPDX-License-Identifier: Apache-2.0
// A folder with a package and everything that runs it: libdycl, the plugins and vendor libraries that it
// needs, and their licences. The folder runs on a machine with nothing but a kernel.
//
//   run                   starts lib/dycl-run with the libraries of the folder
//   model.dycl            the package
//   lib/                  libdycl, plugins, vendor libraries
//   lib/system/           the C and C++ libraries, and the loader (left out on request)
//   licences/<owner>/     the texts of whoever owns a file of lib/
//   SIZES.txt             the table of all files
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bundle/loaded_files.h"
#include "package/artifact.h"

namespace dycl::bundle {

struct BundleRequest {
  std::filesystem::path folder;  // must not exist, or be empty
  std::filesystem::path home;    // of the running command: its parts lie there, and in ../lib
  // What runs the package, loaded: whatever was loaded since `before` belongs to the bundle.
  LoadedFiles before;
  LoadedFiles after;
  // By vendor library: the version that its backend states. A wheel's version lies in files that stay behind.
  std::map<std::filesystem::path, std::string> versions;
  bool system = true;  // whether lib/system is written
};

struct BundledFile {
  std::filesystem::path place;  // in the folder
  std::uintmax_t bytes = 0;
  std::string what;  // "vendor library of onnxruntime-1.31.1"
};

struct Bundle {
  std::vector<BundledFile> files;
  std::vector<std::string> unlicensed;  // libraries for which no licence text was found
};

Result<Bundle> write_bundle(const VerifiedArtifact& artifact, const BundleRequest& request);

// The table that is also SIZES.txt.
std::string sizes_table(const Bundle& bundle);

}  // namespace dycl::bundle
