// SPDX-License-Identifier: Apache-2.0
#include "base/disk_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/sha256.h"

namespace dycl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "dycl cache 1\n";
constexpr std::string_view kSuffix = ".entry";
constexpr std::size_t kDigestSize = 64;

struct Entry {
  fs::path file;
  std::string kind;
  std::uintmax_t bytes = 0;
  fs::file_time_type used;
};

std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::recursive_directory_iterator place(folder, error), end; !error && place != end;
       place.increment(error)) {
    std::error_code gone;
    if (place.depth() == 1) place.disable_recursion_pending();  // compilers keep files of their own there
    if (place.depth() != 1 || place->path().extension() != kSuffix) continue;
    Entry entry{place->path(), place->path().parent_path().filename().string(), place->file_size(gone),
                place->last_write_time(gone)};
    if (!gone) entries.push_back(std::move(entry));
  }
  return entries;
}

std::string content_of(std::string_view key, std::string_view value) {
  return fmt::format("{}{}{}\n{}", kMagic, sha256_hex(value), key, value);
}

std::optional<std::string> value_in(std::string content, std::string_view key) {
  std::string_view rest = content;
  if (!rest.starts_with(kMagic)) return std::nullopt;
  rest.remove_prefix(kMagic.size());
  if (rest.size() < kDigestSize) return std::nullopt;
  const std::string_view digest = rest.substr(0, kDigestSize);
  rest.remove_prefix(kDigestSize);
  if (!rest.starts_with(key)) return std::nullopt;
  rest.remove_prefix(key.size());
  if (!rest.starts_with('\n')) return std::nullopt;
  rest.remove_prefix(1);
  if (sha256_hex(rest) != digest) return std::nullopt;
  content.erase(0, content.size() - rest.size());
  return content;
}

std::string fresh_name() {
  static std::atomic<unsigned> number = 0;
  return fmt::format("{}-{}.fresh", getpid(), number++);
}

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path user_cache_folder() {
  if (const fs::path named = variable("XDG_CACHE_HOME"); !named.empty()) return named / "dycl";
  const fs::path home = variable("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "dycl";
}

DiskCache::DiskCache(fs::path folder, std::uintmax_t limit) : folder_(std::move(folder)), limit_(limit) {}

DiskCache::~DiskCache() {
  if (grown_) trim();
}

fs::path DiskCache::file_of(const std::string& kind, std::string_view key) const {
  return folder_ / kind / (sha256_hex(key) + std::string(kSuffix));
}

std::optional<std::string> DiskCache::find(const std::string& kind, std::string_view key) {
  const fs::path file = file_of(kind, key);
  std::ifstream stream(file, std::ios::binary);
  std::optional<std::string> value;
  std::ostringstream content;  // what cannot be read is not there: unlike an iterator, this never throws
  if (stream && content << stream.rdbuf()) value = value_in(std::move(content).str(), key);
  std::error_code error;
  if (value) fs::last_write_time(file, fs::file_time_type::clock::now(), error);
  const std::lock_guard lock(mutex_);
  ++(value ? counts_[kind].found : counts_[kind].missed);
  return value;
}

void DiskCache::keep(const std::string& kind, std::string_view key, std::string_view value) {
  const fs::path file = file_of(kind, key);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path fresh = file.parent_path() / fresh_name();
  const bool written = static_cast<bool>(std::ofstream(fresh, std::ios::binary) << content_of(key, value));
  if (written) fs::rename(fresh, file, error);
  if (!written || error) fs::remove(fresh, error);
  const std::lock_guard lock(mutex_);
  grown_ = true;
}

std::map<std::string, CacheCounts> DiskCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::map<std::string, CacheUse> DiskCache::use() const {
  std::map<std::string, CacheUse> uses;
  for (const Entry& entry : entries_of(folder_)) {
    CacheUse& use = uses[entry.kind];
    ++use.entries;
    use.bytes += entry.bytes;
  }
  return uses;
}

void DiskCache::clear() {
  std::error_code error;
  for (const Entry& entry : entries_of(folder_)) fs::remove(entry.file, error);
}

void DiskCache::trim() const {
  std::vector<Entry> entries = entries_of(folder_);
  std::ranges::sort(entries, {}, &Entry::used);
  std::uintmax_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  std::error_code error;
  for (const Entry& entry : entries) {
    if (bytes <= limit_) return;
    fs::remove(entry.file, error);
    bytes -= entry.bytes;
  }
}

}  // namespace dycl
