// SPDX-License-Identifier: Apache-2.0
// Reads and writes .dycl files (docs/package.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "package/artifact.h"

namespace dycl {

// Writes atomically: a reader sees the old file or the whole new one. Identical artifacts whose blobs are
// deterministic give identical files.
Status write_package(const VerifiedArtifact& artifact, const std::filesystem::path& path);
Status write_package(Artifact artifact, const std::filesystem::path& path);  // verifies it first

// Checks that a package can be written there, before the work of making it.
Status check_package_place(const std::filesystem::path& path);

// Reads the file (or the files of a folder with the same tree) into memory; the weights are views of that
// memory, so later changes of the file have no effect. It verifies everything before it returns: structure,
// limits, sha256 of every entry, and the artifact. It treats compiled blobs as bytes; runtime/native_code.h
// decides which may be loaded, because backends are known there.
Result<VerifiedArtifact> read_package(const std::filesystem::path& path);

// Does the same with a file in memory that `owner` keeps alive.
Result<VerifiedArtifact> read_package_bytes(std::span<const std::byte> file,
                                            const std::shared_ptr<const void>& owner);

}  // namespace dycl
