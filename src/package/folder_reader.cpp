// SPDX-License-Identifier: Apache-2.0
#include "package/folder_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "package/error.h"
#include "package/limits.h"
#include "package/manifest.h"
#include "package/whole_file.h"

namespace dycl {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 8;

Failure cannot_list(const std::error_code& error) {
  return fail(Blame::Usage, "package.cannot_read", "the folder cannot be read: " + error.message(), {},
              "check its permissions");
}

Result<PackageEntry> read_entry(const fs::path& folder, const fs::path& path) {
  const std::string name = path.lexically_relative(folder).generic_string();
  if (auto status = check_entry_name(name); !status) return failure_of(std::move(status));
  auto file = read_whole_file(path, false);
  if (!file) {
    file.error().message = fmt::format("'{}': {}", shown(name), file.error().message);
    return failure_of(std::move(file));
  }
  return PackageEntry{name, (*file)->bytes(), *file};
}

}  // namespace

Result<std::vector<PackageEntry>> read_folder(const fs::path& folder) {
  std::error_code error;
  fs::recursive_directory_iterator walk(folder, error);
  if (error) return cannot_list(error);
  std::vector<PackageEntry> entries;
  for (; walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (error) return cannot_list(error);
    if (walk.depth() > kMaxDepth || entries.size() == limits::kEntries)
      return package_error("too_many_entries", "the folder is too deep or has too many files for a package");
    // A link is neither followed nor skipped: opening it fails by name.
    if (walk->symlink_status(error).type() == fs::file_type::directory) continue;
    auto entry = read_entry(folder, walk->path());
    if (!entry) return failure_of(std::move(entry));
    entries.push_back(*std::move(entry));
  }
  if (error) return cannot_list(error);
  std::ranges::sort(entries, {}, [](const PackageEntry& entry) {
    return std::pair(entry.name != kManifestName, entry.name);
  });
  return entries;
}

}  // namespace dycl
