// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>

#include "bundle/bundle_texts.h"
#include "bundle/elf_file.h"
#include "bundle/licences.h"
#include "package/package_file.h"

namespace dycl::bundle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuntime = "libdycl.so.0";
constexpr const char* kRunner = "dycl-run";
constexpr const char* kLauncher = "dycl-launch";
constexpr const char* kLicence = "licence";  // what such a file is; the table leaves them out

Failure incomplete(const std::string& message, const std::string& hint) {
  return fail(Blame::Usage, "bundle.incomplete", message, {}, hint);
}

// What every program of this C library has, and what its compiler's code needs.
bool is_of_system(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames{"ld-linux",      "libc.so",     "libm.so",
                                                   "libpthread.so", "libdl.so",    "librt.so",
                                                   "libutil.so",    "libgcc_s.so", "libstdc++.so"};
  return std::ranges::any_of(kNames, [&](std::string_view start) { return name.starts_with(start); });
}

// A part of DyCL lies beside the command in a build tree, and in bin/ and lib/ of an installed prefix and the
// wheel.
Result<fs::path> find_part(const fs::path& home, const char* name) {
  std::error_code error;
  for (const fs::path& folder : {home, home.parent_path() / "lib"})
    if (fs::path file = fs::canonical(folder / name, error); !error) return file;
  return incomplete(fmt::format("{} was not found in {} or beside it", name, home.string()),
                    "install DyCL whole: cmake --install build --component dycl, or its wheel");
}

class BundleWriter {
 public:
  BundleWriter(const VerifiedArtifact& artifact, const BundleRequest& request)
      : artifact_(artifact), request_(request) {}

  Result<Bundle> write() {
    if (Status done = collect(); !done) return failure_of(std::move(done));
    if (Status made = open_folder(); !made) return failure_of(std::move(made));
    if (Status written = write_all(); !written) {
      std::error_code error;  // a part of a bundle is of no use
      for (const fs::directory_entry& entry : fs::directory_iterator(request_.folder, error))
        fs::remove_all(entry.path(), error);
      fs::remove(request_.folder, error);
      return failure_of(std::move(written));
    }
    return std::move(bundle_);
  }

 private:
  Status write_all() {
    if (Status written = write_package(artifact_, request_.folder / "model.dycl"); !written) return written;
    note("model.dycl", "the package");
    for (const auto& [place, file] : libraries_)
      if (Status copied = copy_library(place, file); !copied) return copied;
    return write_texts();
  }

  Status open_folder() {
    std::error_code error;
    fs::create_directories(request_.folder, error);
    if (error || !fs::is_empty(request_.folder, error))
      return fail(Blame::Usage, "bundle.folder",
                  error ? fmt::format("{}: {}", request_.folder.string(), error.message())
                        : fmt::format("{} is not empty", request_.folder.string()),
                  {},
                  error ? "choose a folder that you may write to" : "name a folder that does not exist yet");
    return {};
  }

  // Finds everything that goes into lib/.
  Status collect() {
    for (const auto& [name, place] : {std::pair(kLauncher, "run"), std::pair(kRunner, "lib/dycl-run"),
                                      std::pair(kRuntime, "lib/libdycl.so.0")}) {
      auto found = find_part(request_.home, name);
      if (!found) return failure_of(std::move(found));
      libraries_.emplace(place, *found);
      if (Status added = add_needed(*found); !added) return added;
    }
    for (const auto& [name, file] : request_.after)
      if (!request_.before.contains(name))
        if (Status added = add_library(name, file); !added) return added;
    return {};
  }

  Status add_library(const std::string& name, const fs::path& file) {
    const bool system = is_of_system(name);
    if (system && !request_.system) return {};
    if (!libraries_.emplace(fs::path("lib") / (system ? "system" : "") / name, file).second) return {};
    return add_needed(file);
  }

