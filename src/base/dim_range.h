// SPDX-License-Identifier: Apache-2.0
// The sizes that a symbol may take. The user gives a range ("batch=1..8"), and every call checks it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dycl {

// Both ends belong to the range. The default range allows every size.
struct DimRange {
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  std::int64_t smallest = 0;
  std::int64_t largest = kNoLimit;

  [[nodiscard]] bool limited() const { return smallest > 0 || largest < kNoLimit; }
  [[nodiscard]] bool one_size() const { return smallest == largest; }
  [[nodiscard]] bool contains(std::int64_t size) const { return smallest <= size && size <= largest; }
  [[nodiscard]] bool well_formed() const { return 0 <= smallest && smallest <= largest; }
  bool operator==(const DimRange&) const = default;
};

std::string to_string(const DimRange& range);  // "1..8", or "8" for one size

// Reads "8" (exactly that size) or "1..8".
Result<DimRange> parse_dim_range(std::string_view text);

}  // namespace dycl
