// SPDX-License-Identifier: Apache-2.0
#include "package/zip_format.h"

namespace dycl::zip {
namespace {

template <class Number>
void put(std::string& bytes, Number number) {
  for (std::size_t index = 0; index < sizeof number; ++index)
    bytes += static_cast<char>(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * index)));
}

void put16(std::string& bytes, std::size_t number) { put(bytes, static_cast<std::uint16_t>(number)); }

std::uint32_t or_in_zip64(std::uint64_t number, const Thresholds& thresholds) {
  return number >= thresholds.bytes ? kInZip64 : static_cast<std::uint32_t>(number);
}

// Version to extract … sizes: the fields that local and central headers share.
void put_common(std::string& bytes, const EntryFacts& entry, bool zip64, const Thresholds& thresholds) {
  put16(bytes, zip64 ? kVersionZip64 : kVersionPlain);
  put16(bytes, 0);  // flags: not encrypted, sizes known in advance, ASCII name
  put16(bytes, 0);  // method: stored
  put16(bytes, 0);  // time
  put16(bytes, kDate1980);
  put(bytes, entry.crc);
  put(bytes, or_in_zip64(entry.size, thresholds));  // compressed
  put(bytes, or_in_zip64(entry.size, thresholds));
  put16(bytes, entry.name.size());
}

}  // namespace

std::string local_header(const EntryFacts& entry, const Thresholds& thresholds) {
  std::string extra;
  const bool zip64 = entry.size >= thresholds.bytes;
  if (zip64) {
    put16(extra, kZip64Extra);
    put16(extra, 16);
    put(extra, entry.size);
    put(extra, entry.size);
  }
  constexpr std::uint64_t kFieldHeader = 4;
  const std::uint64_t unpadded =
      entry.header_offset + kLocalHeader + entry.name.size() + extra.size() + kFieldHeader;
  const std::uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
  put16(extra, kPaddingExtra);
  put16(extra, padding);
  extra.append(padding, '\0');

  std::string bytes;
  put(bytes, kLocalMark);
  put_common(bytes, entry, zip64, thresholds);
  put16(bytes, extra.size());
  return bytes.append(entry.name).append(extra);
}

std::string central_header(const EntryFacts& entry, const Thresholds& thresholds) {
  std::string numbers;
  if (entry.size >= thresholds.bytes) {
    put(numbers, entry.size);
    put(numbers, entry.size);
  }
  if (entry.header_offset >= thresholds.bytes) put(numbers, entry.header_offset);
  std::string extra;
  if (!numbers.empty()) {
    put16(extra, kZip64Extra);
    put16(extra, numbers.size());
    extra += numbers;
  }
  std::string bytes;
  put(bytes, kCentralMark);
  put16(bytes, kVersionZip64);  // made by
  put_common(bytes, entry, !extra.empty(), thresholds);
  put16(bytes, extra.size());
  put16(bytes, 0);               // comment
  put16(bytes, 0);               // disk
  put16(bytes, 0);               // internal attributes
  put(bytes, std::uint32_t{0});  // external attributes: a plain file
  put(bytes, or_in_zip64(entry.header_offset, thresholds));
  return bytes.append(entry.name).append(extra);
}

std::string end_records(const DirectoryFacts& directory, const Thresholds& thresholds) {
  std::string bytes;
  const bool many = directory.entries >= thresholds.entries;
  if (many || directory.offset >= thresholds.bytes || directory.size >= thresholds.bytes) {
    put(bytes, kZip64EndMark);
    put(bytes, std::uint64_t{kZip64End - 12});
    put16(bytes, kVersionZip64);
    put16(bytes, kVersionZip64);
    put(bytes, std::uint32_t{0});
    put(bytes, std::uint32_t{0});
    put(bytes, directory.entries);
    put(bytes, directory.entries);
    put(bytes, directory.size);
    put(bytes, directory.offset);
    put(bytes, kZip64LocatorMark);
    put(bytes, std::uint32_t{0});
    put(bytes, directory.offset + directory.size);
    put(bytes, std::uint32_t{1});
  }
  put(bytes, kEndMark);
  put(bytes, std::uint32_t{0});  // this disk, disk of the directory
  put16(bytes, many ? kCountInZip64 : directory.entries);
  put16(bytes, many ? kCountInZip64 : directory.entries);
  put(bytes, or_in_zip64(directory.size, thresholds));
  put(bytes, or_in_zip64(directory.offset, thresholds));
  put16(bytes, 0);  // comment
  return bytes;
}

}  // namespace dycl::zip
