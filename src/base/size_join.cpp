// SPDX-License-Identifier: Apache-2.0
#include "base/size_join.h"

#include <algorithm>

#include "base/size_relation.h"

namespace dycl {
namespace {

// The number by which all of the sizes are larger than their partners; nullopt: there is none.
std::optional<std::int64_t> common_difference(const std::vector<SizeExpr>& sizes,
                                              const std::vector<SizeExpr>& partners) {
  std::optional<SizeExpr> common;
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    const auto apart = computed_size("-", sizes[index], partners[index]);
    if (!apart || !apart->is_known() || (common && *common != *apart)) return std::nullopt;
    common = apart;
  }
  return common ? std::optional(common->constant()) : std::nullopt;
}

}  // namespace

SizeExpr SizeJoins::joined(const std::vector<SizeExpr>& sides, std::optional<std::size_t> place) {
  const bool same = std::ranges::all_of(sides, [&](const SizeExpr& side) { return side == sides.front(); });
  if (same) return sides.front();
  for (const auto& [known, symbol] : made_)
    if (const auto apart = common_difference(sides, known)) return SizeExpr(symbol) + SizeExpr(*apart);
  SizeRange range{SizeRange::kLargest, SizeRange::kLargest};
  std::set<std::size_t> origins;
  if (place) origins.insert(*place);
  for (const SizeExpr& side : sides) {
    range.smallest = std::min(range.smallest, range_of(side).smallest);
    origins.merge(origins_of(side));
  }
  SizeExpr made = symbols_->fresh(range, std::move(origins));
  if (const SizeSymbolPtr symbol = made.as_symbol()) made_.emplace_back(sides, symbol);
  return made;
}

std::set<std::size_t> SizeJoins::made() const {
  std::set<std::size_t> numbers;
  for (const auto& [sides, symbol] : made_) numbers.insert(symbol->number);
  return numbers;
}

bool SizeRenaming::same(const SizeExpr& left, const SizeExpr& right) {
  if (left.is_known() || right.is_known()) return left == right;
  if (left == right) return bind_to_themselves(left);
  const SizeSymbolPtr one = left.as_symbol(), other = right.as_symbol();
  if (one && other && *one != *other && !bind(*one, other)) return false;
  return unless_beyond([&] { return substituted(left, names_); }) == right;
}

// A size that stays is not the one that another size becomes.
bool SizeRenaming::bind_to_themselves(const SizeExpr& expr) {
  for (const SizeSymbolPtr& symbol : symbols_of(expr)) {
    if (!left_.contains(symbol->number)) continue;
    const auto [bound, is_new] = names_.try_emplace(symbol->number, SizeExpr(symbol));
    if (!is_new && bound->second != SizeExpr(symbol)) return false;
    used_.insert(symbol->number);
  }
  return true;
}

// Whatever the right one may be, the left one may be too.
bool SizeRenaming::bind(const SizeSymbol& left, const SizeSymbolPtr& right) {
  const auto bound = names_.find(left.number);
  if (bound != names_.end()) return bound->second == SizeExpr(right);
  const bool is_free = left_.contains(left.number) && right_.contains(right->number);
  const bool is_inside =
      left.range.smallest <= right->range.smallest && right->range.largest <= left.range.largest;
  if (!is_free || !is_inside || !used_.insert(right->number).second) return false;
  names_.emplace(left.number, SizeExpr(right));
  return true;
}

}  // namespace dycl
