// SPDX-License-Identifier: Apache-2.0
#include "package/entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "package/error.h"
#include "package/limits.h"

namespace dycl {
namespace {

bool is_plain(char c) { return c > ' ' && c < '\x7f' && c != '\\' && c != ':'; }

bool has_bad_part(std::string_view name) {
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return true;
    if (slash == std::string_view::npos) return false;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string shown(std::string_view name) {
  constexpr std::size_t kShown = 80;
  std::string text(name.substr(0, kShown));
  const bool keep = is_utf8(text);  // names in other languages stay readable
  std::ranges::replace_if(
      text, [keep](char c) { return (c >= 0 && c < ' ') || c == '\x7f' || (c < 0 && !keep); }, '?');
  return name.size() > kShown ? text + "…" : text;
}

Status check_entry_name(std::string_view name) {
  if (name.empty() || name.size() > limits::kEntryName)
    return package_error("bad_name", fmt::format("an entry's name may not have {} characters", name.size()));
  if (!std::ranges::all_of(name, is_plain))
    return package_error("bad_name",
                         fmt::format("the entry name '{}' has characters that are not allowed", shown(name)));
  if (has_bad_part(name))
    return package_error("unsafe_path",
                         fmt::format("the entry name '{}' is not a plain relative path", shown(name)));
  return {};
}

}  // namespace dycl
