// SPDX-License-Identifier: Apache-2.0
// The limits of a package. They are far above any real program, and low enough that a hostile file cannot
// make the reader take unbounded memory or time. The reader checks them before it parses anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dycl::limits {

inline constexpr std::size_t kEntries = 200'000;
inline constexpr std::size_t kEntryName = 512;
inline constexpr std::size_t kManifestBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kProgramBytes = std::size_t{256} << 20U;
inline constexpr std::size_t kAtenBytes = std::size_t{256} << 20U;
inline constexpr std::size_t kSignatureBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kSignatureDepth = 64;
inline constexpr std::size_t kVerificationBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kShownBytes = 4096;                   // of one text that messages repeat
inline constexpr std::size_t kGraphBytes = std::size_t{2} << 30U;  // protobuf's own limit
inline constexpr std::size_t kWeightsHeaderBytes = std::size_t{100} << 20U;  // safetensors' own limit
inline constexpr std::size_t kJsonDepth = 24;
inline constexpr std::size_t kJsonValues = 20'000'000;
inline constexpr std::size_t kSourceStack = 1000;
inline constexpr std::size_t kSourceBytes = std::size_t{1} << 29U;  // of all stacks, which repeat sources
inline constexpr std::size_t kRank = 16;                            // DYCL_MAX_RANK of the backend interface
inline constexpr std::size_t kSlots = 10'000'000;
// How many slots the verifier visits to prove that no instruction reads an empty one.
inline constexpr std::uint64_t kFlowWork = 400'000'000;

}  // namespace dycl::limits