  Status add_needed(const fs::path& file) {
    auto elf = read_elf(file);
    if (!elf) return failure_of(std::move(elf));
    if (!elf->loader.empty() && request_.system)
      libraries_.emplace(fs::path("lib/system") / fs::path(elf->loader).filename(),
                         fs::canonical(elf->loader));
    for (const std::string& name : elf->needed) {
      if (name == kRuntime) continue;  // is a part of its own
      const auto found = find_loaded(name);
      if (!found)
        return incomplete(fmt::format("{} needs {}, which is not there", file.string(), name), "install it");
      if (Status added = add_library(name, *found); !added) return added;
    }
    return {};
  }

  // A library that was loaded by its path may be needed by another name, which leads to the same file.
  [[nodiscard]] std::optional<fs::path> find_loaded(const std::string& name) const {
    if (const auto found = request_.after.find(name); found != request_.after.end()) return found->second;
    std::error_code error;
    for (const auto& [loaded, file] : request_.after)
      if (const fs::path linked = fs::canonical(file.parent_path() / name, error); !error && linked == file)
        return file;
    return std::nullopt;
  }

  Status copy_library(const fs::path& place, const fs::path& file) {
    std::error_code error;
    const fs::path target = request_.folder / place;
    fs::create_directories(target.parent_path(), error);
    if (!error) fs::copy_file(file, target, error);
    if (error)
      return fail(Blame::Usage, "file.unwritable", fmt::format("{}: {}", target.string(), error.message()),
                  {}, "choose a folder that you may write to, with room for all files");
    const Licence licence = is_ours(file) ? Licence{"DyCL", {}} : licence_of(file);
    note(place, licence.owner);
    if (licence.owner == "DyCL") return {};
    if (licence.texts.empty()) bundle_.unlicensed.push_back(place.string());
    if (const auto version = request_.versions.find(file); version != request_.versions.end())
      if (Status written = write_text(place.parent_path() / ("version-of-" + place.filename().string()),
                                      version->second + "\n", "its version");
          !written)
        return written;
    for (const LicenceText& text : licence.texts)
      if (Status copied = copy_text(text.file, fs::path("licences") / licence.owner / text.name, kLicence);
          !copied)
        return copied;
    return {};
  }

  Status copy_text(const fs::path& file, const fs::path& place, const std::string& what) {
    if (!texts_.insert(place).second) return {};
    std::ifstream in(file, std::ios::binary);
    return write_text(place, {std::istreambuf_iterator<char>(in), {}}, what);
  }

  Status write_text(const fs::path& place, const std::string& text, const std::string& what) {
    const fs::path target = request_.folder / place;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    std::ofstream out(target, std::ios::binary);
    if (!(out << text << std::flush))
      return fail(Blame::Usage, "file.unwritable", fmt::format("{} cannot be written", target.string()));
    note(place, what);
    return {};
  }

  Status write_texts() {
    if (Status written = write_text("licences/DyCL/LICENSE", licence_text(), kLicence); !written)
      return written;
    return write_text("SIZES.txt", sizes_table(bundle_), "this table");
  }

  [[nodiscard]] bool is_ours(const fs::path& file) const {
    const std::string name = file.filename().string();
    return name.starts_with("libdycl") || name == kRunner || name == kLauncher;
  }

  void note(const fs::path& place, const std::string& what) {
    std::error_code error;
    bundle_.files.push_back({place, fs::file_size(request_.folder / place, error), what});
  }

  const VerifiedArtifact& artifact_;
  const BundleRequest& request_;
  std::map<fs::path, fs::path> libraries_;  // place in the bundle → the file that is copied there
  std::set<fs::path> texts_;                // that are written
  Bundle bundle_;
};

}  // namespace

Result<Bundle> write_bundle(const VerifiedArtifact& artifact, const BundleRequest& request) {
  return BundleWriter(artifact, request).write();
}

std::string sizes_table(const Bundle& bundle) {
  std::uintmax_t total = 0;
  std::string text;
  for (const BundledFile& file : bundle.files) {
    total += file.bytes;
    if (file.what != kLicence)
      text += fmt::format("{:>12}  {:<44}  {}\n", file.bytes, file.place.string(), file.what);
  }
  return text + fmt::format("{:>12}  bytes in all, with licences\n", total);
}

}  // namespace dycl::bundle
