// SPDX-License-Identifier: Apache-2.0
#include "base/dim_range.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace dycl {
namespace {

std::optional<std::int64_t> size_from(std::string_view digits) {
  std::int64_t size = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && size >= 0 ? std::optional(size) : std::nullopt;
}

}  // namespace

std::string to_string(const DimRange& range) {
  return range.one_size() ? fmt::format("{}", range.smallest)
                          : fmt::format("{}..{}", range.smallest, range.largest);
}

Result<DimRange> parse_dim_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto smallest = size_from(text.substr(0, dots));
  const auto largest = dots == std::string_view::npos ? smallest : size_from(text.substr(dots + 2));
  if (smallest && largest && *smallest <= *largest) return DimRange{*smallest, *largest};
  return fail(
      Blame::Usage, "argument.dim", fmt::format("'{}' is neither a size nor a range of sizes", text), {},
      "write SIZE or SMALLEST..LARGEST: batch=8 pins the dim, batch=1..8 keeps it open within limits");
}

}  // namespace dycl
