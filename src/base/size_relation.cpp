// SPDX-License-Identifier: Apache-2.0
#include "base/size_relation.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <ranges>

#include "base/result.h"

namespace dycl {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOpposites{
    {{"<", ">="}, {"<=", ">"}, {">", "<="}, {">=", "<"}, {"==", "!="}, {"!=", "=="}}};

std::string_view opposite_of(std::string_view relation) {
  for (const auto& [one, other] : kOpposites)
    if (one == relation) return other;
  internal_error("there is no relation " + std::string(relation));
}

std::optional<bool> decided(bool always, bool never) {
  if (always) return true;
  return never ? std::optional(false) : std::nullopt;
}

bool mentions(const SizeTerm& term, const SizeSymbol& symbol) {
  return std::ranges::any_of(term.factors, [&](const SizeFactor& factor) {
    if (factor.symbol) return factor.symbol->number == symbol.number;
    return std::ranges::any_of(factor.operation->arguments, [&](const SizeExpr& argument) {
      return std::ranges::any_of(argument.terms(),
                                 [&](const SizeTerm& inner) { return mentions(inner, symbol); });
    });
  });
}

bool is_multiple(const SizeTerm& term, const SizeSymbol& symbol) {
  return term.factors.size() == 1 && term.factors[0].symbol &&
         term.factors[0].symbol->number == symbol.number;
}

// A symbol that the equation `difference == 0` gives away: the one that was made last.
SizeValues solved(const SizeExpr& difference) {
  for (const SizeSymbolPtr& symbol : symbols_of(difference) | std::views::reverse) {
    const SizeTerm* own = nullptr;
    std::size_t mentioned = 0;
    for (const SizeTerm& term : difference.terms()) {
      if (mentions(term, *symbol)) ++mentioned;
      if (is_multiple(term, *symbol)) own = &term;
    }
    if (own == nullptr || mentioned != 1 || std::abs(own->coefficient) != 1) continue;
    const SizeExpr rest = difference - SizeExpr(symbol) * own->coefficient;
    return {{symbol->number, rest * -own->coefficient}};
  }
  return {};
}

std::int64_t floored_quotient(std::int64_t base, std::int64_t divisor) {
  return *evaluate(floor_div(base, divisor), {});
}

// Of a symbol x with `factor * x + rest relation 0`.
SizeRange narrowed(std::string_view relation, std::int64_t factor, std::int64_t rest, SizeRange range) {
  if (relation == "!=") {
    const std::int64_t out = -rest / factor;
    if (out == range.smallest) return {range.smallest + 1, range.largest};
    return {range.smallest, range.largest - 1};
  }
  std::int64_t bound = -rest - (relation == "<" ? 1 : 0) + (relation == ">" ? 1 : 0);
  if (relation == ">" || relation == ">=") {
    factor = -factor;
    bound = -bound;
  }
  if (factor > 0)  // factor * x <= bound
    return {range.smallest, std::min(range.largest, floored_quotient(bound, factor))};
  return {std::max(range.smallest, -floored_quotient(bound, -factor)), range.largest};
}

// Leaving this value out leaves a range.
bool is_at_border(std::int64_t factor, std::int64_t rest, SizeRange range) {
  return std::abs(factor) == 1 && (-rest / factor == range.smallest || -rest / factor == range.largest);
}

}  // namespace

SizeExpr fresh_size(SizeRange range, std::set<std::size_t> origins) {
  if (range.smallest == range.largest) return {range.smallest};
  static std::atomic<std::size_t> last = 0;  // a name only: what it counts to says nothing
  SizeSymbol symbol{++last, range, std::move(origins)};
  return SizeExpr(std::make_shared<const SizeSymbol>(std::move(symbol)));
}

std::optional<bool> holds(std::string_view relation, const SizeExpr& left, const SizeExpr& right) {
  const auto [lower, upper] = range_of(left - right);
  const bool apart = lower > 0 || upper < 0, same = lower == 0 && upper == 0;
  if (relation == "<") return decided(upper < 0, lower >= 0);
  if (relation == "<=") return decided(upper <= 0, lower > 0);
  if (relation == ">") return decided(lower > 0, upper <= 0);
  if (relation == ">=") return decided(lower >= 0, upper < 0);
  return relation == "==" ? decided(same, apart) : decided(apart, same);
}

std::optional<std::pair<std::int64_t, std::int64_t>> linear_in(const SizeExpr& size,
                                                               const SizeSymbol& symbol) {
  if (size.terms().size() != 1 || !is_multiple(size.terms()[0], symbol)) return std::nullopt;
  return std::pair(size.terms()[0].coefficient, size.constant());
}

SizeValues consequence(std::string_view relation, const SizeExpr& left, const SizeExpr& right, bool truth) {
  const std::string_view known = truth ? relation : opposite_of(relation);
  const SizeExpr difference = left - right;
  if (known == "==") return solved(difference);
  const std::vector<SizeSymbolPtr> symbols = symbols_of(difference);
  if (symbols.size() != 1) return {};
  const SizeSymbol& symbol = *symbols[0];
  const auto linear = linear_in(difference, symbol);
  if (!linear || (known == "!=" && !is_at_border(linear->first, linear->second, symbol.range))) return {};
  const SizeRange range = narrowed(known, linear->first, linear->second, symbol.range);
  if (range == symbol.range || range.smallest > range.largest) return {};
  return {{symbol.number, fresh_size(range, symbol.origins)}};
}

}  // namespace dycl
