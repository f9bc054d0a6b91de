// SPDX-License-Identifier: Apache-2.0
#include "bundle/licences.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

namespace dycl::bundle {
namespace {

namespace fs = std::filesystem;

// A text of licences by its name: LICENSE, LICENSE.txt, NOTICE, COPYING, ThirdPartyNotices.txt.
bool names_licence(const fs::path& file) {
  std::string name = file.filename().string();
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 6> kNames{"license", "licence",    "notice",
                                                   "copying", "thirdparty", "third-party"};
  return std::ranges::any_of(kNames, [&](std::string_view start) { return name.starts_with(start); });
}

void add_licences_in(const fs::path& folder, std::vector<LicenceText>& texts) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error) && names_licence(entry->path()))
      texts.push_back({entry->path(), entry->path().filename()});
}

// Everything in there is a licence, whatever its name.
void add_all_in(const fs::path& folder, std::vector<LicenceText>& texts) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error))
      texts.push_back({entry->path(), entry->path().lexically_relative(folder)});
}

bool lists(const fs::path& record, const std::string& file) {
  std::ifstream lines(record);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(file) && (line.size() == file.size() || line[file.size()] == ',')) return true;
  return false;
}

// A wheel lists its files, from site-packages on, in the RECORD of its .dist-info folder.
std::optional<Licence> licence_of_wheel(const fs::path& library) {
  for (fs::path site = library.parent_path(); site.has_relative_path(); site = site.parent_path()) {
    std::error_code error;
    for (fs::directory_iterator entry(site, error), end; !error && entry != end; entry.increment(error)) {
      const fs::path& folder = entry->path();
      if (folder.extension() != ".dist-info" ||
          !lists(folder / "RECORD", library.lexically_relative(site).string()))
        continue;
      Licence licence{folder.stem().string(), {}};
      add_licences_in(folder, licence.texts);
      add_all_in(folder / "licenses", licence.texts);
      add_licences_in(site / *library.lexically_relative(site).begin(), licence.texts);
      return licence;
    }
  }
  return std::nullopt;
}

// Debian lists the files of a package in /var/lib/dpkg/info/<package>.list, by the names from before /usr was
// merged for some of them.
std::optional<Licence> licence_of_debian(const fs::path& library) {
  const std::string file = library.string();
  const std::string without_usr = file.starts_with("/usr/lib") ? file.substr(4) : file;
  std::error_code error;
  for (fs::directory_iterator entry("/var/lib/dpkg/info", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".list" ||
        !(lists(entry->path(), file) || lists(entry->path(), without_usr)))
      continue;
    std::string package = entry->path().stem().string();
    package = package.substr(0, package.find(':'));
    const fs::path copyright = fs::path("/usr/share/doc") / package / "copyright";
    Licence licence{package, {}};
    if (fs::is_regular_file(copyright, error)) licence.texts.push_back({copyright, "copyright"});
    return licence;
  }
  return std::nullopt;
}

}  // namespace

Licence licence_of(const fs::path& library) {
  if (auto found = licence_of_wheel(library)) return std::move(*found);
  if (auto found = licence_of_debian(library)) return std::move(*found);
  return {library.filename().string(), {}};
}

}  // namespace dycl::bundle
