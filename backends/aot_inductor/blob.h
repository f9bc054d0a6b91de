// SPDX-License-Identifier: Apache-2.0
// The stored form of a compiled sub-DNN: a line of facts and the shared library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dycl::aot_inductor {

struct BlobFacts {
  std::string torch;          // version that compiled it
  std::string cpu;            // instruction sets that the library may use, sorted
  std::string structure;      // sha256 of Payload::structure
  std::int64_t smallest = 0;  // size of a named dimension
};

std::string write_blob(const BlobFacts& facts, std::string_view library);

struct Blob {
  BlobFacts facts;
  std::string_view library;  // a view into the bytes that were read
  std::string sha256;        // of the library
};
// Reads a blob. Fails if the bytes are not a blob, or if the library has other contents than the facts say.
Result<Blob> read_blob(std::string_view bytes);

// Checks that a library compiled for `facts` may run here, with this torch, for this structure.
Status check_facts(const BlobFacts& facts, const std::string& torch, const std::string& structure);

// Returns the instruction sets of this processor that compilers use.
const std::string& cpu_features();

}  // namespace dycl::aot_inductor
