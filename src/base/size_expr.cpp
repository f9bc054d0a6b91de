// SPDX-License-Identifier: Apache-2.0
#include "base/size_expr.h"

#include <algorithm>
#include <numeric>

#include "base/result.h"

namespace dycl {
namespace {

std::int64_t checked_sum(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(left, right, &result)) throw std::overflow_error("a size is beyond 64 bits");
  return result;
}

std::int64_t checked_product(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(left, right, &result)) throw std::overflow_error("a size is beyond 64 bits");
  return result;
}

std::int64_t floored(std::int64_t base, std::int64_t divisor) {
  const std::int64_t quotient = base / divisor;
  return base % divisor != 0 && (base < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

// By a positive divisor.
std::int64_t remainder_of(std::int64_t base, std::int64_t divisor) {
  const std::int64_t rest = base % divisor;
  return rest < 0 ? rest + divisor : rest;
}

std::uint64_t magnitude_of(std::int64_t number) {
  return number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number)
                    : static_cast<std::uint64_t>(number);
}

// -1 is the one divisor that may overflow.
std::optional<std::int64_t> quotient_of(std::int64_t base, std::int64_t divisor) {
  if (divisor == 0 || (divisor == -1 && base == INT64_MIN)) return std::nullopt;
  return floored(base, divisor);
}

template <class Item>
std::strong_ordering order_of(const std::vector<Item>& left, const std::vector<Item>& right) {
  if (left.size() != right.size()) return left.size() <=> right.size();
  for (std::size_t index = 0; index < left.size(); ++index)
    if (const auto order = left[index] <=> right[index]; order != 0) return order;
  return std::strong_ordering::equal;
}

std::vector<SizeFactor> merged(const std::vector<SizeFactor>& left, const std::vector<SizeFactor>& right) {
  std::vector<SizeFactor> all = left;
  all.insert(all.end(), right.begin(), right.end());
  std::sort(all.begin(), all.end());
  return all;
}

// Of the number, every coefficient and `divisor`, which is positive.
std::int64_t common_divisor(const SizeExpr& expr, std::int64_t divisor) {
  std::uint64_t common = std::gcd(magnitude_of(expr.constant()), magnitude_of(divisor));
  for (const SizeTerm& term : expr.terms()) common = std::gcd(common, magnitude_of(term.coefficient));
  return static_cast<std::int64_t>(common);
}

SizeExpr expression_of(const SizeFactor& factor) {
  return factor.symbol ? SizeExpr(factor.symbol)
                       : operation_of(factor.operation->function, factor.operation->arguments);
}

SizeExpr expression_of(const SizeTerm& term) {
  SizeExpr whole(term.coefficient);
  for (const SizeFactor& factor : term.factors) whole = whole * expression_of(factor);
  return whole;
}

// The operation that the expression is, and nothing beside it; null: it is another one.
const SizeOperation* as_operation(const SizeExpr& expr, SizeFunction function) {
  const bool is_one = expr.constant() == 0 && expr.terms().size() == 1 && expr.terms()[0].coefficient == 1 &&
                      expr.terms()[0].factors.size() == 1;
  if (!is_one) return nullptr;
  const SizeOperation* operation = expr.terms()[0].factors[0].operation.get();
  return operation != nullptr && operation->function == function ? operation : nullptr;
}

// Takes one of the factors out; false: it is not among them.
bool take_out(std::vector<SizeFactor>& factors, const SizeFactor& factor) {
  const auto found = std::find(factors.begin(), factors.end(), factor);
  if (found == factors.end()) return false;
  factors.erase(found);
  return true;
}

}  // namespace

std::strong_ordering operator<=>(const SizeFactor& left, const SizeFactor& right) {
  if (left.symbol && right.symbol)
    return left.symbol == right.symbol ? std::strong_ordering::equal : *left.symbol <=> *right.symbol;
  if (left.symbol || right.symbol)
    return left.symbol ? std::strong_ordering::less : std::strong_ordering::greater;
  if (left.operation == right.operation) return std::strong_ordering::equal;
  if (const auto order = left.operation->function <=> right.operation->function; order != 0) return order;
  return order_of(left.operation->arguments, right.operation->arguments);
}

std::strong_ordering operator<=>(const SizeExpr& left, const SizeExpr& right) {
  if (left.terms_.size() != right.terms_.size()) return left.terms_.size() <=> right.terms_.size();
  for (std::size_t index = 0; index < left.terms_.size(); ++index) {
    const SizeTerm& one = left.terms_[index];
    const SizeTerm& other = right.terms_[index];
    if (const auto order = order_of(one.factors, other.factors); order != 0) return order;
    if (one.coefficient != other.coefficient) return one.coefficient <=> other.coefficient;
  }
  return left.constant_ <=> right.constant_;
}

