// SPDX-License-Identifier: Apache-2.0
// Takes a valid package apart and puts it together wrongly.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "package/artifact.h"

namespace dycl::test {

// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

std::string package_bytes(const Artifact& artifact);  // through write_package
const std::string& sample_package();                  // of sample_artifact(), made once

class PackageEditor {
 public:
  PackageEditor();  // starts from sample_package()

  std::string& entry(const std::string& name);
  void remove(const std::string& name);
  void add(const std::string& name, const std::string& contents) { entries_.emplace_back(name, contents); }
  void swap(std::size_t one, std::size_t other) { std::swap(entries_[one], entries_[other]); }
  void edit_json(const std::string& name, const std::function<void(nlohmann::json&)>& edit);
  // Replaces the safetensors' header; its length field follows.
  void edit_weights(const std::function<void(nlohmann::json&)>& edit);
  void rehash();  // makes the manifest's sizes and hashes true again
  [[nodiscard]] std::string bytes() const;
  // Writes the entries as a folder.
  void write_folder(const std::filesystem::path& folder) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

// Little-endian numbers inside a file.
std::uint32_t number_at(const std::string& bytes, std::size_t offset, std::size_t size);
void set_number(std::string& bytes, std::size_t offset, std::size_t size, std::uint64_t value);
// Offset of the central header of the entry (its local header's offset is at +42).
std::size_t central_header_of(const std::string& bytes, const std::string& name);
std::size_t local_header_of(const std::string& bytes, const std::string& name);

Result<Artifact> read_bytes(const std::string& bytes);
// Writes the bytes to a file, reads it, and expects Blame::Package, the code, the file's name and the
// words in the message.
void expect_refused(const std::string& bytes, const std::string& code, const std::string& words);

}  // namespace dycl::test
