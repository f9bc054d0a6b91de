// SPDX-License-Identifier: Apache-2.0
// Strong integer ids. Graphs name their parts by index, and so stay copyable and comparable.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace dycl {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  constexpr auto operator<=>(const Id&) const = default;
};

using ValueId = Id<struct ValueTag>;
using BlockId = Id<struct BlockTag>;
using SymbolId = Id<struct SymbolTag>;
using SourceId = Id<struct SourceTag>;

}  // namespace dycl

template <class Tag>
struct std::hash<dycl::Id<Tag>> {
  std::size_t operator()(dycl::Id<Tag> id) const noexcept { return id.value; }
};
