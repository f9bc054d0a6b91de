// SPDX-License-Identifier: Apache-2.0
#include "package/package_editor.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>

#include "base/sha256.h"
#include "package/crc32.h"
#include "package/entry.h"
#include "package/package_file.h"
#include "package/sample_artifact.h"
#include "package/zip_reader.h"
#include "package/zip_writer.h"

namespace dycl::test {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "dycl_package_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_file(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string package_bytes(const Artifact& artifact) {
  const TemporaryFolder folder;
  const Status written = write_package(artifact, folder / "a.dycl");
  EXPECT_TRUE(written) << (written ? "" : to_string(written.error()));
  return read_file(folder / "a.dycl");
}

const std::string& sample_package() {
  static const std::string kBytes = package_bytes(sample_artifact());
  return kBytes;
}

PackageEditor::PackageEditor() {
  const auto entries = read_zip(bytes_of(sample_package()), nullptr);
  for (const PackageEntry& entry : entries.value()) entries_.emplace_back(entry.name, text_of(entry.bytes));
}

std::string& PackageEditor::entry(const std::string& name) {
  for (auto& [candidate, contents] : entries_)
    if (candidate == name) return contents;
  throw std::out_of_range(name);
}

void PackageEditor::remove(const std::string& name) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.first == name; });
}

void PackageEditor::edit_json(const std::string& name, const std::function<void(nlohmann::json&)>& edit) {
  nlohmann::json document = nlohmann::json::parse(entry(name));
  edit(document);
  entry(name) = document.dump();
}

void PackageEditor::edit_weights(const std::function<void(nlohmann::json&)>& edit) {
  std::string& file = entry("weights/weights.safetensors");
  const std::size_t length = number_at(file, 0, 4);
  nlohmann::json header = nlohmann::json::parse(file.substr(8, length));
  edit(header);
  std::string text = header.dump();
  text.append((64 - (text.size() + 8) % 64) % 64, ' ');
  std::string edited(8, '\0');
  set_number(edited, 0, 8, text.size());
  file = edited + text + file.substr(8 + length);
}

void PackageEditor::rehash() {
  edit_json("manifest.json", [&](nlohmann::json& manifest) {
    for (auto& [name, contents] : entries_)
      if (manifest["entries"].contains(name))
        manifest["entries"][name] = {{"size", contents.size()}, {"sha256", sha256_hex(contents)}};
  });
}

std::string PackageEditor::bytes() const {
  std::vector<ZipSource> sources;
  for (const auto& [name, contents] : entries_) sources.push_back({name, {bytes_of(contents)}});
  std::string bytes;
  const Status written = write_zip(sources, [&](std::span<const std::byte> piece) -> Status {
    bytes += text_of(piece);
    return {};
  });
  EXPECT_TRUE(written);
  return bytes;
}

void PackageEditor::write_folder(const fs::path& folder) const {
  for (const auto& [name, contents] : entries_) {
    fs::create_directories((folder / name).parent_path());
    write_file(folder / name, contents);
  }
}

std::uint32_t number_at(const std::string& bytes, std::size_t offset, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t index = 0; index < size; ++index)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes.at(offset + index))) << (8 * index);
  return number;
}

void set_number(std::string& bytes, std::size_t offset, std::size_t size, std::uint64_t value) {
  for (std::size_t index = 0; index < size; ++index)
    bytes.at(offset + index) = static_cast<char>(static_cast<unsigned char>(value >> (8 * index)));
}

std::size_t central_header_of(const std::string& bytes, const std::string& name) {
  const std::size_t found = bytes.rfind(name, bytes.size());
  if (found == std::string::npos) throw std::out_of_range(name);
  return found - zip::kCentralHeader;
}

std::size_t local_header_of(const std::string& bytes, const std::string& name) {
  return number_at(bytes, central_header_of(bytes, name) + 42, 4);
}

Result<Artifact> read_bytes(const std::string& bytes) {
  const auto owner = std::make_shared<const std::string>(bytes);
  auto read = read_package_bytes(bytes_of(*owner), owner);
  if (!read) return failure_of(std::move(read));
  return **read;
}

void expect_refused(const std::string& bytes, const std::string& code, const std::string& words) {
  const TemporaryFolder folder;
  write_file(folder / "hostile.dycl", bytes);
  const auto artifact = read_package(folder / "hostile.dycl");
  ASSERT_FALSE(artifact) << "the package was accepted";
  const Diagnostic& error = artifact.error();
  EXPECT_EQ(error.blame, Blame::Package);
  EXPECT_EQ(error.code, code) << to_string(error);
  EXPECT_THAT(error.message, testing::HasSubstr(words));
  EXPECT_THAT(error.span.file, testing::EndsWith("hostile.dycl"));
  EXPECT_FALSE(error.hint.empty());
}

}  // namespace dycl::test
