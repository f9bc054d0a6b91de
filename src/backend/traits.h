// SPDX-License-Identifier: Apache-2.0
// What a plugin says of itself before its vendor library is opened; see plugin_abi.h.
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
  None,    // nothing: it loads the graph itself
  Data,    // the vendor library checks and interprets it
  Native,  // it may be machine code, which runs when it is loaded
};

struct BackendTraits {
  std::optional<VendorLibrary> vendor;     // nullopt: it needs none
  BlobKind blob = BlobKind::Native;        // what is not known is not trusted
  std::optional<std::int64_t> preference;  // nullopt: it is taken by its name only
  bool is_reference = false;               // it infers types, computes constants and judges the others
};

}  // namespace dycl
