// SPDX-License-Identifier: Apache-2.0
// Reading and writing .dycl files (docs/package.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "package/artifact.h"

namespace dycl {

// Atomic: a reader sees the old file or the whole new one. Byte-identical for identical artifacts
// whose blobs are deterministic.
Status write_package(const VerifiedArtifact& artifact, const std::filesystem::path& path);
Status write_package(Artifact artifact, const std::filesystem::path& path);  // verifies it first

// Could a package be written there? For asking before the work that leads to it.
Status check_package_place(const std::filesystem::path& path);

// Reads the file (or the files of a folder with the same tree) into memory of our own, of which the weights
// are views: what happens to the file later changes nothing. Everything is verified before it is returned:
// structure, limits, sha256 of every entry, and the artifact. Compiled blobs are bytes like any others:
// whether one may be loaded is decided where backends are known (runtime/native_code.h).
Result<VerifiedArtifact> read_package(const std::filesystem::path& path);

// The same from memory that `owner` keeps alive.
Result<VerifiedArtifact> read_package_bytes(std::span<const std::byte> file,
                                            const std::shared_ptr<const void>& owner);

}  // namespace dycl
