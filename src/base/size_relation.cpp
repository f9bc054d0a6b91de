// SPDX-License-Identifier: Apache-2.0
#include "base/size_relation.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>

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

using Wide = __int128;

std::optional<SizeExpr> difference_of(const SizeExpr& left, const SizeExpr& right) {
  return unless_beyond([&] { return left - right; });
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
    const bool is_alone = own != nullptr && mentioned == 1;
    if (!is_alone || (own->coefficient != 1 && own->coefficient != -1)) continue;
    const SizeExpr rest = difference - SizeExpr(symbol) * own->coefficient;
    return {{symbol->number, rest * -own->coefficient}};
  }
  return {};
}

// By a positive divisor.
Wide floored_quotient(Wide base, Wide divisor) {
  return base / divisor - (base % divisor != 0 && base < 0 ? 1 : 0);
}

// Of a symbol x with `factor * x + rest relation 0`.
SizeRange narrowed(std::string_view relation, Wide factor, Wide rest, SizeRange range) {
  if (relation == "!=") {
    if (-rest / factor == range.smallest) return {range.smallest + 1, range.largest};
    return {range.smallest, range.largest - 1};
  }
  Wide bound = -rest - (relation == "<" ? 1 : 0) + (relation == ">" ? 1 : 0);
  if (relation == ">" || relation == ">=") {
    factor = -factor;
    bound = -bound;
  }
  // factor * x <= bound
  const Wide smallest = range.smallest, largest = range.largest;
  const bool is_upper = factor > 0;
  const Wide limit = is_upper ? floored_quotient(bound, factor) : -floored_quotient(bound, -factor);
  if (is_upper ? limit < smallest : limit > largest) return {1, 0};  // nothing is left
  return is_upper ? SizeRange{range.smallest, static_cast<std::int64_t>(std::min(largest, limit))}
                  : SizeRange{static_cast<std::int64_t>(std::max(smallest, limit)), range.largest};
}

// Leaving this value out leaves a range.
bool is_at_border(Wide factor, Wide rest, SizeRange range) {
  return (factor == 1 || factor == -1) &&
         (-rest / factor == range.smallest || -rest / factor == range.largest);
}

}  // namespace

std::optional<SizeExpr> computed_size(std::string_view operation, const SizeExpr& left,
                                      const SizeExpr& right) {
  const bool is_divisor = right.is_known() && right.constant() > 0;
  const bool is_quotient = operation == "//" && is_divisor;
  const bool is_remainder = operation == "%" && is_divisor && range_of(left).smallest >= 0;
  const bool is_plain = operation == "+" || operation == "-" || operation == "*";
  if (!is_plain && !is_quotient && !is_remainder) return std::nullopt;
  return unless_beyond([&] {
    if (operation == "+") return left + right;
    if (operation == "-") return left - right;
    if (operation == "*") return left * right;
    return is_quotient ? floor_div(left, right) : mod(left, right);
  });
}

std::optional<bool> holds(std::string_view relation, const SizeExpr& left, const SizeExpr& right) {
  const auto difference = difference_of(left, right);
  if (!difference) return std::nullopt;
  const auto [lower, upper] = range_of(*difference);
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

SizeValues consequence(SizeSymbols& symbols, std::string_view relation, const SizeExpr& left,
                       const SizeExpr& right, bool truth) {
  const std::string_view known = truth ? relation : opposite_of(relation);
  const auto difference = difference_of(left, right);
  if (!difference) return {};
  if (known == "==") return unless_beyond([&] { return solved(*difference); }).value_or(SizeValues{});
  const std::vector<SizeSymbolPtr> mentioned = symbols_of(*difference);
  if (mentioned.size() != 1) return {};
  const SizeSymbol& symbol = *mentioned[0];
  const auto linear = linear_in(*difference, symbol);
  if (!linear || (known == "!=" && !is_at_border(linear->first, linear->second, symbol.range))) return {};
  const SizeRange range = narrowed(known, linear->first, linear->second, symbol.range);
  if (range == symbol.range || range.smallest > range.largest) return {};
  return {{symbol.number, symbols.fresh(range, symbol.origins)}};
}

bool settles(std::string_view relation, const SizeExpr& left, const SizeExpr& right) {
  SizeSymbols beside({left, right});
  const SizeValues learnt = consequence(beside, relation, left, right, true);
  const auto truth =
      unless_beyond([&] { return holds(relation, substituted(left, learnt), substituted(right, learnt)); });
  return truth == std::optional(std::optional(true));
}

bool splits(std::string_view relation, const SizeExpr& left, const SizeExpr& right) {
  SizeSymbols beside({left, right});
  return !consequence(beside, relation, left, right, true).empty() &&
         !consequence(beside, relation, left, right, false).empty();
}

}  // namespace dycl
