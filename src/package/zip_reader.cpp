// SPDX-License-Identifier: Apache-2.0
#include "package/zip_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "package/crc32.h"
#include "package/error.h"
#include "package/limits.h"

namespace dycl {
namespace {

using Bytes = std::span<const std::byte>;

// A little-endian number; the caller has checked that it lies inside.
std::uint64_t number_at(Bytes bytes, std::uint64_t offset, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t index = 0; index < size; ++index)
    number |= std::to_integer<std::uint64_t>(bytes[offset + index]) << (8 * index);
  return number;
}
std::uint16_t u16_at(Bytes bytes, std::uint64_t offset) {
  return static_cast<std::uint16_t>(number_at(bytes, offset, 2));
}
std::uint32_t u32_at(Bytes bytes, std::uint64_t offset) {
  return static_cast<std::uint32_t>(number_at(bytes, offset, 4));
}

bool holds(Bytes bytes, std::uint64_t offset, std::string_view expected) {
  return offset <= bytes.size() && expected.size() <= bytes.size() - offset &&
         std::ranges::equal(bytes.subspan(offset, expected.size()), bytes_of(expected));
}

Failure truncated() {
  return package_error("truncated", "the file ends in the middle of an entry or of its directory");
}

// The directory's place, from the end of the file: there is no comment, so the end is fixed.
Result<zip::DirectoryFacts> find_directory(Bytes file) {
  if (file.empty()) return package_error("empty", "the file is empty");
  if (file.size() < 4 || u32_at(file, 0) != zip::kLocalMark) {
    if (file.size() >= zip::kEnd && u32_at(file, 0) == zip::kEndMark)
      return package_error("no_manifest", "the package has no entries");
    return package_error("not_a_package", "the file does not begin like a .dycl package");
  }
  if (file.size() < zip::kLocalHeader + zip::kEnd) return truncated();
  const std::uint64_t end = file.size() - zip::kEnd;
  if (u32_at(file, end) != zip::kEndMark)
    return package_error("truncated", "the file is cut off or has bytes behind its end");
  zip::DirectoryFacts facts{u16_at(file, end + 10), u32_at(file, end + 16), u32_at(file, end + 12)};
  constexpr std::uint64_t kTail = zip::kZip64End + zip::kZip64Locator;
  if (end >= kTail && u32_at(file, end - kTail) == zip::kZip64EndMark &&
      u32_at(file, end - zip::kZip64Locator) == zip::kZip64LocatorMark)
    facts = {number_at(file, end - kTail + 32, 8), number_at(file, end - kTail + 48, 8),
             number_at(file, end - kTail + 40, 8)};
  return facts;
}

Status check_directory(Bytes file, const zip::DirectoryFacts& facts, const zip::Thresholds& thresholds) {
  if (facts.entries > limits::kEntries)
    return package_error("too_many_entries", fmt::format("the package claims {} entries", facts.entries));
  if (facts.offset > file.size() || facts.size > file.size() - facts.offset)
    return package_error("bad_directory", "the directory of the package lies outside the file");
  if (facts.entries > facts.size / zip::kCentralHeader)
    return package_error("bad_directory",
                         fmt::format("the directory is too small for {} entries", facts.entries));
  const std::string end = end_records(facts, thresholds);
  if (!holds(file, facts.offset + facts.size, end) || facts.offset + facts.size + end.size() != file.size())
    return package_error("bad_directory", "the end of the package is not as DyCL writes it");
  return {};
}

struct CentralEntry {
  zip::EntryFacts facts;
  std::uint64_t next = 0;  // offset of the next central header
};

// Complaints that deserve a sentence of their own, before the byte-for-byte comparison.
Status check_features(Bytes file, std::uint64_t header, std::string_view name) {
  const std::uint16_t flags = u16_at(file, header + 8);
  if ((flags & 0x2041U) != 0)
    return package_error("encrypted", fmt::format("the entry '{}' is encrypted", shown(name)));
  if (u16_at(file, header + 10) != 0)
    return package_error("compressed", fmt::format("the entry '{}' is compressed", shown(name)),
                         "packages are stored without compression: write it with DyCL, not with a zip tool");
  if ((u32_at(file, header + 38) >> 16U & 0xF000U) == 0xA000U)
    return package_error("symbolic_link", fmt::format("the entry '{}' is a symbolic link", shown(name)));
  return {};
}

// Sizes and offset, from their 32-bit fields or from the zip64 field.
Result<zip::EntryFacts> read_numbers(Bytes file, std::uint64_t header, std::string_view name) {
  zip::EntryFacts facts{name, u32_at(file, header + 16), u32_at(file, header + 24),
                        u32_at(file, header + 42)};
  std::uint64_t stored = u32_at(file, header + 20);
  std::uint64_t field = header + zip::kCentralHeader + name.size();
  const std::uint64_t end = field + u16_at(file, header + 30);
  field += 4;  // id and size, compared later
  for (std::uint64_t* number : {&facts.size, &stored, &facts.header_offset}) {
    if (*number != zip::kInZip64) continue;
    if (field + 8 > end)
      return package_error("bad_directory", fmt::format("the sizes of '{}' are missing", shown(name)));
    *number = number_at(file, field, 8);
    field += 8;
  }
  if (stored != facts.size)
    return package_error("compressed", fmt::format("the entry '{}' has two different sizes", shown(name)));
  return facts;
}

Result<CentralEntry> read_central(Bytes file, std::uint64_t header, std::uint64_t directory_end,
                                  const zip::Thresholds& thresholds) {
  if (directory_end - header < zip::kCentralHeader || u32_at(file, header) != zip::kCentralMark)
    return package_error("bad_directory", "the directory of the package is damaged");
  const std::uint64_t name_size = u16_at(file, header + 28);
  const std::uint64_t size =
      zip::kCentralHeader + name_size + u16_at(file, header + 30) + u16_at(file, header + 32);
  if (size > directory_end - header)
    return package_error("bad_directory", "an entry of the directory runs past its end");
  const std::string_view name = text_of(file.subspan(header + zip::kCentralHeader, name_size));
  if (auto status = check_entry_name(name); !status) return failure_of(std::move(status));
  if (auto status = check_features(file, header, name); !status) return failure_of(std::move(status));
  auto facts = read_numbers(file, header, name);
  if (!facts) return failure_of(std::move(facts));
  const std::string expected = central_header(*facts, thresholds);
  if (expected.size() != size || !holds(file, header, expected))
    return package_error("bad_directory",
                         fmt::format("the directory's record of '{}' is not as DyCL writes it", shown(name)));
  return CentralEntry{*facts, header + size};
}

// Local header and data must follow the entry before without gap or overlap.
Result<Bytes> read_data(Bytes file, const zip::EntryFacts& facts, std::uint64_t expected_offset,
                        std::uint64_t limit, const zip::Thresholds& thresholds) {
  if (facts.header_offset < expected_offset)
    return package_error("overlap", fmt::format("the entry '{}' overlaps another one", shown(facts.name)));
  if (facts.header_offset > expected_offset)
    return package_error("gap",
                         fmt::format("bytes before the entry '{}' belong to no entry", shown(facts.name)));
  const std::string header = local_header(facts, thresholds);
  if (!holds(file.first(limit), facts.header_offset, header))
    return package_error(
        "header_mismatch",
        fmt::format("the local header of '{}' disagrees with the directory", shown(facts.name)));
  const std::uint64_t begin = facts.header_offset + header.size();
  if (facts.size > limit - begin)
    return package_error("bad_size", fmt::format("the entry '{}' claims {} bytes, more than the file has",
                                                 shown(facts.name), facts.size));
  const Bytes data = file.subspan(begin, facts.size);
  if (crc32(data) != facts.crc)
    return package_error("bad_checksum",
                         fmt::format("the contents of '{}' do not match their checksum", shown(facts.name)));
  return data;
}

}  // namespace

