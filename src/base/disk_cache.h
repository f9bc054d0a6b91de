// SPDX-License-Identifier: Apache-2.0
// Results of slow work, kept in a folder between processes. A cache that cannot be read or written only
// costs time: nothing here fails. What is found is what was kept under exactly that key, or nothing: files
// carry their key and a checksum, appear whole, and are made anew when they are rotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace dycl {

struct CacheCounts {
  std::size_t found = 0;
  std::size_t missed = 0;
};

struct CacheUse {
  std::size_t entries = 0;
  std::uintmax_t bytes = 0;
};

// What DyCL may keep for this user: XDG_CACHE_HOME/dycl or HOME/.cache/dycl; empty when neither is set.
std::filesystem::path user_cache_folder();

// Thread safe; processes may share a folder.
class DiskCache {
 public:
  static constexpr std::uintmax_t kLimit = std::uintmax_t{4} << 30;

  // Entries lie in `folder` by kind ("fragments"). When all of them are larger than `limit` bytes, those
  // that were not used for longest go.
  explicit DiskCache(std::filesystem::path folder, std::uintmax_t limit = kLimit);
  ~DiskCache();
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  // `key` is text of any length that names everything the result depends on.
  std::optional<std::string> find(const std::string& kind, std::string_view key);
  void keep(const std::string& kind, std::string_view key, std::string_view value);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // By kind, of this object.
  [[nodiscard]] std::map<std::string, CacheCounts> counts() const;
  // By kind, of the folder.
  [[nodiscard]] std::map<std::string, CacheUse> use() const;
  void clear();

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& kind, std::string_view key) const;
  void trim() const;

  std::filesystem::path folder_;
  std::uintmax_t limit_;
  mutable std::mutex mutex_;
  std::map<std::string, CacheCounts> counts_;
  bool grown_ = false;
};

}  // namespace dycl
