// SPDX-License-Identifier: Apache-2.0
// The names seen so far while reading a graph: each becomes an id at its first mention.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hcfg/hcfg.h"
#include "hcfg/text_cursor.h"

namespace dycl {

class TextScope {
 public:
  TextScope(Hcfg& graph, TextCursor& cursor) : graph_(graph), cursor_(cursor) {}

  Result<Type> type();
  Result<SymbolId> known_symbol();   // n, which a type has mentioned
  Result<ValueId> use();             // %x
  Result<ValueId> use_or_omitted();  // %x or _
  Result<ValueId> definition();      // %x: type
  Result<Edge> edge();               // b3(%x, %y)

  // "(" %x, %y ")"
  Result<std::vector<ValueId>> arguments(bool may_omit);

  // Every value that is used is defined, every edge leads to a block.
  Status finish();

 private:
  ValueId mention(std::string_view name, std::size_t position);

  Hcfg& graph_;
  TextCursor& cursor_;
  std::unordered_map<std::string, ValueId> values_;
  std::unordered_map<std::string, SymbolId> symbols_;
  std::vector<std::size_t> first_mention_;                // per value
  std::vector<bool> defined_;                             // per value
  std::vector<std::pair<BlockId, std::size_t>> targets_;  // with their positions
};

}  // namespace dycl
