// SPDX-License-Identifier: Apache-2.0
// The compiled form of a sub-DNN: what must be known to load it, and a shared library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dycl::tvm {

struct Blob {
  std::string version;                // of TVM
  std::vector<std::string> features;  // instruction sets that the library may use
  std::vector<std::string> weights;   // names of those that are its last inputs
  std::string_view library;           // a view into the bytes that were read
};

std::string write_blob(const Blob& blob);

// Reads a blob. Fails if the bytes are damaged.
Result<Blob> read_blob(std::string_view bytes);

// Fails if this processor lacks one of the instruction sets.
Status check_processor(const Blob& blob);

}  // namespace dycl::tvm