SizeExpr::SizeExpr(SizeSymbolPtr symbol) : terms_{{1, {{std::move(symbol), nullptr}}}} {}

SizeSymbolPtr SizeExpr::as_symbol() const {
  const bool is_one = constant_ == 0 && terms_.size() == 1 && terms_[0].coefficient == 1;
  return is_one && terms_[0].factors.size() == 1 ? terms_[0].factors[0].symbol : nullptr;
}

SizeExpr SizeExpr::of_terms(std::int64_t constant, std::vector<SizeTerm> terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const SizeTerm& left, const SizeTerm& right) {
    return order_of(left.factors, right.factors) < 0;
  });
  SizeExpr made(constant);
  for (SizeTerm& term : terms) {
    const bool again = !made.terms_.empty() && made.terms_.back().factors == term.factors;
    if (again)
      made.terms_.back().coefficient = checked_sum(made.terms_.back().coefficient, term.coefficient);
    else
      made.terms_.push_back(std::move(term));
    if (made.terms_.back().coefficient == 0) made.terms_.pop_back();
  }
  return made;
}

SizeExpr operator+(const SizeExpr& left, const SizeExpr& right) {
  std::vector<SizeTerm> terms = left.terms_;
  terms.insert(terms.end(), right.terms_.begin(), right.terms_.end());
  return SizeExpr::of_terms(checked_sum(left.constant_, right.constant_), std::move(terms));
}

SizeExpr operator*(const SizeExpr& left, const SizeExpr& right) {
  std::vector<SizeTerm> terms;
  const auto add = [&](std::int64_t coefficient, std::vector<SizeFactor> factors) {
    if (coefficient != 0) terms.push_back({coefficient, std::move(factors)});
  };
  for (const SizeTerm& one : left.terms_) {
    for (const SizeTerm& other : right.terms_)
      add(checked_product(one.coefficient, other.coefficient), merged(one.factors, other.factors));
    add(checked_product(one.coefficient, right.constant_), one.factors);
  }
  for (const SizeTerm& other : right.terms_)
    add(checked_product(left.constant_, other.coefficient), other.factors);
  return SizeExpr::of_terms(checked_product(left.constant_, right.constant_), std::move(terms));
}

SizeExpr operation_of(SizeFunction function, std::vector<SizeExpr> arguments) {
  SizeExpr made;
  SizeOperation operation{function, std::move(arguments)};
  made.terms_.push_back({1, {{nullptr, std::make_shared<const SizeOperation>(std::move(operation))}}});
  return made;
}