Result<std::vector<PackageEntry>> read_zip(Bytes file, const std::shared_ptr<const void>& owner,
                                           const zip::Thresholds& thresholds) {
  auto directory = find_directory(file);
  if (!directory) return failure_of(std::move(directory));
  if (auto status = check_directory(file, *directory, thresholds); !status)
    return failure_of(std::move(status));

  std::vector<PackageEntry> entries;
  std::set<std::string_view> names;
  std::uint64_t header = directory->offset;
  const std::uint64_t directory_end = directory->offset + directory->size;
  std::uint64_t data_end = 0;
  for (std::uint64_t index = 0; index < directory->entries; ++index) {
    auto central = read_central(file, header, directory_end, thresholds);
    if (!central) return failure_of(std::move(central));
    const zip::EntryFacts& facts = central->facts;
    if (!names.insert(facts.name).second)
      return package_error("duplicate_entry", fmt::format("the entry '{}' occurs twice", shown(facts.name)));
    auto data = read_data(file, facts, data_end, directory->offset, thresholds);
    if (!data) return failure_of(std::move(data));
    entries.push_back({std::string(facts.name), *data, owner});
    data_end = static_cast<std::uint64_t>(data->data() - file.data()) + data->size();
    header = central->next;
  }
  if (data_end != directory->offset || header != directory_end)
    return package_error("gap", "bytes before the end of the package belong to no entry");
  return entries;
}

}  // namespace dycl
