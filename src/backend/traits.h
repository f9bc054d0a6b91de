// SPDX-License-Identifier: Apache-2.0
// What a plugin says about itself before its vendor library is opened; see plugin_abi.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dycl {

// Where the library of a vendor is found, and how it is installed.
struct VendorLibrary {
  std::string file;     // its name up to the version
  std::string folder;   // below site-packages
  std::string install;  // a command
};

// What a backend compiles a sub-DNN to.
enum class BlobKind {
  None,    // nothing, because it loads the graph itself
  Data,    // the vendor library checks and interprets it
  Native,  // it may be machine code, which runs when it is loaded
};

struct BackendTraits {
  std::optional<VendorLibrary> vendor;     // nullopt if it needs none
  BlobKind blob = BlobKind::Native;        // a plugin that says nothing is not trusted
  std::optional<std::int64_t> preference;  // nullopt if it must be asked for by name
  bool is_reference = false;               // whether it infers types and is the reference
};

}  // namespace dycl
