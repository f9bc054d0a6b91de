// SPDX-License-Identifier: Apache-2.0
// Names in the graph's text: unique, readable, and unchanged by a second printing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dycl {

// A letter or '_' first, then letters, digits, '_' and '.'.
bool is_identifier(std::string_view text);
bool is_name_character(char character);

// The text itself if it is an identifier, else quoted.
std::string identifier_or_quoted(std::string_view text);

// "…" with escapes for quotes, control characters and bytes that are not UTF-8.
std::string quoted(std::string_view text);

// Gives out names in order of asking. A hint that is free and well-formed is taken as it is: printing
// names that were printed before changes none of them.
class UniqueNames {
 public:
  enum class Style { Value, Symbol };  // a value's name may begin with a digit, a symbol's may not

  UniqueNames(std::size_t count, Style style) : names_(count), style_(style) {}

  const std::string& name(std::size_t index, std::string_view hint);

 private:
  std::vector<std::string> names_;  // empty: not asked for yet
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_suffix_;
  Style style_;
};

}  // namespace dycl
