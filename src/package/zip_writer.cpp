// SPDX-License-Identifier: Apache-2.0
#include "package/zip_writer.h"

#include "package/crc32.h"
#include "package/entry.h"

namespace dycl {
namespace {

zip::EntryFacts facts_of(const ZipSource& source, std::uint64_t offset) {
  zip::EntryFacts facts{.name = source.name, .header_offset = offset};
  for (const auto piece : source.pieces) {
    facts.crc = crc32(piece, facts.crc);
    facts.size += piece.size();
  }
  return facts;
}

}  // namespace

Status write_zip(std::span<const ZipSource> entries, const ByteSink& sink,
                 const zip::Thresholds& thresholds) {
  std::uint64_t offset = 0;
  std::string directory;
  for (const ZipSource& entry : entries) {
    if (auto status = check_entry_name(entry.name); !status) return status;
    const zip::EntryFacts facts = facts_of(entry, offset);
    const std::string header = local_header(facts, thresholds);
    if (auto status = sink(bytes_of(header)); !status) return status;
    for (const auto piece : entry.pieces)
      if (auto status = sink(piece); !status) return status;
    offset += header.size() + facts.size;
    directory += central_header(facts, thresholds);
  }
  if (auto status = sink(bytes_of(directory)); !status) return status;
  const std::string end = zip::end_records({entries.size(), offset, directory.size()}, thresholds);
  return sink(bytes_of(end));
}

}  // namespace dycl
