// SPDX-License-Identifier: Apache-2.0
// The layout of our zip files: entries are stored, data lies at multiples of 64, dates are of 1980, and zip64
// is used only for numbers that need it. The writer emits exactly these bytes, and the reader accepts no
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dycl::zip {

inline constexpr std::uint64_t kAlignment = 64;
inline constexpr std::size_t kLocalHeader = 30;
inline constexpr std::size_t kCentralHeader = 46;
inline constexpr std::size_t kEnd = 22;
inline constexpr std::size_t kZip64End = 56;
inline constexpr std::size_t kZip64Locator = 20;
inline constexpr std::uint32_t kLocalMark = 0x04034b50;
inline constexpr std::uint32_t kCentralMark = 0x02014b50;
inline constexpr std::uint32_t kEndMark = 0x06054b50;
inline constexpr std::uint32_t kZip64EndMark = 0x06064b50;
inline constexpr std::uint32_t kZip64LocatorMark = 0x07064b50;
inline constexpr std::uint16_t kZip64Extra = 0x0001;
inline constexpr std::uint16_t kPaddingExtra = 0xd935;  // the id that zipalign uses
inline constexpr std::uint32_t kInZip64 = 0xffffffff;   // "see the zip64 field"
inline constexpr std::uint16_t kCountInZip64 = 0xffff;
inline constexpr std::uint16_t kDate1980 = 0x0021;  // 1 January 1980
inline constexpr std::uint16_t kVersionPlain = 20;
inline constexpr std::uint16_t kVersionZip64 = 45;

// The value from which on a number moves to its zip64 field. Only tests use lower ones, to avoid files of
// four gigabytes.
struct Thresholds {
  std::uint64_t bytes = 0xffffffff;
  std::uint64_t entries = 0xffff;
};

struct EntryFacts {
  std::string_view name;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;  // of the local header
};

// Makes the local header with name and extra fields; it ends where the data begins, at a multiple of 64.
std::string local_header(const EntryFacts& entry, const Thresholds& thresholds);
std::string central_header(const EntryFacts& entry, const Thresholds& thresholds);

struct DirectoryFacts {
  std::uint64_t entries = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};
// Makes everything behind the central directory.
std::string end_records(const DirectoryFacts& directory, const Thresholds& thresholds);

}  // namespace dycl::zip
