// SPDX-License-Identifier: Apache-2.0
// Keeps results of slow work in a folder, for later processes. A cache that cannot be read or written only
// costs time: no function here fails. A lookup finds what was kept under exactly that key, or nothing: each
// file contains its key and a checksum and is written atomically, and a damaged file counts as missing.
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

// Returns the folder of this user's caches: XDG_CACHE_HOME/dycl or HOME/.cache/dycl; empty if neither is set.
std::filesystem::path user_cache_folder();

// A cache is thread safe, and processes may share its folder.
class DiskCache {
 public:
  static constexpr std::uintmax_t kLimit = std::uintmax_t{4} << 30;

  // The entries lie in `folder`, by kind ("fragments"). If all of them together are larger than `limit`
  // bytes, the least recently used are removed.
  explicit DiskCache(std::filesystem::path folder, std::uintmax_t limit = kLimit);
  ~DiskCache();
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  // `key` is text of any length that names everything the result depends on.
  std::optional<std::string> find(const std::string& kind, std::string_view key);
  void keep(const std::string& kind, std::string_view key, std::string_view value);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // Returns how often this object found entries and missed them, by kind.
  [[nodiscard]] std::map<std::string, CacheCounts> counts() const;
  // Returns how much the folder holds, by kind.
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