namespace {

// The parts of a sum that the divisor divides, divided by it; and the rest.
std::pair<SizeExpr, SizeExpr> split_by(const SizeExpr& base, std::int64_t divisor) {
  SizeExpr quotient, rest;
  for (const SizeTerm& term : base.terms()) {
    SizeTerm part = term;
    const bool divides = term.coefficient % divisor == 0;
    if (divides) part.coefficient /= divisor;
    (divides ? quotient : rest) = (divides ? quotient : rest) + expression_of(part);
  }
  if (base.constant() % divisor == 0)
    quotient = quotient + SizeExpr(base.constant() / divisor);
  else
    rest = rest + SizeExpr(base.constant());
  return {quotient, rest};
}

SizeExpr divided_by_all(const SizeExpr& base, std::int64_t divisor) { return split_by(base, divisor).first; }

// (n*k + 2*k) // (3*k) is (n + 2) // 3: a factor of the divisor that every term has.
std::optional<std::pair<SizeExpr, SizeExpr>> without_common_factor(const SizeExpr& base,
                                                                   const SizeExpr& divisor) {
  if (base.constant() != 0 || divisor.constant() != 0 || divisor.terms().size() != 1) return std::nullopt;
  for (const SizeFactor& factor : divisor.terms()[0].factors) {
    SizeTerm left = divisor.terms()[0];
    take_out(left.factors, factor);
    SizeExpr rest;
    const bool all = std::ranges::all_of(base.terms(), [&](SizeTerm term) {
      if (!take_out(term.factors, factor)) return false;
      rest = rest + expression_of(term);
      return true;
    });
    if (all) return std::pair(rest, expression_of(left));
  }
  return std::nullopt;
}

SizeExpr floor_div_by_number(const SizeExpr& base, std::int64_t divisor) {
  const auto [quotient, rest] = split_by(base, divisor);
  if (rest.is_known()) return quotient + SizeExpr(floored(rest.constant(), divisor));
  const std::int64_t common = common_divisor(rest, divisor);
  if (common > 1) return quotient + floor_div(divided_by_all(rest, common), SizeExpr(divisor / common));
  if (const SizeOperation* inner = as_operation(rest, SizeFunction::FloorDiv))
    if (inner->arguments[1].is_known() && inner->arguments[1].constant() > 0)
      return quotient + floor_div(inner->arguments[0], inner->arguments[1] * SizeExpr(divisor));
  return quotient + operation_of(SizeFunction::FloorDiv, {rest, SizeExpr(divisor)});
}

// Whether `one` is at least `other`, whatever the sizes are.
bool never_below(const SizeExpr& one, const SizeExpr& other) { return range_of(one - other).smallest >= 0; }

SizeExpr extreme_of(SizeFunction function, const std::vector<SizeExpr>& given) {
  std::vector<SizeExpr> all;
  for (const SizeExpr& argument : given) {
    if (const SizeOperation* inner = as_operation(argument, function))
      all.insert(all.end(), inner->arguments.begin(), inner->arguments.end());
    else
      all.push_back(argument);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto beats = [&](const SizeExpr& one, const SizeExpr& other) {
    return function == SizeFunction::Max ? never_below(one, other) : never_below(other, one);
  };
  std::vector<SizeExpr> kept;
  for (std::size_t index = 0; index < all.size(); ++index) {
    bool is_beaten = false;
    for (std::size_t other = 0; other < all.size() && !is_beaten; ++other) {
      if (other == index || !beats(all[other], all[index])) continue;
      is_beaten = other < index || !beats(all[index], all[other]);  // of two equal ones the first stays
    }
    if (!is_beaten) kept.push_back(all[index]);
  }
  return kept.size() == 1 ? kept[0] : operation_of(function, std::move(kept));
}

}  // namespace

SizeExpr floor_div(const SizeExpr& base, const SizeExpr& divisor) {
  if (divisor.is_known() && divisor.constant() > 0) return floor_div_by_number(base, divisor.constant());
  if (base.is_known() && divisor.is_known())
    if (const auto quotient = quotient_of(base.constant(), divisor.constant())) return {*quotient};
  if (base == divisor) return {1};
  if (base == SizeExpr(0)) return {0};
  if (const auto smaller = without_common_factor(base, divisor))
    return floor_div(smaller->first, smaller->second);
  return operation_of(SizeFunction::FloorDiv, {base, divisor});
}

SizeExpr mod(const SizeExpr& base, const SizeExpr& divisor) {
  if (base == divisor || base == SizeExpr(0)) return {0};
  if (!divisor.is_known() || divisor.constant() <= 0) return operation_of(SizeFunction::Mod, {base, divisor});
  const std::int64_t number = divisor.constant();
  const SizeExpr rest = split_by(base, number).second;
  if (rest.is_known()) return {remainder_of(rest.constant(), number)};
  return operation_of(SizeFunction::Mod, {rest, divisor});
}

SizeExpr max_of(const std::vector<SizeExpr>& arguments) { return extreme_of(SizeFunction::Max, arguments); }
SizeExpr min_of(const std::vector<SizeExpr>& arguments) { return extreme_of(SizeFunction::Min, arguments); }

SizeExpr applied(SizeFunction function, const std::vector<SizeExpr>& arguments) {
  switch (function) {
    case SizeFunction::FloorDiv: return floor_div(arguments[0], arguments[1]);
    case SizeFunction::Mod: return mod(arguments[0], arguments[1]);
    case SizeFunction::Max: return max_of(arguments);
    case SizeFunction::Min: return min_of(arguments);
  }
  internal_error("there is no such function of sizes");
}

namespace {

std::string_view operator_of(SizeFunction function) {
  switch (function) {
    case SizeFunction::FloorDiv: return "//";
    case SizeFunction::Mod: return "%";
    case SizeFunction::Max: return "max";
    case SizeFunction::Min: return "min";
  }
  internal_error("there is no such function of sizes");
}

SizeParts parts_of_product(const SizeTerm& term) {
  SizeParts parts{"*", {}};
  if (term.coefficient != 1) parts.operands.emplace_back(term.coefficient);
  for (const SizeFactor& factor : term.factors) parts.operands.push_back(expression_of(factor));
  return parts;
}

std::size_t mixed(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const SizeFactor& factor) {
  if (factor.symbol) return factor.symbol->number;
  auto seed = static_cast<std::size_t>(factor.operation->function);
  for (const SizeExpr& argument : factor.operation->arguments) seed = mixed(seed, hash_of(argument));
  return seed;
}

void collect_symbols(const SizeExpr& expr, std::map<std::size_t, SizeSymbolPtr>& found) {
  for (const SizeTerm& term : expr.terms())
    for (const SizeFactor& factor : term.factors) {
      if (factor.symbol)
        found.emplace(factor.symbol->number, factor.symbol);
      else
        for (const SizeExpr& argument : factor.operation->arguments) collect_symbols(argument, found);
    }
}

SizeExpr substituted_in(const SizeFactor& factor, const SizeValues& values) {
  if (factor.symbol) {
    const auto found = values.find(factor.symbol->number);
    return found == values.end() ? SizeExpr(factor.symbol) : found->second;
  }
  std::vector<SizeExpr> arguments;
  for (const SizeExpr& argument : factor.operation->arguments)
    arguments.push_back(substituted(argument, values));
  return applied(factor.operation->function, arguments);
}

std::optional<std::int64_t> evaluated(SizeFunction function, const std::vector<std::int64_t>& numbers) {
  switch (function) {
    case SizeFunction::FloorDiv: return quotient_of(numbers[0], numbers[1]);
    case SizeFunction::Mod:
      return numbers[1] <= 0 ? std::nullopt : std::optional(remainder_of(numbers[0], numbers[1]));
    case SizeFunction::Max: return *std::ranges::max_element(numbers);
    case SizeFunction::Min: return *std::ranges::min_element(numbers);
  }
  return std::nullopt;
}

using Numbers = std::map<std::size_t, std::int64_t>;

std::optional<std::int64_t> evaluated(const SizeFactor& factor, const Numbers& values) {
  if (factor.symbol) {
    const auto found = values.find(factor.symbol->number);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::int64_t> numbers;
  for (const SizeExpr& argument : factor.operation->arguments) {
    const auto number = evaluate(argument, values);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return evaluated(factor.operation->function, numbers);
}

}  // namespace

SizeParts parts_of(const SizeExpr& expr) {
  if (expr.is_known() || expr.as_symbol()) return {};
  const bool is_sum = expr.constant() != 0 || expr.terms().size() > 1;
  const SizeTerm& first = expr.terms()[0];
  if (!is_sum && first.coefficient == 1 && first.factors.size() == 1) {
    const SizeOperation& operation = *first.factors[0].operation;
    return {operator_of(operation.function), operation.arguments};
  }
  if (!is_sum) return parts_of_product(first);
  SizeParts parts{"+", {}};
  if (expr.constant() != 0) parts.operands.emplace_back(expr.constant());
  for (const SizeTerm& term : expr.terms()) parts.operands.push_back(expression_of(term));
  return parts;
}

std::size_t hash_of(const SizeExpr& expr) {
  auto seed = static_cast<std::size_t>(expr.constant());
  for (const SizeTerm& term : expr.terms()) {
    seed = mixed(seed, static_cast<std::size_t>(term.coefficient));
    for (const SizeFactor& factor : term.factors) seed = mixed(seed, hash_of(factor));
  }
  return seed;
}

std::vector<SizeSymbolPtr> symbols_of(const SizeExpr& expr) {
  std::map<std::size_t, SizeSymbolPtr> found;
  collect_symbols(expr, found);
  std::vector<SizeSymbolPtr> symbols;
  for (const auto& [number, symbol] : found) symbols.push_back(symbol);
  return symbols;
}

std::set<std::size_t> origins_of(const SizeExpr& expr) {
  std::set<std::size_t> origins;
  for (const SizeSymbolPtr& symbol : symbols_of(expr))
    origins.insert(symbol->origins.begin(), symbol->origins.end());
  return origins;
}

SizeExpr substituted(const SizeExpr& expr, const SizeValues& values) {
  SizeExpr total(expr.constant());
  for (const SizeTerm& term : expr.terms()) {
    SizeExpr whole(term.coefficient);
    for (const SizeFactor& factor : term.factors) whole = whole * substituted_in(factor, values);
    total = total + whole;
  }
  return total;
}

std::optional<std::int64_t> evaluate(const SizeExpr& expr, const Numbers& values) {
  std::int64_t total = expr.constant();
  for (const SizeTerm& term : expr.terms()) {
    std::int64_t whole = term.coefficient;
    for (const SizeFactor& factor : term.factors) {
      const auto number = evaluated(factor, values);
      if (!number || __builtin_mul_overflow(whole, *number, &whole)) return std::nullopt;
    }
    if (__builtin_add_overflow(total, whole, &total)) return std::nullopt;
  }
  return total;
}

}  // namespace dycl
