// SPDX-License-Identifier: Apache-2.0
// Hand-made hostile containers: each is refused by name.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "package/package_editor.h"
#include "package/package_file.h"
#include "package/zip_format.h"

namespace dycl::test {
namespace {

namespace fs = std::filesystem;

// The sample with one number of one header changed.
std::string with_central(const std::string& name, std::size_t field, std::size_t size, std::uint64_t value) {
  std::string bytes = sample_package();
  set_number(bytes, central_header_of(bytes, name) + field, size, value);
  return bytes;
}
std::string with_local(const std::string& name, std::size_t field, std::size_t size, std::uint64_t value) {
  std::string bytes = sample_package();
  set_number(bytes, local_header_of(bytes, name) + field, size, value);
  return bytes;
}
std::string with_both(const std::string& name, std::size_t local, std::size_t size, std::uint64_t value) {
  std::string bytes = with_local(name, local, size, value);
  set_number(bytes, central_header_of(bytes, name) + local + 2, size, value);
  return bytes;
}
std::string with_end(std::size_t field, std::size_t size, std::uint64_t value) {
  std::string bytes = sample_package();
  set_number(bytes, bytes.size() - zip::kEnd + field, size, value);
  return bytes;
}
// Renames an entry in both headers, keeping its length.
std::string renamed(const std::string& name, const std::string& other) {
  std::string bytes = sample_package();
  bytes.replace(local_header_of(bytes, name) + zip::kLocalHeader, name.size(), other);
  bytes.replace(central_header_of(bytes, name) + zip::kCentralHeader, name.size(), other);
  return bytes;
}

TEST(HostileZip, AnEmptyFileIsRefused) { expect_refused("", "package.empty", "the file is empty"); }

TEST(HostileZip, AFileOfAnotherKindIsRefused) {
  expect_refused(
      "\x7f"
      "ELF and so on, long enough to hold an end record",
      "package.not_a_package", "does not begin like");
}

TEST(HostileZip, AFileThatEndsAfterItsFirstBytesIsRefused) {
  expect_refused(sample_package().substr(0, 20), "package.truncated", "ends in the middle");
}

TEST(HostileZip, AFileCutBeforeItsDirectoryIsRefused) {
  expect_refused(sample_package().substr(0, sample_package().size() / 2), "package.truncated", "cut off");
}

TEST(HostileZip, AZipWithoutEntriesIsRefused) {
  expect_refused(zip::end_records({}, {}), "package.no_manifest", "no entries");
}

TEST(HostileZip, BytesBehindTheEndAreRefused) {
  expect_refused(sample_package() + "#!/bin/sh", "package.truncated", "bytes behind its end");
}

TEST(HostileZip, BytesBeforeTheStartAreRefused) {
  expect_refused("MZ" + sample_package(), "package.not_a_package", "does not begin like");
}

TEST(HostileZip, AnArchiveCommentIsRefused) {
  std::string bytes = with_end(20, 2, 22);
  bytes += bytes.substr(bytes.size() - zip::kEnd);  // an end record as the comment of an end record
  expect_refused(bytes, "package.bad_directory", "not as DyCL writes it");
}

TEST(HostileZip, ACompressedEntryIsRefused) {
  expect_refused(with_both("hcfg.txt", 8, 2, 8), "package.compressed", "'hcfg.txt' is compressed");
}

TEST(HostileZip, ACompressedSizeOfItsOwnIsRefused) {
  expect_refused(with_both("hcfg.txt", 18, 4, 3), "package.compressed", "two different sizes");
}

TEST(HostileZip, AnEncryptedEntryIsRefused) {
  expect_refused(with_both("hcfg.txt", 6, 2, 1), "package.encrypted", "'hcfg.txt' is encrypted");
}

TEST(HostileZip, AStreamedEntryWithSizesBehindItIsRefused) {
  expect_refused(with_both("hcfg.txt", 6, 2, 8), "package.bad_directory", "not as DyCL writes it");
}

TEST(HostileZip, ASymbolicLinkIsRefused) {
  expect_refused(with_central("hcfg.txt", 38, 4, 0xA1FF0000), "package.symbolic_link",
                 "'hcfg.txt' is a symbolic link");
}

TEST(HostileZip, ADuplicateNameIsRefused) {
  PackageEditor editor;
  editor.add("hcfg.txt", "another");
  expect_refused(editor.bytes(), "package.duplicate_entry", "'hcfg.txt' occurs twice");
}

TEST(HostileZip, AParentPathIsRefused) {
  expect_refused(renamed("hcfg.txt", "../x.txt"), "package.unsafe_path",
                 "'../x.txt' is not a plain relative path");
}

TEST(HostileZip, AParentPathInTheMiddleIsRefused) {
  expect_refused(renamed("hcfg.txt", "a/../b.t"), "package.unsafe_path", "not a plain relative path");
}

TEST(HostileZip, AnAbsolutePathIsRefused) {
  expect_refused(renamed("hcfg.txt", "/etc/pwd"), "package.unsafe_path", "not a plain relative path");
}

TEST(HostileZip, AFolderEntryIsRefused) {
  expect_refused(renamed("hcfg.txt", "hcfgtxt/"), "package.unsafe_path", "not a plain relative path");
}

TEST(HostileZip, ABackslashPathIsRefused) {
  expect_refused(renamed("hcfg.txt", "..\\x.txt"), "package.bad_name", "characters that are not allowed");
}

TEST(HostileZip, ADriveLetterIsRefused) {
  expect_refused(renamed("hcfg.txt", "C:x.text"), "package.bad_name", "characters that are not allowed");
}

TEST(HostileZip, ANulInANameIsRefused) {
  expect_refused(renamed("hcfg.txt", std::string("hcfg\0txt", 8)), "package.bad_name", "'hcfg?txt'");
}

TEST(HostileZip, ANameThatIsNotAsciiIsRefused) {
  expect_refused(renamed("hcfg.txt", "hcfg.\xc3\xa9x"), "package.bad_name",
                 "characters that are not allowed");
}

TEST(HostileZip, AnEmptyNameIsRefused) {
  expect_refused(with_central("hcfg.txt", 28, 2, 0), "package.bad_name", "0 characters");
}

TEST(HostileZip, AnEndlessNameIsRefused) {
  expect_refused(with_central("hcfg.txt", 28, 2, 0xffff), "package.bad_directory", "runs past its end");
}

TEST(HostileZip, OverlappingEntriesAreRefused) {
  const std::size_t first = local_header_of(sample_package(), "program.json");
  expect_refused(with_central("hcfg.txt", 42, 4, first), "package.overlap", "'hcfg.txt' overlaps");
}

TEST(HostileZip, AGapBetweenEntriesIsRefused) {
  const std::size_t offset = local_header_of(sample_package(), "hcfg.txt");
  expect_refused(with_central("hcfg.txt", 42, 4, offset + 64), "package.gap",
                 "bytes before the entry 'hcfg.txt' belong to no entry");
}

TEST(HostileZip, AnEntryDroppedFromTheDirectoryIsRefused) {
  std::string bytes = sample_package();
  const std::size_t last = central_header_of(bytes, "weights/weights.safetensors");
  const std::size_t size = bytes.size() - zip::kEnd - last;
  bytes.erase(last, size);
  const std::size_t end = bytes.size() - zip::kEnd;
  for (const std::size_t count : {8U, 10U})
    set_number(bytes, end + count, 2, number_at(bytes, end + count, 2) - 1);
  set_number(bytes, end + 12, 4, number_at(bytes, end + 12, 4) - size);
  expect_refused(bytes, "package.gap", "bytes before the end of the package belong to no entry");
}

TEST(HostileZip, AZipBombSizeIsRefused) {
  std::string bytes = with_both("hcfg.txt", 18, 4, 0xfffffff0);
  for (const std::size_t field : {22U, 24U}) {
    const bool local = field == 22;
    set_number(bytes,
               (local ? local_header_of(bytes, "hcfg.txt") : central_header_of(bytes, "hcfg.txt")) + field, 4,
               0xfffffff0);
  }
  expect_refused(bytes, "package.bad_size", "more than the file has");
}

TEST(HostileZip, ASizeThatPointsIntoAMissingZip64FieldIsRefused) {
  expect_refused(with_central("hcfg.txt", 24, 4, 0xffffffff), "package.bad_directory",
                 "the sizes of 'hcfg.txt' are missing");
}

TEST(HostileZip, LocalAndCentralSizesMustAgree) {
  expect_refused(with_local("hcfg.txt", 22, 4, 1), "package.header_mismatch",
                 "'hcfg.txt' disagrees with the directory");
}

TEST(HostileZip, LocalAndCentralNamesMustAgree) {
  std::string bytes = sample_package();
  bytes.replace(local_header_of(bytes, "hcfg.txt") + zip::kLocalHeader, 8, "evil.txt");
  expect_refused(bytes, "package.header_mismatch", "'hcfg.txt' disagrees with the directory");
}

TEST(HostileZip, LocalAndCentralChecksumsMustAgree) {
  expect_refused(with_local("hcfg.txt", 14, 4, 1), "package.header_mismatch",
                 "'hcfg.txt' disagrees with the directory");
}

TEST(HostileZip, AMisalignedEntryIsRefused) {
  std::string bytes = sample_package();
  // Two bytes less padding in front of the last entry: everything is consistent but the alignment.
  const std::size_t header = local_header_of(bytes, "weights/weights.safetensors");
  const std::size_t extra = header + zip::kLocalHeader + std::string("weights/weights.safetensors").size();
  set_number(bytes, header + 28, 2, number_at(bytes, header + 28, 2) - 2);
  set_number(bytes, extra + 2, 2, number_at(bytes, extra + 2, 2) - 2);
  bytes.erase(extra + 4, 2);
  const std::size_t end = bytes.size() - zip::kEnd;
  set_number(bytes, end + 16, 4, number_at(bytes, end + 16, 4) - 2);
  expect_refused(bytes, "package.header_mismatch", "disagrees");
}

TEST(HostileZip, AWrongChecksumIsRefused) {
  expect_refused(with_both("hcfg.txt", 14, 4, 1), "package.bad_checksum",
                 "'hcfg.txt' do not match their checksum");
}

TEST(HostileZip, AnAbsurdNumberOfEntriesIsRefused) {
  std::string bytes = with_end(8, 2, 0xfffe);
  set_number(bytes, bytes.size() - zip::kEnd + 10, 2, 0xfffe);
  expect_refused(bytes, "package.bad_directory", "too small for 65534 entries");
}

TEST(HostileZip, AnAbsurdNumberOfEntriesInZip64IsRefused) {
  std::string bytes = sample_package();
  bytes.resize(bytes.size() - zip::kEnd);
  bytes += zip::end_records({std::uint64_t{1} << 60U, 0, bytes.size()}, {});
  expect_refused(bytes, "package.too_many_entries", "claims 1152921504606846976 entries");
}

TEST(HostileZip, ADirectoryOutsideTheFileIsRefused) {
  expect_refused(with_end(16, 4, 0xfffffff0), "package.bad_directory", "outside the file");
}

TEST(HostileZip, ADirectoryThatStartsElsewhereIsRefused) {
  expect_refused(with_end(16, 4, 0), "package.bad_directory", "not as DyCL writes it");
}

TEST(HostileZip, OtherDatesAreRefused) {
  expect_refused(with_both("hcfg.txt", 12, 2, 0x5555), "package.bad_directory", "not as DyCL writes it");
}

TEST(HostileFolder, ASymbolicLinkInAFolderIsRefused) {
  const TemporaryFolder folder;
  PackageEditor().write_folder(folder / "tree");
  fs::remove(folder / "tree/hcfg.txt");
  fs::create_symlink("/etc/hostname", folder / "tree/hcfg.txt");
  const auto read = read_package(folder / "tree");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "package.symbolic_link");
  EXPECT_THAT(read.error().message, testing::HasSubstr("hcfg.txt"));
}

TEST(HostileFolder, ALinkToAFolderIsRefused) {
  const TemporaryFolder folder;
  PackageEditor().write_folder(folder / "tree");
  fs::rename(folder / "tree/weights", folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", folder / "tree/weights");
  const auto read = read_package(folder / "tree");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "package.symbolic_link");
}

TEST(HostileFolder, APipeIsRefusedWithoutWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto read = read_package(folder / "pipe");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "package.not_a_file");
}

TEST(HostileFolder, AFolderThatIsNoPackageIsRefused) {
  const TemporaryFolder folder;
  const auto read = read_package(folder / "");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "package.no_manifest");
}

TEST(HostileFolder, AChangedFileInAFolderIsRefused) {
  const TemporaryFolder folder;
  PackageEditor().write_folder(folder / "tree");
  write_file(folder / "tree/hcfg.txt", "graph evil {\n}\n");
  const auto read = read_package(folder / "tree");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "package.bad_hash");
}

}  // namespace
}  // namespace dycl::test
