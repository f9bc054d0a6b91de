// SPDX-License-Identifier: Apache-2.0
// Reading and writing .dycl files (docs/package.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "package/artifact.h"

namespace dycl {

// Atomic: a reader sees the old file or the whole new one. Byte-identical for identical artifacts
// whose blobs are deterministic.
Status write_package(const VerifiedArtifact& artifact, const std::filesystem::path& path);
Status write_package(Artifact artifact, const std::filesystem::path& path);  // verifies it first

// Could a package be written there? For asking before the work that leads to it.
Status check_package_place(const std::filesystem::path& path);

struct ReadOptions {
  // Blobs that may be machine code (of any backend not known to store plain data) are refused unless
  // this is set or the blob's sha256 is trusted.
  bool allow_native = false;
  std::set<std::string> trusted_blobs;
};

// Reads the file (or the files of a folder with the same tree) into memory of our own, of which the weights
// are views: what happens to the file later changes nothing. Everything is verified before it is returned:
// structure, limits, sha256 of every entry, and the artifact.
Result<VerifiedArtifact> read_package(const std::filesystem::path& path, const ReadOptions& options = {});

// The same from memory that `owner` keeps alive.
Result<VerifiedArtifact> read_package_bytes(std::span<const std::byte> file,
                                            const std::shared_ptr<const void>& owner,
                                            const ReadOptions& options = {});

}  // namespace dycl
