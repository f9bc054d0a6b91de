// SPDX-License-Identifier: Apache-2.0
// Reading and writing .dycl files (docs/package.md).
#pragma once

#include <filesystem>

#include "package/artifact.h"

namespace dycl {

// Atomic: a reader sees the old file or the whole new one. Byte-identical for identical artifacts
// whose blobs are deterministic.
Status write_package(const Artifact& artifact, const std::filesystem::path& path);

struct ReadOptions {
  bool allow_native = false;  // blobs that are machine code load only when asked for
};

// Maps the file; weights and blobs are views into it. Everything is verified before it is returned:
// structure, limits, sha256 of every entry, and the artifact itself.
Result<Artifact> read_package(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace dycl
